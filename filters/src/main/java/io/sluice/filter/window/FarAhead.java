/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

/**
 * Keeps ids whose timestamps are far ahead of the clock out of the slices of the others. A slice
 * lasts as long as its latest id, so one wild timestamp would hold all that share its slice: ids
 * that come again after their window would be taken for duplicates.
 *
 * <p>Far ahead is more than the window. Such ids go to an array of their own, which begins small,
 * and which is read, stored and forgotten like the arrays that the current one has replaced. A
 * slice of it is closed before the clock comes near its ids, if a plane is free, so these ids are
 * held longer than the window, by some {@link WindowOptions#maxFutureMillis} at most.
 *
 * <p>Where most ids are far ahead, as when a watermark trails by more than the window, that is the
 * pace of the stream: then they are the ones that go to the current array, whose slices turn with
 * the clock. A burst that is shorter than a slice changes nothing.
 *
 * <p>Not thread-safe.
 */
final class FarAhead {

    /** Which side most ids are on is decided anew after that many, or a slice full. */
    private static final long SURVEYED = 256;

    private final SegmentAllocator allocator;
    private final HeldSegments held;

    private long surveyed;
    private long surveyedAhead;
    private boolean mostAre;

    /** The clock and the memory that was left when there was no room for another array. */
    private long refusedAt = Long.MIN_VALUE;

    private long refusedWith;

    FarAhead(SegmentAllocator allocator, HeldSegments held) {
        this.allocator = allocator;
        this.held = held;
    }

    /** Counts an id, and says whether it has to be kept apart. */
    boolean takes(long timestamp, long clock, WindowOptions options) {
        boolean ahead = clock != Long.MIN_VALUE && timestamp > near(clock, options);
        surveyedAhead += ahead ? 1 : 0;
        if (++surveyed >= Math.max(SURVEYED, held.current().sliceCapacity)) {
            mostAre = surveyedAhead > surveyed / 2;
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
     * @return false if there is no room for it; nothing was recorded
     */
    boolean insert(long hash, long timestamp, long clock, WindowOptions options) {
        Segment ahead = held.ahead(clock, options);
        if (ahead != null && hasSlice(ahead, clock, options) && inserted(ahead, hash, timestamp)) {
            return true;
        }
        Segment next = create(ahead, clock, options);
        if (next == null) {
            return false;
        }
        held.installAhead(next);
        return inserted(next, hash, timestamp);
    }

    /** As {@link #insert}, for an id that is held, perhaps not for as long. */
    boolean renew(long hash, long timestamp, long clock, WindowOptions options) {
        Segment ahead = held.ahead(clock, options);
        if (ahead != null
                && hasSlice(ahead, clock, options)
                && ahead.array.holdsIn(hash, 1L << ahead.generations.active())) {
            ahead.extend(timestamp, Long.MIN_VALUE);
            return true;
        }
        return held.holdsSince(hash, timestamp) || insert(hash, timestamp, clock, options);
    }

    /** The clock is left out: what is forgotten here says nothing about ids that were not ahead. */
    private static boolean inserted(Segment ahead, long hash, long timestamp) {
        return ahead.insert(hash, timestamp, Long.MIN_VALUE);
    }

    /**
     * Whether the active slice takes another id. Opens the next one when it is full, or when the
     * clock is within half a window of its earliest id.
     */
    private static boolean hasSlice(Segment ahead, long clock, WindowOptions options) {
        Generations generations = ahead.generations;
        boolean full = generations.activeIds() >= ahead.sliceCapacity;
        long soon = Times.plus(clock, options.windowMillis() / 2);
        if (!full && generations.begin(generations.active()) > soon) {
            return true;
        }
        if (ahead.free() == 0) {
            ahead.array.finishSweep();
        }
        long free = ahead.free();
        if (free != 0) {
            ahead.open(Long.numberOfTrailingZeros(free));
            return true;
        }
        return !full;
    }

    /**
     * A small array, or one for twice the ids of the last; null if there are too many, or the
     * budget does not grant it. After a refusal, the budget is asked again when something changed.
     */
    private Segment create(Segment last, long clock, WindowOptions options) {
        if (!held.mayAddAhead() || (clock == refusedAt && allocator.available() == refusedWith)) {
            return null;
        }
        double small = SegmentAllocator.smallIds(options);
        double ids = last == null ? small : Math.max(small, 2.0 * last.generations.idsHeld());
        double least = Math.min(small, SegmentAllocator.MIN_IDS);
        Segment created = allocator.tryCreateAtMost(options, held.readBesides(), ids, least);
        if (created == null) {
            refusedAt = clock;
            refusedWith = allocator.available();
        }
        return created;
    }
}
