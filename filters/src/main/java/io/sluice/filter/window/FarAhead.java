/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

/**
 * Keeps ids whose timestamps are far ahead of the clock out of the slices of the others. A slice
 * lasts as long as its latest id, so one wild timestamp would hold all that share its slice: ids
 * that come again after their window would be taken for duplicates.
 *
 * <p>Far ahead is more than the window. Such ids go to an array of their own, which begins small,
 * and which is read, stored and forgotten like the arrays that the current one has replaced. A
 * slice of it is closed before the clock comes near its ids, so an id is held for at most {@link
 * WindowOptions#maxFutureMillis} longer than the window after its time.
 *
 * <p>Where most ids are far ahead, as when a watermark trails by more than the window, that is the
 * pace of the stream: then they are the ones that go to the current array, whose slices turn with
 * the clock.
 *
 * <p>Not in snapshots: after a restore, the next id far ahead begins another array. Not
 * thread-safe.
 */
final class FarAhead {

    /** Which side most ids are on is decided anew after that many. */
    private static final int SURVEYED = 256;

    private final SegmentAllocator allocator;
    private final HeldSegments held;

    private int surveyed;
    private int surveyedAhead;
    private boolean mostAre;

    FarAhead(SegmentAllocator allocator, HeldSegments held) {
        this.allocator = allocator;
        this.held = held;
    }

    /** Counts an id, and says whether it has to be kept apart. */
    boolean takes(long timestamp, long clock, WindowOptions options) {
        boolean ahead = clock != Long.MIN_VALUE && timestamp > near(clock, options);
        surveyedAhead += ahead ? 1 : 0;
        if (++surveyed == SURVEYED) {
            mostAre = surveyedAhead > SURVEYED / 2;
            surveyed = 0;
            surveyedAhead = 0;
        }
        return ahead && !mostAre;
    }

    /** The latest time that is not far ahead. */
    static long near(long clock, WindowOptions options) {
        return Times.plus(clock, options.windowMillis());
    }

    /**
     * Records an id.
     *
     * @return false if the budget has no room for it; nothing was recorded
     */
    boolean insert(long hash, long timestamp, long clock, WindowOptions options) {
        Segment ahead = held.ahead();
        if (ahead != null && hasSlice(ahead, clock, options) && inserted(ahead, hash, timestamp)) {
            return true;
        }
        Segment next = held.mayReplace() ? create(ahead, options) : null;
        if (next == null) {
            return false;
        }
        held.installAhead(next);
        return inserted(next, hash, timestamp);
    }

    /** As {@link #insert}, for an id that is held, perhaps not for as long. */
    boolean renew(long hash, long timestamp, long clock, WindowOptions options) {
        Segment ahead = held.ahead();
        if (ahead != null && ahead.array.holdsIn(hash, 1L << ahead.generations.active())) {
            ahead.extend(timestamp, Long.MIN_VALUE);
            return true;
        }
        return held.holdsSince(hash, timestamp) || insert(hash, timestamp, clock, options);
    }

    /** The clock is left out: what is forgotten here says nothing about ids that were not ahead. */
    private static boolean inserted(Segment ahead, long hash, long timestamp) {
        return ahead.insert(hash, timestamp, Long.MIN_VALUE);
    }

    /** Whether the active slice takes another id; opens the next one if that is necessary. */
    private static boolean hasSlice(Segment ahead, long clock, WindowOptions options) {
        Generations generations = ahead.generations;
        if (generations.activeIds() < ahead.sliceCapacity
                && generations.begin(generations.active()) > near(clock, options)) {
            return true;
        }
        if (ahead.free() == 0) {
            ahead.array.finishSweep();
        }
        long free = ahead.free();
        if (free == 0) {
            return false;
        }
        ahead.open(Long.numberOfTrailingZeros(free));
        return true;
    }

    /** A small array, or twice the last one; null if the budget does not grant it. */
    private Segment create(Segment last, WindowOptions options) {
        double small = SegmentAllocator.smallIds(options);
        double ids = last == null ? small : 2 * last.windowCapacity();
        double least = Math.min(small, SegmentAllocator.MIN_IDS);
        return allocator.tryCreateAtMost(options, held.readBesides(), ids, least);
    }
}
