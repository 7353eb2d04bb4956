/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.RemovableFilter;
import io.sluice.filter.annotation.Internal;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A set of billions of hashes on local disk (Bender et al., <i>Don't Thrash</i>, section 2): the
 * newest in a quotient filter in memory, the others in a few immutable, sorted level files, which
 * are merged in the background.
 *
 * <p><b>What it says.</b> A hash that was added, and has been neither removed nor expired since, is
 * never denied. Any other is reported with probability at most {@link
 * CascadeOptions#falsePositiveProbability}, however many entries there are. Hashes of different key
 * groups have nothing to do with each other. It is a set: adding again what is there changes
 * nothing. (The paper's is a multiset; with set semantics, repeating an operation after a failure
 * does no harm.)
 *
 * <p><b>What survives.</b> See {@link SyncPolicy}. After a crash at any moment, {@link #open} finds
 * everything that was added before the last completed {@link #flush}, and possibly a prefix of what
 * came later.
 *
 * <p><b>Removing</b> leaves a tombstone, which hides what is older and is dropped when it meets the
 * oldest data. It also hides any other hash with the same fingerprint, which is then denied; the
 * probability is about that of a false positive. Remove only what was added. To forget by age, let
 * entries expire, which has no such effect.
 *
 * <p><b>Cost.</b> An addition changes one or two cache lines of memory; merges write it several
 * more times, see {@link MergePolicy}. A lookup reads a page of each file that has or may have the
 * entry, from the cache if it is there. With an overview, most absent hashes are recognised after
 * one cache line of memory, and hardly any read a page.
 *
 * <p><b>Errors.</b> If a file cannot be read or written, an {@link UncheckedIOException} is thrown
 * whose cause names the file. An operation that fails has changed nothing, except that a batch may
 * have added a part. A failure in the background is thrown by the next operation; nothing is lost,
 * the filter remains usable, and the work is tried again with the next flush.
 *
 * <p>Not thread-safe: one thread, the owner, calls everything. Only {@link CascadeSnapshot} may be
 * handed to another. The owner never merges, and writes only in {@link #flush} and {@link #close};
 * it is delayed when the background falls behind, see {@link CascadeStatistics#stalls}.
 */
public final class CascadeFilter implements RemovableFilter, AutoCloseable {

    private final CascadeStore store;

    /** As callers name them. */
    private final KeyGroups keyGroups;

    private final KeyGroupParts parts;
    private final Overviews overviews;
    private final CurrentVersion current;
    private final BucketClock clock;
    private final Backpressure backpressure;
    private final ActiveBuffer active;
    private final Expiry expiry;
    private final Lookups lookups;
    private final BatchAdd batch;

    private long additions;
    private long duplicates;

    CascadeFilter(CascadeStore store) throws IOException {
        this.store = store;
        this.parts = store.options().parts();
        this.keyGroups = store.options().wholeKeyGroups();
        OlderEntries older = new OlderEntries(store.options().keyGroups(), store.options().parts());
        this.overviews = new Overviews(store);
        this.backpressure = new Backpressure(store);
        this.current = new CurrentVersion(store, older, overviews, backpressure);
        this.clock = new BucketClock(store, current.version().lastBucketEnd());
        this.active = new ActiveBuffer(store, overviews, current, clock, backpressure);
        this.expiry = new Expiry(store, current, clock, backpressure, active);
        this.lookups = new Lookups(active, older, overviews);
        this.batch = new BatchAdd(active, older, overviews, store.resources().readers());
    }

    /**
     * Opens the filter in a directory, which is created if it does not exist. Finds what was
     * durable, and removes what a crash has left behind.
     *
     * @throws io.sluice.filter.format.CorruptFilterException if a file is damaged or missing
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote it
     * @throws io.sluice.filter.storage.DirectoryLockedException if it is open already
     */
    public static CascadeFilter open(Path directory, CascadeOptions options) throws IOException {
        return open(new NioDirectory(directory), options);
    }

    /** As {@link #open(Path, CascadeOptions)}. */
    public static CascadeFilter open(Directory directory, CascadeOptions options)
            throws IOException {
        return new CascadeFilter(CascadeStore.open(directory, options));
    }

    /**
     * Makes a filter from one or more snapshots, possibly of filters with other key groups. The
     * files that the manifests name have to be in the directory; others of this kind are removed.
     * Nothing is copied or rewritten: a file that also holds other key groups is used in part,
     * until a merge copies what is needed.
     *
     * @param manifests of {@link CascadeSnapshot#manifest}; no two with a key group in common
     * @throws io.sluice.filter.format.CorruptFilterException if a file or manifest is damaged, or a
     *     file is missing
     */
    public static CascadeFilter restore(
            Directory directory, CascadeOptions options, List<byte[]> manifests)
            throws IOException {
        List<Manifest> lists = new ArrayList<>();
        for (int i = 0; i < manifests.size(); i++) {
            lists.add(Manifest.of(manifests.get(i), "manifest " + i + " of the restore"));
        }
        return new CascadeFilter(CascadeStore.restore(directory, options, lists));
    }

    /** As {@link #restore(Directory, CascadeOptions, List)}. */
    public static CascadeFilter restore(
            Path directory, CascadeOptions options, List<byte[]> manifests) throws IOException {
        return restore(new NioDirectory(directory), options, manifests);
    }

    /** {@link #add(int, long)} to the first key group. */
    @Override
    public boolean add(long hash) {
        return add(keyGroups.first(), hash);
    }

    /** {@link #mightContain(int, long)} in the first key group. */
    @Override
    public boolean mightContain(long hash) {
        return mightContain(keyGroups.first(), hash);
    }

    /** {@link #remove(int, long)} from the first key group. */
    @Override
    public boolean remove(long hash) {
        return remove(keyGroups.first(), hash);
    }

    /**
     * Adds a hash unless the filter reports it.
     *
     * @return true if it was certainly absent
     * @throws UncheckedIOException if a file cannot be read, or background work has failed
     * @throws FilterFullException if the filter has outgrown its capacity so far that no bits of a
     *     hash are left for more
     */
    public boolean add(int keyGroup, long hash) {
        checkKeyGroup(keyGroup);
        active.beforeAddition();
        additions++;
        long entry = parts.entry(keyGroup, hash);
        if (overviews.addIfDenied(entry)) {
            active.addLater(entry);
            return true;
        }
        boolean isAbsent = lookups.addUnlessHeld(entry);
        duplicates += isAbsent ? 0 : 1;
        return isAbsent;
    }

    /**
     * Adds a hash without asking whether it is there: reads no file. The entry gets the current
     * time bucket, whatever older entries say.
     */
    public void insert(int keyGroup, long hash) {
        checkKeyGroup(keyGroup);
        active.beforeAddition();
        additions++;
        long entry = parts.entry(keyGroup, hash);
        overviews.insert(entry);
        active.addLater(entry);
    }

    /** Returns false only if the hash is certainly absent. */
    public boolean mightContain(int keyGroup, long hash) {
        checkKeyGroup(keyGroup);
        active.beforeLookup();
        long entry = parts.entry(keyGroup, hash);
        return !overviews.deny(entry) && lookups.isHeld(entry);
    }

    /**
     * Removes a hash, see the class comment for what else that can remove.
     *
     * @return whether it might have been there; if not, nothing has changed
     */
    public boolean remove(int keyGroup, long hash) {
        checkKeyGroup(keyGroup);
        active.beforeAddition();
        long entry = parts.entry(keyGroup, hash);
        return !overviews.deny(entry) && lookups.remove(entry);
    }

    /**
     * {@link #add(int, long)} for many hashes, in their order. Several times as fast when files
     * exceed the page cache, or memory the processor's caches.
     *
     * @param keyGroupOf key groups, at the indices of the hashes
     * @param absent gets the answers, at the indices of the hashes
     * @return how many were absent
     * @throws UncheckedIOException as {@link #add(int, long)}; a part of the hashes may have been
     *     added
     */
    public int addAll(int[] keyGroupOf, long[] hashes, int from, int length, boolean[] absent) {
        int added = 0;
        for (int at = from, end = from + length; at < end; ) {
            int n = batch.begin(end - at);
            for (int i = 0; i < n; i++) {
                checkKeyGroup(keyGroupOf[at + i]);
                batch.entries()[i] = parts.entry(keyGroupOf[at + i], hashes[at + i]);
            }
            added += batch.add(n, absent, at);
            at += n;
        }
        additions += length;
        duplicates += length - added;
        return added;
    }

    /** As {@link #addAll(int[], long[], int, int, boolean[])}, all in one key group. */
    public int addAll(int keyGroup, long[] hashes, int from, int length, boolean[] absent) {
        checkKeyGroup(keyGroup);
        int added = 0;
        for (int at = from, end = from + length; at < end; ) {
            int n = batch.begin(end - at);
            for (int i = 0; i < n; i++) {
                batch.entries()[i] = parts.entry(keyGroup, hashes[at + i]);
            }
            added += batch.add(n, absent, at);
            at += n;
        }
        additions += length;
        duplicates += length - added;
        return added;
    }

    private void checkKeyGroup(int keyGroup) {
        if (!keyGroups.contains(keyGroup)) {
            throw new IllegalArgumentException(
                    "keyGroup must be one of the filter's, " + keyGroups + ", got " + keyGroup);
        }
    }

    /**
     * Tells the time, for entries with a time to live: entries added from now on begin to live now,
     * and those whose time is over are dropped. Earlier times than the last are ignored, except for
     * the first after the opening: if the last of before was more than a minute ahead of it, it is
     * not believed any more, and entries begin to live now.
     *
     * @param millis in any time that only grows, such as {@link System#currentTimeMillis}
     */
    public void advanceTo(long millis) {
        if (clock.isBehind(millis)) {
            expiry.advanceTo(millis);
        }
    }

    /**
     * As {@link #advanceTo(long)}, for entries whose times are out of order: those added from now
     * on begin to live at {@code latest}, but only those are dropped whose time is over at {@code
     * reached}. After the opening, the last time of before is believed however far ahead it is.
     *
     * @param latest the greatest time of any entry, at least {@code reached}
     * @param reached a time that all entries to come have reached, {@link Long#MIN_VALUE} if none
     *     is known; less than the last is ignored
     */
    public void advanceTo(long latest, long reached) {
        if (clock.isBehind(latest) || reached > clock.reached()) {
            expiry.advanceTo(latest, reached);
        }
    }

    /**
     * Forgets the time, if it was wrong: the next one that is told may be earlier, and what would
     * expire later than an entry that is added then expires with it. Writes what is in memory.
     */
    public void resetClock() throws IOException {
        active.flush();
        clock.reset();
    }

    /**
     * The time: the last that {@link #advanceTo} was told, here or before a restore; {@link
     * Long#MIN_VALUE} if it never was.
     */
    public long time() {
        return clock.time();
    }

    /**
     * Makes everything durable that was added and removed until now, according to the {@link
     * SyncPolicy}. Takes as long as writing a buffer and syncing files does.
     */
    public void flush() throws IOException {
        active.flush();
    }

    /**
     * Everything that is held now, pinned. Costs no more than listing the files: nothing is read,
     * written or copied. But if the background is so far behind that there is no memory for another
     * buffer, this waits for one.
     */
    public CascadeSnapshot snapshot() {
        current.attend();
        active.freezeForSnapshot();
        return store.snapshot(clock.time());
    }

    /**
     * All entries that are held now, ascending; see {@link Entries} for what they say. Where key
     * groups are divided ({@link CascadeOptionsBuilder#divideKeyGroups}), the hash of an entry may
     * be less than the one that was added, by less than one in the last bit that is kept. Writes
     * what is in memory first, and keeps its files until it is closed.
     */
    @Internal
    public EntryCursor scan() throws IOException {
        return SnapshotScan.of(snapshot());
    }

    /** What the filter holds and has done. O(files). */
    public CascadeStatistics statistics() {
        return Statistics.of(
                store,
                current,
                active,
                backpressure.stalls(),
                expiry.expiredFiles(),
                memoryBytes(),
                additions,
                duplicates);
    }

    /** Bytes of memory: buffers, page indexes, summaries and overview; without the page cache. */
    @Override
    public long sizeInBytes() {
        return memoryBytes();
    }

    private long memoryBytes() {
        return Statistics.memoryBytes(store, current.version()) + overviews.sizeInBytes();
    }

    /**
     * Ends background work, flushes unless the policy is {@link SyncPolicy#NEVER}, and closes all
     * files. Merges are given up, not waited for. Idempotent.
     */
    @Override
    public void close() throws IOException {
        if (store.isClosed()) {
            return;
        }
        Throwable failure = null;
        try {
            if (store.options().syncPolicy() != SyncPolicy.NEVER) {
                active.flush();
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            release(failure);
        }
    }

    /**
     * Releases files, threads and memory; a failure is added to an earlier one, if there is one.
     */
    private void release(Throwable failure) throws IOException {
        current.close();
        try {
            store.release();
        } catch (IOException e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        } finally {
            active.release();
            overviews.close();
        }
    }
}
