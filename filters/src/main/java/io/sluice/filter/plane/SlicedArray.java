/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Touches;
import java.io.IOException;

/**
 * Up to 64 Bloom filters of equal size that share all positions, stored bit-sliced: one small word
 * per position, with one bit per filter ("plane").
 *
 * <pre>
 *   position   0        1        2        ...      8 planes, 8 positions to a long
 *            76543210 76543210 76543210
 *               |        |        |
 *               +--------+--------+---- plane 4 is one Bloom filter
 * </pre>
 *
 * An id's positions are computed once, and the AND of their words has bit i set iff plane i holds
 * the id (or seems to): a lookup costs the same cache lines for any number of planes.
 *
 * <p>Not thread-safe.
 *
 * <p>Internal: public for the filters that are made of planes.
 */
public abstract class SlicedArray extends PlaneArray {

    /** Bit 0 of every position of a word. */
    private final long lanes;

    SlicedArray(Geometry geometry, long[] words) {
        super(geometry, words);
        this.lanes = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - geometry.wordBits()));
    }

    /** As {@link PlaneArray#create}, for a layout of Bloom filters. */
    public static SlicedArray create(Geometry geometry) {
        return (SlicedArray) PlaneArray.create(geometry);
    }

    /** As {@link PlaneArray#read}, for a layout of Bloom filters. */
    public static SlicedArray read(Geometry geometry, FilterReader reader) throws IOException {
        return (SlicedArray) PlaneArray.read(geometry, reader);
    }

    /**
     * The planes among {@code planes} (a bit each) that hold all positions of {@code hash}. Stops
     * early when none is left.
     */
    public abstract long probe(long hash, long planes);

    /** Puts {@code hash} into {@code planes}. */
    public abstract void add(long hash, long planes);

    /** Notes the words of {@link #probe} and {@link #add}. */
    abstract void touch(long hash, Touches into);

    @Override
    public final boolean holds(long hash, long epoch, long planes) {
        return planes != 0 && probe(of(hash, epoch), planes) != 0;
    }

    @Override
    public final boolean set(long hash, long epoch, long plane) {
        add(of(hash, epoch), plane);
        return true;
    }

    @Override
    public final void touch(long hash, long epoch, Touches into) {
        touch(of(hash, epoch), into);
    }

    /** An id has other positions in each epoch. */
    private static long of(long hash, long epoch) {
        return Hashing.combine(hash, epoch);
    }

    @Override
    public final boolean holdsOnly(long planes) {
        long others = ~inEveryLane(planes);
        for (int i = PADDING; i < words.length; i++) {
            if ((words[i] & others) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Replicates the planes of a position over all positions of a word. */
    public final long inEveryLane(long planes) {
        return lanes * planes;
    }

    @Override
    final void erase(int from, int to, long planes) {
        long keep = ~inEveryLane(planes);
        for (int i = from; i < to; i++) {
            words[i] &= keep;
        }
    }

    /** Positions whose bits are set in all of {@code planes}. O(size). */
    public final long passing(long planes) {
        long passing = 0;
        for (int line = 0; line < lineCount(); line++) {
            passing += passing(planes, line);
        }
        return passing;
    }

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
}
