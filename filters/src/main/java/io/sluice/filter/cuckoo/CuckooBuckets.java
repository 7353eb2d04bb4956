/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;

/**
 * The slots of a cuckoo filter: where their bits lie, and which two buckets a fingerprint belongs
 * to. Bucket b is 4 (f + c) bits from bit b * 4 (f + c), low bits first:
 *
 * <pre>
 *   | fingerprint 0 | 1 | 2 | 3 | counter 0 | 1 | 2 | 3 |
 *       f bits each                c bits each
 *
 *   empty slot:  fingerprint 0 and counter 0
 *   never:       one of them 0 and the other not
 * </pre>
 *
 * <p>Fingerprints lie side by side, so that all four are compared with one at once: as lanes of one
 * word if f is at most 16, else of two. Which slots answered comes back as a <b>slot set</b>: a
 * word with one bit for each slot, in places that only {@link #firstOf} knows.
 *
 * <p><b>Alternate bucket.</b> b' = (h(x) - b) mod m with m even and h(x) odd, for fingerprint x.
 * Applied twice it gives b again, for any even m and not only for powers of two; and since 2 b is
 * even and h(x) odd, b' is never b. (The paper's b XOR h(x) needs a power of two, and keeps a
 * fingerprint with h(x) = 0 in one bucket.)
 *
 * <p>Not thread-safe.
 */
final class CuckooBuckets {

    /** Odd constants of the finalizer of SplitMix64. */
    private static final long MIX_1 = 0xbf58476d1ce4e5b9L;

    private static final long MIX_2 = 0x94d049bb133111ebL;

    private final CuckooShape shape;
    private final Words words;
    private final long buckets;
    private final long halfBuckets;
    private final int bucketBits;
    private final long fingerprintBits;
    private final long counterBits;
    private final int countersAt;
    private final long fingerprintMask;
    private final long counterMask;

    /** Whether fingerprints are compared in two words of two lanes. */
    private final boolean wide;

    /** Whether the fingerprints of a bucket always lie in one word. */
    private final boolean oneWord;

    /** Bits of the lanes that are compared at once. */
    private final int lanesBits;

    /** The lowest and the highest bit of every lane, and all bits of a lane but the highest. */
    private final long lowest;

    private final long highest;
    private final long others;

    /** By place in a slot set. */
    private final byte[] slotAt = new byte[Long.SIZE];

