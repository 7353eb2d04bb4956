/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.CountingFilter;
import io.sluice.filter.FilterFullException;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The counting cuckoo filter of Li, Luo and Guo (<i>Multiset Synchronization with Counting Cuckoo
 * Filters</i>): every hash has a fingerprint of f bits and two buckets of four slots, and lies in
 * one slot of them, with a counter of c bits for its copies.
 *
 * <p><b>Two ways to insert, of different accuracy.</b> {@link #insert} and {@link #add} look for
 * the fingerprint first and add to its count, as a stream of copies needs; two hashes with the same
 * fingerprint in the same buckets are one to the filter, and their counts add up. {@link
 * #insertSeparately} gives a hash, all of whose copies are inserted at once, a slot of its own; two
 * such hashes then have two slots, and {@link #slotCounts} shows both counts. The paper's algorithm
 * 1 does the latter; its section on deletion assumes the former.
 *
 * <p><b>Counts.</b> {@link #count} is never less than the copies held of a hash, up to {@link
 * #maxCount}, 2^c - 1. A slot that reached the maximum is saturated: how many copies it stands for
 * is not known any more, so {@link #remove} leaves it, and only {@link #removeAll} empties it.
 *
 * <p><b>Departures.</b> The buckets of a new hash may both be full; then the way to an empty slot
 * is found before anything moves, so a failed insertion changes nothing and loses nothing. Any even
 * number of buckets will do, and the two buckets of a hash always differ.
 *
 * <p>Cost: lookups and removals read two cache lines, at any load. An insertion reads some 6 more
 * at a load of 0.95, none at half load. Everything is deterministic: equal operations give equal
 * filters. Hashes are mixed ({@link Hashing#mix}), so numbers that are not hashes work as well;
 * then the index comes from the high bits, the fingerprint from the low half. Not thread-safe.
 */
public final class CountingCuckooFilter implements CountingFilter, Persistent, AutoCloseable {

    /** Operations of a batch whose memory accesses overlap. */
    private static final int AHEAD = 32;

    private final CuckooBuckets buckets;
    private final Placement placement;
    private final long maxCount;
    private long occupied;

    /** Whether a fingerprint may be in several slots of its buckets: not if all were merged. */
    private boolean mayRepeat;

    /** Mixed hashes of a batch, from {@link #touch}. */
    private final long[] ahead = new long[AHEAD];

    private final Touches touches = new Touches();

    CountingCuckooFilter(CuckooBuckets buckets, long occupied, boolean mayRepeat) {
        this.buckets = buckets;
        this.occupied = occupied;
        this.mayRepeat = mayRepeat;
        placement = new Placement(buckets);
        maxCount = buckets.shape().maxCount();
    }

    /** An empty filter. {@link CuckooShape#sized} finds the shape for a capacity and an fpp. */
    public static CountingCuckooFilter create(CuckooShape shape, Storage storage) {
        return new CountingCuckooFilter(CuckooBuckets.create(shape, storage), 0, false);
    }

    /** Another filter with the same content and storage. */
    public CountingCuckooFilter copy() {
        return new CountingCuckooFilter(buckets.copy(), occupied, mayRepeat);
    }

    /** {@inheritDoc} One copy is inserted. */
    @Override
    public boolean add(long hash) {
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long pattern = buckets.inEveryLane(fingerprint);
        long first = buckets.bucketOf(mixed);
        long second = buckets.alternate(first, fingerprint);
        if ((buckets.slotsWith(first, pattern) | buckets.slotsWith(second, pattern)) != 0) {
            return false;
        }
        place(first, second, fingerprint, 1);
        return true;
    }

    @Override
    public boolean mightContain(long hash) {
        return holds(Hashing.mix(hash));
    }

    private boolean holds(long mixed) {
        long fingerprint = buckets.fingerprintOf(mixed);
        long pattern = buckets.inEveryLane(fingerprint);
        long first = buckets.bucketOf(mixed);
        long second = buckets.alternate(first, fingerprint);
        // Both, without a branch between them: their cache misses overlap.
        return (buckets.slotsWith(first, pattern) | buckets.slotsWith(second, pattern)) != 0;
    }

    /**
     * {@link #mightContain} for {@code length} hashes. When the filter is larger than the caches,
     * batches are a little faster than single calls, because more memory accesses overlap.
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
                boolean held = holds(ahead[i - begin]);
                results[i] = held;
                hits += held ? 1 : 0;
            }
        }
        return hits;
    }

    /** Mixes these hashes and reads their buckets, so that they will soon be in a cache. */
    private void touch(long[] hashes, int from, int to) {
        long read = 0;
        for (int i = from; i < to; i++) {
            long mixed = Hashing.mix(hashes[i]);
            ahead[i - from] = mixed;
            long first = buckets.bucketOf(mixed);
            long second = buckets.alternate(first, buckets.fingerprintOf(mixed));
            read |= buckets.emptySlots(first) | buckets.emptySlots(second);
        }
        touches.keep(read);
    }

    @Override
    public void insert(long hash, int copies) {
        insert(hash, (long) copies);
    }

    /** As {@link #insert(long, int)}; any number of copies saturates the count at most. */
    public void insert(long hash, long copies) {
        checkCopies(copies);
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long first = buckets.bucketOf(mixed);
        insertInto(first, buckets.alternate(first, fingerprint), fingerprint, copies);
    }

    private void insertInto(long first, long second, long fingerprint, long copies) {
        long more = Math.min(copies, maxCount);
        long pattern = buckets.inEveryLane(fingerprint);
        long inFirst = buckets.slotsWith(first, pattern);
        long inSecond = buckets.slotsWith(second, pattern);
        if ((inFirst | inSecond) == 0) {
            place(first, second, fingerprint, more);
            return;
        }
        long takeFirst = Masks.allOnesUnlessZero(inFirst);
        long bucket = Masks.choose(takeFirst, first, second);
        int slot = buckets.firstOf(Masks.choose(takeFirst, inFirst, inSecond));
        buckets.setCount(bucket, slot, Math.min(buckets.count(bucket, slot) + more, maxCount));
    }

    /**
     * Inserts {@code copies} copies of {@code hash} into a slot of their own. For building a filter
     * from a set in which every hash occurs once: the hash must not be in the filter.
     *
     * @param copies at least 1; more than {@link #maxCount} saturate the slot
     * @throws FilterFullException if there is no room, also because more than eight hashes have
     *     this fingerprint in these buckets; the filter is unchanged
     */
    public void insertSeparately(long hash, long copies) {
        checkCopies(copies);
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long first = buckets.bucketOf(mixed);
        place(
                first,
                buckets.alternate(first, fingerprint),
                fingerprint,
                Math.min(copies, maxCount));
        mayRepeat = true;
    }

    private static void checkCopies(long copies) {
        if (copies < 1) {
            throw new IllegalArgumentException("copies must be at least 1, got " + copies);
        }
    }

    /** Inserts a slot of another filter of this shape, as {@link #insert(long, long)} would. */
    void insertSlot(long bucket, long fingerprint, long copies) {
        insertInto(bucket, buckets.alternate(bucket, fingerprint), fingerprint, copies);
    }

    private void place(long first, long second, long fingerprint, long count) {
        placement.put(first, second, fingerprint, count, occupied);
        occupied++;
    }

    /**
     * {@inheritDoc} If several hashes with the same fingerprint were inserted separately, this is
     * the sum of their counts.
     */
    @Override
    public long count(long hash) {
        return countOf(Hashing.mix(hash));
    }

    private long countOf(long mixed) {
        long fingerprint = buckets.fingerprintOf(mixed);
        long pattern = buckets.inEveryLane(fingerprint);
        long first = buckets.bucketOf(mixed);
        long second = buckets.alternate(first, fingerprint);
        long inFirst = buckets.slotsWith(first, pattern);
        long inSecond = buckets.slotsWith(second, pattern);
        if ((inFirst | inSecond) == 0) {
            return 0;
        }
        long takeFirst = Masks.allOnesUnlessZero(inFirst);
        long found = Masks.choose(takeFirst, inFirst, inSecond);
        boolean several = ((found & (found - 1)) | (takeFirst & inSecond)) != 0;
        return several
                ? Math.min(counts(first, inFirst) + counts(second, inSecond), maxCount)
                : buckets.count(Masks.choose(takeFirst, first, second), buckets.firstOf(found));
    }

    /**
     * {@link #count} for {@code length} hashes; about half as fast again in a filter larger than
     * the caches, see {@link #mightContainAll}.
     *
     * @param counts gets them, at the indices of the hashes
     */
    public void countAll(long[] hashes, int from, int length, long[] counts) {
        for (int begin = from, to = from + length; begin < to; begin += AHEAD) {
            int end = Math.min(to, begin + AHEAD);
            touch(hashes, begin, end);
            for (int i = begin; i < end; i++) {
                counts[i] = countOf(ahead[i - begin]);
            }
        }
    }

    private long counts(long bucket, long slotSet) {
        long sum = 0;
        for (long left = slotSet; left != 0; left &= left - 1) {
            sum += buckets.count(bucket, buckets.firstOf(left));
        }
        return sum;
    }

    /**
     * The counts of all slots that hold the fingerprint of {@code hash}. In a filter that was
     * filled by {@link #insertSeparately} one of them is the count of {@code hash}, if it was
     * inserted.
     *
     * @param counts receives them; at least 8 long
     * @return how many there are, 0 only if the hash is certainly absent
     */
    public int slotCounts(long hash, long[] counts) {
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long pattern = buckets.inEveryLane(fingerprint);
        long first = buckets.bucketOf(mixed);
        long second = buckets.alternate(first, fingerprint);
        int n = 0;
        for (long left = buckets.slotsWith(first, pattern); left != 0; left &= left - 1) {
            counts[n++] = buckets.count(first, buckets.firstOf(left));
        }
        for (long left = buckets.slotsWith(second, pattern); left != 0; left &= left - 1) {
            counts[n++] = buckets.count(second, buckets.firstOf(left));
        }
        return n;
    }

    /** {@inheritDoc} A saturated slot stays as it is. */
    @Override
    public boolean remove(long hash) {
        return remove(hash, 1) != 0;
    }

    /**
     * Removes up to {@code copies} copies of {@code hash}.
     *
     * @param copies at least 1
     * @return how many were removed; a saturated slot counts as holding all of them
     */
    public long remove(long hash, int copies) {
        checkCopies(copies);
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long pattern = buckets.inEveryLane(fingerprint);
        long first = buckets.bucketOf(mixed);
        long second = buckets.alternate(first, fingerprint);
        // Asked before anything is removed, so that both answers describe the same state.
        long inFirst = buckets.slotsWith(first, pattern);
        long inSecond = buckets.slotsWith(second, pattern);
        long left = remove(first, inFirst, copies);
        return copies - remove(second, inSecond, left);
    }

    /** Returns how many of {@code copies} could not be removed. */
    private long remove(long bucket, long slotSet, long copies) {
        long left = copies;
        for (long slots = slotSet; slots != 0 && left != 0; slots &= slots - 1) {
            int slot = buckets.firstOf(slots);
            long count = buckets.count(bucket, slot);
            if (count == maxCount) {
                return 0;
            }
            if (count > left) {
                buckets.setCount(bucket, slot, count - left);
                return 0;
            }
            buckets.clear(bucket, slot);
            occupied--;
            left -= count;
        }
        return left;
    }

    /**
     * {@inheritDoc} A saturated slot too is emptied: however many copies there were, none is left.
     * Another hash with the same fingerprint in the same buckets goes with it (with about the
     * probability of a false positive for each other hash in them).
     */
    @Override
    public long removeAll(long hash) {
        long mixed = Hashing.mix(hash);
        long fingerprint = buckets.fingerprintOf(mixed);
        long pattern = buckets.inEveryLane(fingerprint);
        long first = buckets.bucketOf(mixed);
        long second = buckets.alternate(first, fingerprint);
        long inFirst = buckets.slotsWith(first, pattern);
        long inSecond = buckets.slotsWith(second, pattern);
        return Math.min(removeAll(first, inFirst) + removeAll(second, inSecond), maxCount);
    }

    private long removeAll(long bucket, long slotSet) {
        long sum = 0;
        for (long left = slotSet; left != 0; left &= left - 1) {
            int slot = buckets.firstOf(left);
            sum += buckets.count(bucket, slot);
            buckets.clear(bucket, slot);
            occupied--;
        }
        return sum;
    }

    /**
     * Removes from this filter and from {@code other} what they have in common: pairs of slots, one
     * in each, with the same fingerprint in the same buckets and the same count, unless it is
     * saturated. What is left in both is how they differ. O(slots).
     *
     * @return how many pairs
     * @throws IllegalArgumentException if the filters have different shapes, or are one
     */
    public long cancelEqualSlots(CountingCuckooFilter other) {
        if (other == this || !shape().equals(other.shape())) {
            throw new IllegalArgumentException(
                    "other must be another filter of shape " + shape() + ", got " + other.shape());
        }
        long pairs = new CommonSlots(buckets, other.buckets).cancel();
        occupied -= pairs;
        other.occupied -= pairs;
        return pairs;
    }

    @Override
    public long maxCount() {
        return maxCount;
    }

    /** What was chosen for this filter. */
    public CuckooShape shape() {
        return buckets.shape();
    }

    /** Slots in use: hashes that could be told apart when they were inserted. */
    public long occupied() {
        return occupied;
    }

    /** Share of the slots that are in use. */
    public double load() {
        return (double) occupied / shape().slots();
    }

    /**
     * Probability that an absent hash is reported, now. O(1) if all hashes were merged; O(slots) if
     * some were inserted separately, or if the filter was read: then slots that repeat a
     * fingerprint in its buckets, and so report nothing new, have to be counted.
     */
    public double predictedFpp() {
        return CuckooSizing.fpp(shape(), occupied - (mayRepeat ? buckets.repeated() : 0));
    }

    @Override
    public long sizeInBytes() {
        return buckets.words().sizeInBytes() + placement.sizeInBytes();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        CountingCuckooFilterFormat.write(buckets, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static CountingCuckooFilter readFrom(InputStream in, String source, Storage storage)
            throws IOException {
        return CountingCuckooFilterFormat.read(in, source, storage);
    }

    /**
     * Frees memory off the heap now; memory on the heap is the collector's in any case. The filter
     * must not be used afterwards.
     */
    @Override
    public void close() {
        buckets.words().release();
    }

    CuckooBuckets buckets() {
        return buckets;
    }
}
