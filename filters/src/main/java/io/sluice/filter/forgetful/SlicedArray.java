/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import java.util.Arrays;

/**
 * Up to 64 Bloom filters of equal size that share all positions, stored bit-sliced: one small word
 * per position, in it one bit per filter ("plane").
 *
 * <pre>
 *   position   0        1        2        ...      8 planes, 8 positions to a long
 *            76543210 76543210 76543210
 *               |        |        |
 *               +--------+--------+---- plane 4 is one Bloom filter
 * </pre>
 *
 * An id's positions are computed once, and the AND of their words has bit i set iff plane i holds
 * the id (or seems to): a lookup costs the same cache lines whatever the number of planes.
 *
 * <p>A plane is emptied by a linear sweep over the array that is spread over calls of {@link
 * #sweep}: O(1) amortised, no pause. Until it ends the plane is dirty and must be neither read nor
 * written.
 *
 * <p>Words are on the heap. The first {@value #PADDING} are unused: large arrays begin at a
 * multiple of 64 bytes plus a header of 16, and the padding lets logical cache lines be real ones.
 *
 * <p>Not thread-safe.
 */
abstract class SlicedArray {

    /** Unused words at the beginning, see above. */
    static final int PADDING = 6;

    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    final long[] words;
    private final Geometry geometry;

    /** Bit 0 of every position of a word. */
    private final long lanes;

    /** Planes that the sweep under way empties, replicated over all positions of a word. */
    private long sweepingLanes;

    /** Planes that the sweep under way empties; those that wait for the next one. */
    private long sweeping;

    private long waiting;

    /** Next word of the sweep under way. */
    private int cursor;

    SlicedArray(Geometry geometry, long[] words) {
        this.geometry = geometry;
        this.words = words;
        this.lanes = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - geometry.wordBits()));
    }

    static SlicedArray create(Geometry geometry) {
        return of(geometry, new long[PADDING + geometry.words()]);
    }

    private static SlicedArray of(Geometry geometry, long[] padded) {
        return geometry.layout() == Layout.SCATTERED
                ? new ScatteredArray(geometry, padded)
                : new BlockedArray(geometry, padded);
    }

    /** An array with these words, after {@value #PADDING} of padding. Takes the array over. */
    static SlicedArray restore(Geometry geometry, long[] padded) {
        return of(geometry, padded);
    }

    /**
     * The planes of {@code planes} (a bit each) that hold all positions of {@code hash}. Stops
     * early when none is left.
     */
    abstract long probe(long hash, long planes);

    /** Sets all positions of {@code hash} in the given planes. */
    abstract void set(long hash, long planes);

    /** An independent 64-bit hash for every {@code i}, of a hash that is already uniform. */
    static long remix(long hash, int i) {
        long z = hash + i * GOLDEN;
        z = (z ^ (z >>> 32)) * 0xd6e8feb86659fd93L;
        return z ^ (z >>> 32);
    }

    final Geometry geometry() {
        return geometry;
    }

    /** Replicates the planes of a position over all positions of a word. */
    final long inEveryLane(long planes) {
        return lanes * planes;
    }

    /** Planes that are not empty yet although they were retired. */
    final long dirty() {
        return sweeping | waiting;
    }

    /** Begins to empty {@code planes}. O(1). */
    final void retire(long planes) {
        waiting |= planes;
        if (sweeping == 0) {
            beginSweep();
        }
    }

    private void beginSweep() {
        sweeping = waiting;
        sweepingLanes = inEveryLane(sweeping);
        waiting = 0;
        cursor = PADDING;
    }

    /**
     * Empties retired planes in the next {@code count} words. A plane that was retired while a
     * sweep was under way waits for the next one.
     */
    final void sweep(int count) {
        for (int left = count; left > 0 && sweeping != 0; ) {
            int end = Math.min(words.length, left + cursor);
            left -= end - cursor;
            long keep = ~sweepingLanes;
            for (int i = cursor; i < end; i++) {
                words[i] &= keep;
            }
            cursor = end;
            if (end == words.length) {
                beginSweep();
            }
        }
    }

    /** Empties all retired planes now: O(size), at most twice. */
    final void finishSweep() {
        while (sweeping != 0) {
            sweep(words.length);
        }
    }

    /** Empties everything at once. */
    final void clear() {
        Arrays.fill(words, 0);
        sweeping = 0;
        waiting = 0;
    }

    /**
     * Estimates the probability that all positions of an absent id are set in all of {@code
     * planes}, from the bits that are set, in a sample of at most {@code maxLines} cache lines
     * spread over the array; exact for its content if the array is not larger.
     */
    abstract double measuredFpp(long planes, int maxLines);

    /** Positions of a cache line whose bits are set in all of {@code planes}. */
    final int passing(long planes, int line) {
        int from = PADDING + line * Geometry.LINE_WORDS;
        int passing = 0;
        for (int i = from; i < from + Geometry.LINE_WORDS; i++) {
            long all = lanes;
            for (long left = planes; left != 0; left &= left - 1) {
                all &= words[i] >>> Long.numberOfTrailingZeros(left);
            }
            passing += Long.bitCount(all);
        }
        return passing;
    }

    /** Number of cache lines. */
    final int lineCount() {
        return (words.length - PADDING) / Geometry.LINE_WORDS;
    }

    final long sizeInBytes() {
        return geometry.bytes() + PADDING * Long.BYTES;
    }
}