    CuckooBuckets(CuckooShape shape, Words words) {
        this.shape = shape;
        this.words = words;
        buckets = shape.buckets();
        halfBuckets = buckets / 2;
        bucketBits = shape.bucketBits();
        fingerprintBits = shape.fingerprintBits();
        counterBits = shape.counterBits();
        countersAt = CuckooShape.SLOTS * shape.fingerprintBits();
        fingerprintMask = mask(shape.fingerprintBits());
        counterMask = mask(shape.counterBits());
        wide = fingerprintBits > Short.SIZE;
        int lanes = wide ? CuckooShape.SLOTS / 2 : CuckooShape.SLOTS;
        lanesBits = lanes * shape.fingerprintBits();
        oneWord = !wide && (bucketBits % Long.SIZE == 0 || Long.SIZE % bucketBits == 0);
        long ones = 0;
        for (int lane = 0; lane < lanes; lane++) {
            ones |= 1L << (lane * fingerprintBits);
        }
        lowest = ones;
        highest = ones << (fingerprintBits - 1);
        others = mask(lanesBits) & ~highest;
        for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
            int lane = slot % lanes;
            int second = slot / lanes;
            slotAt[(lane + 1) * shape.fingerprintBits() - 1 - second] = (byte) slot;
        }
    }

    static CuckooBuckets create(CuckooShape shape, Storage storage) {
        return new CuckooBuckets(shape, Words.allocate(storage, shape.words()));
    }

    CuckooBuckets copy() {
        return new CuckooBuckets(shape, words.copy());
    }

    CuckooShape shape() {
        return shape;
    }

    Words words() {
        return words;
    }

    private static long mask(int bits) {
        return -1L >>> (Long.SIZE - bits);
    }

    /** The fingerprint of a mixed hash, from its low half: 1 to 2^f - 1, all equally likely. */
    long fingerprintOf(long hash) {
        return 1 + (((hash & 0xffffffffL) * fingerprintMask) >>> 32);
    }

    /** The first bucket of a mixed hash, from its high half. */
    long bucketOf(long hash) {
        return ((hash >>> 32) * buckets) >>> 32;
    }

    /**
     * The other bucket that {@code fingerprint} may lie in if it lies in {@code bucket}.
     *
     * <p>With a single multiplication nearly h(x) + h(y) = h(x + y): after several moves only few
     * different buckets could be reached, and there would be no room although many are not full.
     */
    long alternate(long bucket, long fingerprint) {
        long x = fingerprint * MIX_1;
        x = (x ^ (x >>> 32)) * MIX_2;
        long odd = (((x >>> 32) * halfBuckets) >>> 31) | 1;
        long difference = odd - bucket;
        // Adds m exactly if the difference is negative.
        return difference + (buckets & (difference >> 63));
    }

    /** {@code fingerprint} in every lane: what {@link #slotsWith} wants. */
    long inEveryLane(long fingerprint) {
        return fingerprint * lowest;
    }

    /** The slots of {@code bucket} that hold the fingerprint of {@code pattern}. */
    long slotsWith(long bucket, long pattern) {
        long bit = bucket * bucketBits;
        long first = zeroLanes(lanes(bit) ^ pattern);
        // A lane has at least 4 bits, and two lanes leave their neighbours' places free.
        return wide ? first | (zeroLanes(lanes(bit + lanesBits) ^ pattern) >>> 1) : first;
    }

    /** The slots of {@code bucket} that are empty. */
    long emptySlots(long bucket) {
        return slotsWith(bucket, 0);
    }

    /** The slot of the lowest bit of a slot set that is not empty. */
    int firstOf(long slotSet) {
        return slotAt[Long.numberOfTrailingZeros(slotSet)];
    }

    /**
     * The highest bit of every lane of {@code lanes} that is 0. Exact: adding all ones below the
     * highest bit carries into it if any of them was set, and never out of the lane.
     */
    private long zeroLanes(long lanes) {
        return ~(((lanes & others) + others) | lanes) & highest;
    }

    /**
     * The lanes from {@code bit}. The second word is the one of the last bit, so that no word
     * outside is touched; if it is the first one too, what it adds lies above the lanes.
     */
    private long lanes(long bit) {
        long first = words.get(bit >>> 6);
        if (oneWord) {
            return first >>> bit;
        }
        long last = words.get((bit + lanesBits - 1) >>> 6);
        return (first >>> bit) | (last << -bit);
    }

    long fingerprint(long bucket, int slot) {
        return read(bucket * bucketBits + slot * fingerprintBits, fingerprintBits)
                & fingerprintMask;
    }

    long count(long bucket, int slot) {
        return read(counterBit(bucket, slot), counterBits) & counterMask;
    }

    void setCount(long bucket, int slot, long count) {
        write(counterBit(bucket, slot), counterBits, counterMask, count);
    }

    /** Overwrites a slot. */
    void put(long bucket, int slot, long fingerprint, long count) {
        write(
                bucket * bucketBits + slot * fingerprintBits,
                fingerprintBits,
                fingerprintMask,
                fingerprint);
        setCount(bucket, slot, count);
    }

    void clear(long bucket, int slot) {
        put(bucket, slot, 0, 0);
    }

    private long counterBit(long bucket, int slot) {
        return bucket * bucketBits + countersAt + slot * counterBits;
    }

    /** As {@link #lanes}; bits above {@code width} are to be masked away. */
    private long read(long bit, long width) {
        long first = words.get(bit >>> 6);
        long last = words.get((bit + width - 1) >>> 6);
        return (first >>> bit) | (last << -bit);
    }

    private void write(long bit, long width, long mask, long value) {
        long index = bit >>> 6;
        int shift = (int) bit & 63;
        words.set(index, (words.get(index) & ~(mask << shift)) | (value << shift));
        int inFirst = Long.SIZE - shift;
        if (width > inFirst) {
            long rest = words.get(index + 1) & ~(mask >>> inFirst);
            words.set(index + 1, rest | (value >>> inFirst));
        }
    }

    /** Slots whose fingerprint an earlier slot of its two buckets holds too. */
    long repeated() {
        long repeated = 0;
        for (long bucket = 0; bucket < buckets; bucket++) {
            for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
                long fingerprint = fingerprint(bucket, slot);
                if (fingerprint != 0 && isRepeated(bucket, slot, fingerprint)) {
                    repeated++;
                }
            }
        }
        return repeated;
    }

    private boolean isRepeated(long bucket, int slot, long fingerprint) {
        for (int before = 0; before < slot; before++) {
            if (fingerprint(bucket, before) == fingerprint) {
                return true;
            }
        }
        long other = alternate(bucket, fingerprint);
        return other < bucket && slotsWith(other, inEveryLane(fingerprint)) != 0;
    }

    /** Whether bits beyond the last bucket are set. */
    boolean hasBitsBehind() {
        long bits = buckets * bucketBits;
        return (bits & 63) != 0 && words.get(bits >>> 6) >>> bits != 0;
    }

    /** Slots in use, counted; or -1 if some slot has a fingerprint and no count, or the reverse. */
    long occupiedIfSound() {
        long used = 0;
        for (long bucket = 0; bucket < buckets; bucket++) {
            for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
                boolean hasFingerprint = fingerprint(bucket, slot) != 0;
                if (hasFingerprint != (count(bucket, slot) != 0)) {
                    return -1;
                }
                used += hasFingerprint ? 1 : 0;
            }
        }
        return used;
    }
}
