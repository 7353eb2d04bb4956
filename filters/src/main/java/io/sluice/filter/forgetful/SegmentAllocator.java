/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.PlaneSizing;
import java.util.List;

/**
 * Decides how large the arrays of a {@link ForgetfulFilter} are and how much of the promised
 * probability each may spend, and takes their memory from the budget.
 */
final class SegmentAllocator {

    /**
     * A filter that was idle for a window is small, and one whose budget may not suffice begins
     * small: hundreds of filters, one per key group, are normal.
     */
    static final long SMALL_IDS_PER_WINDOW = 512;

    /**
     * An array larger than expected is made for at most this many times the ids that came. The rate
     * alone may be that of catching up with a backlog, and filters that share a budget would take
     * it from each other for ids that never come.
     */
    private static final double MAX_PER_ID = 8;

    /**
     * Where the budget does not have what all filters expect, an array is made for at most this
     * many times the ids that came. Otherwise filters would use up the budget for ids that never
     * come, and checkpoints would carry it. Higher means fewer arrays on the way to what is
     * expected.
     */
    private static final double MAX_EXPECTED_PER_ID = 64;

    /**
     * A plan is dropped in favour of the measured rate when that is this many times as high. Below
     * that, the measurement may only reflect the first moments, and growing once more costs less
     * than holding the memory for ever.
     */
    private static final double WRONG = 2;

    /** Factor to the next plan when the budget does not grant one. */
    private static final double SMALLER = 0.95;

    /** A filter for which there is no memory begins with room for this many ids in a window. */
    static final double MIN_IDS = 32;

    /** A measured rate is planned for with this reserve. */
    private static final double HEADROOM = 1.25;

    /**
     * Share of the requested probability that a small array may spend. Being strict with it costs
     * little, and what it spends is not available to the array that follows.
     */
    private static final double SMALL_ARRAY_SHARE = 1.0 / 16;

    /** Share that an array may spend of the probability that earlier ones left. */
    static final double SHARE_OF_THE_REST = 0.75;

    /** Share that an array may always spend, even if options became stricter. */
    private static final double MIN_SHARE = 1.0 / 64;

    /** An array is rounded up to whole lines. */
    private static final double NEARLY = 0.98;

    private final MemoryBudget.Claim budget;

    SegmentAllocator(MemoryBudget.Claim budget) {
        this.budget = budget;
    }

    /** Bytes that the budget would grant now. */
    long available() {
        return budget.available();
    }

    /** Ids per window that a small array is made for. */
    static double smallIds(WindowOptions options) {
        return Math.min(options.expectedPerWindow(), SMALL_IDS_PER_WINDOW);
    }

    /**
     * The first array of a filter: for {@code ids} per window, or for as many as the budget grants.
     * A small one may exceed the budget: the caller decides whether there may be a filter at all.
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
        return Segment.bytes(geometry(options, share(options, List.of(), least), capacity(least)));
    }

    /** An array for {@code ids} per window, beyond the budget if need be. */
    Segment createBeyondBudget(WindowOptions options, List<Segment> others, double ids) {
        double share = share(options, others, ids);
        Geometry geometry = geometry(options, share, capacity(ids));
        Segment segment =
                Segment.create(geometry, capacity(ids), share, Segment.Role.MAIN, slice(options));
        budget.reserve(segment.bytes());
        return segment;
    }

    /**
     * Bytes of a filter's array when it is made for {@code ids} per window at once, even if no
     * array can be that large.
     */
    static long neededBytes(WindowOptions options, double ids) {
        double share = share(options, List.of(), ids);
        if (capacity(ids) <= PlaneSizing.maxIds(options.layout(), share)) {
            return Segment.bytes(geometry(options, share, capacity(ids)));
        }
        double bytes = PlaneSizing.bytes(options.layout(), share, ids * WindowSizing.SPARE);
        // In JavaScript, where the calculator runs, a cast of more than a long holds wraps around.
        return bytes >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) bytes;
    }

    /**
     * An array for {@code ids} per window or, if that is too large, for fewer, down to {@code
     * least}; null if the budget grants none.
     *
     * @param others the arrays that are read in addition
     */
    Segment tryCreateAtMost(WindowOptions options, List<Segment> others, double ids, double least) {
        return tryCreateAtMost(options, others, ids, least, Segment.Role.MAIN);
    }

    /** As the other, for ids of another role. */
    Segment tryCreateAtMost(
            WindowOptions options,
            List<Segment> others,
            double ids,
            double least,
            Segment.Role role) {
        double share = share(options, others, ids);
        double granted = WindowSizing.idsPerWindow(options.layout(), share, budget.available());
        for (double plan = Math.min(ids, granted); plan >= least; plan *= SMALLER) {
            Segment segment = tryCreate(options, others, plan, role);
            if (segment != null) {
                return segment;
            }
        }
        return null;
    }

    /**
     * An array for {@code idsPerWindow}, or for as many as one array can hold; null if the budget
     * does not grant it, or the heap has no room for it.
     */
    Segment tryCreate(WindowOptions options, List<Segment> others, double idsPerWindow) {
        return tryCreate(options, others, idsPerWindow, Segment.Role.MAIN);
    }

    private Segment tryCreate(
            WindowOptions options, List<Segment> others, double idsPerWindow, Segment.Role role) {
        double share = share(options, others, idsPerWindow);
        long capacity =
                Math.min(capacity(idsPerWindow), PlaneSizing.maxIds(options.layout(), share));
        Geometry geometry = geometry(options, share, capacity);
        if (!budget.tryReserve(Segment.bytes(geometry))) {
            return null;
        }
        Segment segment = null;
        try {
            segment = Segment.create(geometry, capacity, share, role, slice(options));
        } catch (OutOfMemoryError e) {
            // A failed allocation of one array leaves the heap as it was. The caller goes on
            // without it, as if the budget had refused it, and counts that.
            return null;
        } finally {
            if (segment == null) {
                budget.release(Segment.bytes(geometry));
            }
        }
        return segment;
    }

    /** Ids per window of an array of {@code bytes} that is read beside a large one. */
    static double besideAnother(WindowOptions options, long bytes) {
        double share = SHARE_OF_THE_REST * (1 - SHARE_OF_THE_REST) * options.fpp();
        long array = bytes - Segment.OVERHEAD_BYTES;
        return NEARLY * WindowSizing.idsPerWindow(options.layout(), share, array);
    }

    private static Geometry geometry(WindowOptions options, double share, long capacity) {
        return PlaneSizing.geometry(options.layout(), share, capacity);
    }

    private static long capacity(double idsPerWindow) {
        return WindowSizing.capacity(idsPerWindow);
    }

    private static long slice(WindowOptions options) {
        return WindowSizing.sliceMillis(options.windowMillis());
    }

    /**
     * The probability that a new array is sized for. Every array that is read adds its own
     * probability to the filter's, so each may spend only a part of what earlier ones left.
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
     * @param held ids that are held
     * @param elapsed the ms between the first and the last of them; 0 or less if that is not known
     */
    double plannedIds(WindowOptions options, double capacity, long held, double elapsed) {
        double expected = (double) options.expectedPerWindow();
        if (neededBytes(options, expected) > budget.fairPart()) {
            expected = Math.min(expected, MAX_EXPECTED_PER_ID * held);
        }
        double plan = Math.max(2 * capacity, expected);
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
