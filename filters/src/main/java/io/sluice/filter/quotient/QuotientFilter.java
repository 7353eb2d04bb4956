/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.CountingFilter;
import io.sluice.filter.FilterFullException;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A set or multiset of fingerprints of p bits (Bender et al., <i>Don't Thrash</i>, section 2), in
 * ascending order, in about r + 3 bits for each of 2^q slots with p = q + r. Hashes are mixed first
 * ({@link Hashing#mix}), so numbers that are not hashes work as well.
 *
 * <p><b>A set</b>, if only {@link #add} adds: an equal fingerprint is stored once. Removing then
 * needs care: of two hashes with the same fingerprint only the first was added, as {@code add}
 * said, and only that one may be removed. <b>A multiset</b>, if {@link #insert} adds: every copy
 * takes a slot, equal fingerprints of different hashes are counted together, and whatever was
 * inserted may be removed. The two can be mixed: {@code add} inserts if there is no copy. Many
 * copies of one fingerprint make long runs: operations nearby take time in proportion to them, and
 * more than 65,535 copies are refused.
 *
 * <p>Removing what was never inserted removes, with the probability of a false positive, the
 * fingerprint of something else, which is then denied. {@link #refusedRemovals} counts the attempts
 * that were noticed; the unnoticed ones are fewer by the factor fpp / (1 - fpp).
 *
 * <p>When it is full, at {@link #capacity}, it grows, if built to, or throws {@link
 * FilterFullException}. The probability of a false positive depends on p, which never changes, and
 * on the number of keys ({@link QuotientSizing#fpp}): choose p for the final size.
 *
 * <p>Cost: lookups O(1), in one or two neighbouring cache lines for r = 8; insertion and removal
 * O(1 / (1 - load)^2) in theory, with 48 slots moved at once; resize and merge O(n). Merged by
 * {@link QuotientMerge}. Not thread-safe.
 */
public final class QuotientFilter implements CountingFilter, Persistent, AutoCloseable {

    /** Operations of a batch whose memory accesses overlap. */
    private static final int AHEAD = 32;

    private final double maxLoad;
    private final boolean grows;
    private BlockTable table;
    private long size;
    private long capacity;
    private long refusedRemovals;

    /** From mixed hash to fingerprint: shifts out all but the p highest bits. */
    private int hashShift;

    /** Fingerprints of a batch, from {@link #touch}. */
    private final long[] ahead = new long[AHEAD];

    QuotientFilter(BlockTable table, long size, double maxLoad, boolean grows) {
        this.maxLoad = maxLoad;
        this.grows = grows;
        this.size = size;
        use(table);
    }

    private void use(BlockTable newTable) {
        table = newTable;
        Blocks blocks = newTable.blocks();
        capacity = QuotientSizing.capacity(blocks.quotientBits, maxLoad);
        hashShift = Long.SIZE - blocks.quotientBits - blocks.remainderBits;
    }

    /** Sizes and makes a filter. */
    public static QuotientFilterBuilder builder() {
        return new QuotientFilterBuilder();
    }

    /** Another filter with the same content, options and storage. O(slots). */
    public QuotientFilter copy() {
        QuotientFilter copy = new QuotientFilter(table.copy(), size, maxLoad, grows);
        copy.refusedRemovals = refusedRemovals;
        return copy;
    }

    /** Adds {@code hash} unless its fingerprint is there: one probe decides and records. */
    @Override
    public boolean add(long hash) {
        return addFingerprint(fingerprint(hash));
    }

    @Override
    public boolean mightContain(long hash) {
        return table.search().contains(fingerprint(hash));
    }

    /** Removes one copy. */
    @Override
    public boolean remove(long hash) {
        return removeFingerprint(fingerprint(hash));
    }

    /** Inserts one copy, whether there are others or not. */
    public void insert(long hash) {
        insertFingerprint(fingerprint(hash));
    }

    @Override
    public void insert(long hash, int copies) {
        if (copies < 1) {
            throw new IllegalArgumentException("copies must be at least 1, got " + copies);
        }
        int inserted = 0;
        try {
            while (inserted < copies) {
                insert(hash);
                inserted++;
            }
        } catch (FilterFullException e) {
            for (; inserted > 0; inserted--) {
                remove(hash);
            }
            throw e;
        }
    }

    @Override
    public long count(long hash) {
        return table.search().count(fingerprint(hash));
    }

    /** Counts do not saturate: copies that have no room are refused. */
    @Override
    public long maxCount() {
        return Long.MAX_VALUE;
    }

    @Override
    public long removeAll(long hash) {
        long copies = count(hash);
        for (long i = 0; i < copies; i++) {
            remove(hash);
        }
        return copies;
    }

    /**
     * {@link #mightContain} for {@code length} hashes. When the filter is larger than the caches,
     * batches are about twice as fast as single calls, because many memory accesses overlap; a
     * single lookup is too long for the processor to begin the next one meanwhile.
     *
     * @param results gets the answers, at the indices of the hashes
     * @return how many are reported
     */
    public int mightContainAll(long[] hashes, int from, int length, boolean[] results) {
        int hits = 0;
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                boolean held = table.search().contains(ahead[i - begin]);
                results[i] = held;
                hits += held ? 1 : 0;
            }
        }
        return hits;
    }

    /**
     * {@link #add} for {@code length} hashes, in order; faster than single calls, see {@link
     * #mightContainAll}.
     *
     * @param results gets true where a hash was absent and was added
     * @return how many were added
     * @throws FilterFullException if one has no room; those before it are added, as results say
     */
    public int addAll(long[] hashes, int from, int length, boolean[] results) {
        int added = 0;
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                boolean absent = addFingerprint(ahead[i - begin]);
                results[i] = absent;
                added += absent ? 1 : 0;
            }
        }
        return added;
    }

    /**
     * {@link #insert(long)} for {@code length} hashes, in order; faster than single calls, see
     * {@link #mightContainAll}.
     *
     * @throws FilterFullException if one has no room; those before it are inserted
     */
    public void insertAll(long[] hashes, int from, int length) {
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                insertFingerprint(ahead[i - begin]);
            }
        }
    }

    /**
     * {@link #remove} for {@code length} hashes, in order; faster than single calls, see {@link
     * #mightContainAll}.
     *
     * @return how many were there
     */
    public int removeAll(long[] hashes, int from, int length) {
        int removed = 0;
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                removed += removeFingerprint(ahead[i - begin]) ? 1 : 0;
            }
        }
        return removed;
    }

    /**
     * Notes the fingerprints of these hashes and reads what the operations on them will read first.
     * The reads need an effect, or the compiler would drop them, so this checks bits that are
     * always zero.
     */
    private void touch(long[] hashes, int from, int to) {
        long spare = 0;
        for (int i = from; i < to; i++) {
            long fingerprint = fingerprint(hashes[i]);
            ahead[i - from] = fingerprint;
            spare |= table.spareBits(fingerprint);
        }
        if (spare != 0) {
            throw new IllegalStateException("spare bits of a block are set: memory was damaged");
        }
    }

    /**
     * {@link #add} for callers that have the fingerprint: at least 0 and less than 2^p, not
     * checked.
     */
    public boolean addFingerprint(long fingerprint) {
        if (size >= capacity && !makeRoom(fingerprint)) {
            return false;
        }
        if (table.insert(fingerprint, true)) {
            size++;
            return true;
        }
        return false;
    }

    /** {@link #insert(long)} of a fingerprint. */
    public void insertFingerprint(long fingerprint) {
        if (size >= capacity) {
            grow();
        }
        table.insert(fingerprint, false);
        size++;
    }

    /** {@link #mightContain} of a fingerprint. */
    public boolean containsFingerprint(long fingerprint) {
        return table.search().contains(fingerprint);
    }

    /** {@link #remove} of a fingerprint. */
    public boolean removeFingerprint(long fingerprint) {
        if (table.remove(fingerprint)) {
            size--;
            return true;
        }
        refusedRemovals++;
        return false;
    }

    /** Makes room, unless a full filter already holds the fingerprint. */
    private boolean makeRoom(long fingerprint) {
        if (table.search().contains(fingerprint)) {
            return false;
        }
        grow();
        return true;
    }

    private void grow() {
        resize(Growth.nextQuotientBits(blocks(), maxLoad, grows, size));
    }

    /**
     * Divides fingerprints anew: more quotient bits make room, fewer save memory. No keys are
     * needed, and no answer changes. O(n).
     *
     * @throws IllegalArgumentException if fingerprints would have no bit left for remainders, or if
     *     what is held would exceed the maximal load
     * @throws FilterFullException if copies of few fingerprints crowd, so that they have no room
     *     behind the last quotient; nothing has changed then
     */
    public void resize(int quotientBits) {
        Growth.checkRoom(quotientBits, fingerprintBits(), maxLoad, size);
        Storage storage = blocks().words.storage();
        Blocks old = blocks();
        Blocks blocks = Blocks.allocate(storage, quotientBits, fingerprintBits() - quotientBits);
        use(QuotientMerge.append(cursor(), blocks, maxLoad, grows).table);
        old.words.release();
    }

    /**
     * Frees memory off the heap now; memory on the heap is the collector's in any case. The filter
     * must not be used afterwards.
     */
    @Override
    public void close() {
        blocks().words.release();
    }

    /** The fingerprint of a hash: the p highest bits of what {@link Hashing#mix} makes of it. */
    public long fingerprint(long hash) {
        return Hashing.mix(hash) >>> hashShift;
    }

    /** All fingerprints, ascending, with their copies. Valid until the filter changes. */
    public FingerprintCursor cursor() {
        return new BlockCursor(blocks(), 0);
    }

    /** Fingerprints held, copies included. */
    public long size() {
        return size;
    }

    /** Fingerprints that can be held before the filter grows or is full. */
    public long capacity() {
        return capacity;
    }

    /** {@link #size} over the number of quotients. */
    public double load() {
        return (double) size / (double) (1L << quotientBits());
    }

    /** Probability that an absent hash is reported, now (exact for a set, a bound otherwise). */
    public double fpp() {
        return QuotientSizing.fpp(size, fingerprintBits());
    }

    /** q. */
    public int quotientBits() {
        return blocks().quotientBits;
    }

    /** r. */
    public int remainderBits() {
        return blocks().remainderBits;
    }

    /** p. */
    public int fingerprintBits() {
        return Long.SIZE - hashShift;
    }

    /** Removals that found nothing: each is the caller's mistake, see the class comment. */
    public long refusedRemovals() {
        return refusedRemovals;
    }

    @Override
    public long sizeInBytes() {
        return blocks().words.sizeInBytes();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        QuotientFilterFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static QuotientFilter readFrom(InputStream in, String source, Storage storage)
            throws IOException {
        return QuotientFilterFormat.read(in, source, storage);
    }

    /**
     * Checks every bit of the structure. O(n).
     *
     * @throws IllegalStateException if something is wrong: a defect, or memory that was damaged
     */
    public void checkInvariants() {
        String problem = new BlockInvariants(blocks()).problem(size);
        if (!problem.isEmpty()) {
            throw new IllegalStateException(problem);
        }
    }

    Blocks blocks() {
        return table.blocks();
    }

    double maxLoad() {
        return maxLoad;
    }

    boolean grows() {
        return grows;
    }

    void restoreRefusedRemovals(long count) {
        refusedRemovals = count;
    }
}
