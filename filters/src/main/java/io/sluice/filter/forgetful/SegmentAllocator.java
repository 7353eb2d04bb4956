/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import java.util.List;

/**
 * Decides how large the arrays of a {@link WindowedFilter} are and how much of the promised
 * probability each may spend, and takes their memory from the budget.
 */
final class SegmentAllocator {

    /**
     * A filter that was idle for a window is small, and one whose budget may not suffice begins so:
     * hundreds of them, one per key group, are normal.
     */
    static final long SMALL_IDS_PER_WINDOW = 512;

    /**
     * An array beyond what was expected is made for at most so many times the ids that came. The
     * rate alone may be that of a backlog that is caught up with, and filters that share a budget
     * would take it from each other for ids that never come.
     */
    private static final double MAX_PER_ID = 8;

    /**
     * A plan is given up for a measured rate when that is so many times as high. Between, the
     * measurement is of a first moment, and growing once more costs less than memory for ever.
     */
    private static final double WRONG = 2;

    /** The next plan when the budget does not grant one. */
    private static final double SMALLER = 0.95;

    /** A filter for which there is no memory begins with room for this many ids in a window. */
    private static final double MIN_IDS = 32;

    /** A measured rate is planned for with this reserve. */
    private static final double HEADROOM = 1.25;

    /**
     * What a small array may spend of the asked probability. It costs little to be strict with it,
     * and what it spends is missing to the array that follows.
     */
    private static final double SMALL_ARRAY_SHARE = 1.0 / 16;

    /** What an array may spend of the probability that those before it left. */
    static final double SHARE_OF_THE_REST = 0.75;

    /** What an array may spend at least, also if options became stricter. */
    private static final double MIN_SHARE = 1.0 / 64;

    private final MemoryBudget.Claim budget;

    SegmentAllocator(MemoryBudget.Claim budget) {
        this.budget = budget;
    }

    /** Ids per window that a small array is made for. */
    static double smallIds(WindowOptions options) {
        return Math.min(options.expectedPerWindow(), SMALL_IDS_PER_WINDOW);
    }

    /**
     * The first array of a filter: for {@code ids} per window, or for as many as the budget grants.
     * A small one may exceed the budget: it is for the caller to decide whether a filter may be.
     */
    Segment createFirst(WindowOptions options, double ids) {
        double small = smallIds(options);
        Segment first = tryCreateAtMost(options, List.of(), Math.max(small, ids), small);
        if (first != null) {
            return first;
        }
        double least = Math.min(small, MIN_IDS);
        first = tryCreateAtMost(options, List.of(), small, least);
        return first != null ? first : createBeyondBudget(options, List.of(), least);
    }

    /** The smallest array that a filter begins with. */
    static long leastBytes(WindowOptions options) {
        double least = Math.min(smallIds(options), MIN_IDS);
        return Segment.bytes(
                geometry(options, share(options, List.of(), least), sliceCapacity(least)));
    }

    /** An array for that many ids per window, beyond the budget if need be. */
    Segment createBeyondBudget(WindowOptions options, List<Segment> others, double ids) {
        double share = share(options, others, ids);
        Geometry geometry = geometry(options, share, sliceCapacity(ids));
        Segment segment = Segment.create(geometry, sliceCapacity(ids), share);
        budget.reserve(segment.bytes());
        return segment;
    }

    /**
     * Bytes of a filter's array when it is made for {@code ids} per window at once; also where no
     * array can be that large.
     */
    static long neededBytes(WindowOptions options, double ids) {
        double share = share(options, List.of(), ids);
        if (sliceCapacity(ids) <= WindowSizing.maxSliceCapacity(options.layout(), share)) {
            return Segment.bytes(geometry(options, share, sliceCapacity(ids)));
        }
        double slice = ids / WindowSizing.SLICES_PER_WINDOW;
        return (long) WindowSizing.bytes(options.layout(), share, slice);
    }

    /**
     * An array for {@code ids} per window or, if that is too large, for fewer, down to {@code
     * least}; null if the budget grants none.
     *
     * @param others the arrays that are read besides
     */
    Segment tryCreateAtMost(WindowOptions options, List<Segment> others, double ids, double least) {
        double share = share(options, others, ids);
        double granted = WindowSizing.idsPerWindow(options.layout(), share, budget.available());
        for (double plan = Math.min(ids, granted); plan >= least; plan *= SMALLER) {
            Segment segment = tryCreate(options, others, plan);
            if (segment != null) {
                return segment;
            }
        }
        return null;
    }

    /**
     * An array for {@code idsPerWindow}, or for as many as one array can have; null if the budget
     * does not grant it, or the heap has no room for it.
     */
    Segment tryCreate(WindowOptions options, List<Segment> others, double idsPerWindow) {
        double share = share(options, others, idsPerWindow);
        long sliceCapacity =
                Math.min(
                        sliceCapacity(idsPerWindow),
                        WindowSizing.maxSliceCapacity(options.layout(), share));
        Geometry geometry = geometry(options, share, sliceCapacity);
        if (!budget.tryReserve(Segment.bytes(geometry))) {
            return null;
        }
        Segment segment = null;
        try {
            segment = Segment.create(geometry, sliceCapacity, share);
        } catch (OutOfMemoryError e) {
            // One array that the heap has no room for leaves the heap as it was. The caller goes on
            // without it, as if the budget had refused it, and counts that.
            return null;
        } finally {
            if (segment == null) {
                budget.release(Segment.bytes(geometry));
            }
        }
        return segment;
    }

    private static Geometry geometry(WindowOptions options, double share, long sliceCapacity) {
        return WindowSizing.geometry(options.layout(), share, sliceCapacity);
    }

    private static long sliceCapacity(double idsPerWindow) {
        return WindowSizing.sliceCapacity(idsPerWindow);
    }

    /**
     * The probability that a new array is sized for. Every array that is read adds its own to what
     * the filter promises, so each may spend only a part of what those before it left.
     */
    private static double share(WindowOptions options, List<Segment> others, double idsPerWindow) {
        double left = options.fpp();
        for (Segment segment : others) {
            left -= segment.fpp;
        }
        double share = Math.max(SHARE_OF_THE_REST * left, MIN_SHARE * options.fpp());
        return idsPerWindow <= SMALL_IDS_PER_WINDOW
                ? Math.min(share, SMALL_ARRAY_SHARE * options.fpp())
                : share;
    }

    /**
     * Ids per window to plan for when an array is full.
     *
     * @param capacity what the full array was made for
     * @param held ids that came since the filter got busy
     * @param elapsed for so many ms; 0 or less if that is not known
     */
    static double plannedIds(WindowOptions options, double capacity, long held, double elapsed) {
        double plan = Math.max(2 * capacity, (double) options.expectedPerWindow());
        if (elapsed <= 0) {
            return plan;
        }
        double window = options.windowMillis();
        double measured = HEADROOM * held * window / Math.min(elapsed, window);
        return measured > WRONG * plan
                ? Math.max(plan, Math.min(measured, MAX_PER_ID * held))
                : plan;
    }
}
