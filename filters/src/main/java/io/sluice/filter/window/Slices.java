/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.plane.PlaneSizing;

/**
 * Decides which slice and which array an id of a {@link WindowedFilter} goes to: when the next
 * slice is opened, when a larger or smaller array takes over, and what gives way when the budget
 * grants none. Not thread-safe.
 */
final class Slices {

    /** Shrinks when less than this share was used, in each rotation of more than a window. */
    private static final double OVERSIZED = 0.25;

    /**
     * While the sweep goes on, a slice may exceed its capacity by 1/8. A slice of fewer than 8 ids
     * may not: there the sweep is short enough to be finished at once.
     */
    private static final int SWEEP_RESERVE_SHIFT = 3;

    /** An overfull slice is checked again after 1/32 of its capacity. */
    private static final int STEP_SHIFT = 5;

    /**
     * With fewer ids in a slice, a Bloom filter has too few bits for the formulas of large ones.
     */
    private static final int MIN_STRETCHED = 1 << STEP_SHIFT;

    /** A slice keeps filling while the next one is swept, so this much of the stretch is used. */
    private static final double STRETCH_RESERVE = 0.9;

    private final SegmentAllocator allocator;
    private final HeldSegments held;
    private final MemoryBudget.Claim budget;
    private final FarAhead farAhead;
    private WindowOptions options;

    /** The clock when the first id after an empty time came; unset if none came. */
    private long busySince = Long.MIN_VALUE;

    /** The clock time at which the active slice has had its share of the window. */
    private long rotateAt = Long.MAX_VALUE;

    /** Number of ids in the active slice at which something is to be decided. */
    private long careAt;

    /** Number of ids in the active slice at which the sweep must have ended. */
    private long sweptAt;

    private boolean overfilling;
    private int oversizedRotations;
    private long overflows;
    private long wantedIds;

    Slices(WindowOptions options, MemoryBudget.Claim budget, HeldSegments held) {
        this.options = options;
        this.budget = budget;
        this.allocator = new SegmentAllocator(budget);
        this.held = held;
        this.farAhead = new FarAhead(allocator, held);
    }

    /** The first array, for {@code ids} per window or as many as the budget grants. */
    void begin(double ids, long clock) {
        held.begin(allocator.createFirst(options, ids));
        opened(clock);
    }

    /**
     * Records an id in the active slice, after making room for it if necessary. One that is {@link
     * FarAhead far ahead} goes to another array, or nowhere if that has no room.
     *
     * @throws FilterFullException under {@link OverflowPolicy#FAIL}; no id was recorded
     */
    void insert(long hash, long timestamp, long clock) {
        if (farAhead.takes(timestamp, clock, options)) {
            if (!farAhead.insert(hash, timestamp, clock, options)) {
                refuse(timestamp);
            }
        } else {
            insertIntoActive(hash, timestamp, clock);
        }
    }

    /** For an id far ahead: it is forgotten at once, and nothing that is nearer for it. */
    private void refuse(long timestamp) {
        wantedIds = Math.max(wantedIds, (long) held.current().windowCapacity() + held.ids());
        failIfAsked();
        overflows++;
        held.forgotAhead(timestamp);
    }

    private void insertIntoActive(long hash, long timestamp, long clock) {
        if (held.current().generations.activeIds() >= careAt || clock >= rotateAt) {
            makeRoom(clock);
        }
        if (!held.current().insert(hash, timestamp, clock)) {
            insertIntoFull(hash, timestamp, clock);
        }
        if (overfilling) {
            overflows++;
        }
    }

    /**
     * Makes an id, which is held, last until this timestamp has left the window. It goes into the
     * active slice unless it is there, or in another that lasts as long. Opens the next slice when
     * its time has come: otherwise one in which ids are only renewed would last for ever, and with
     * it those that came once.
     *
     * @throws FilterFullException as {@link #insert}
     */
    void renew(long hash, long timestamp, long clock) {
        if (farAhead.takes(timestamp, clock, options)) {
            if (!farAhead.renew(hash, timestamp, clock, options)) {
                refuse(timestamp);
            }
            return;
        }
        if (clock >= rotateAt) {
            makeRoom(clock);
        }
        Segment current = held.current();
        Generations generations = current.generations;
        if (current.array.holdsIn(hash, 1L << generations.active())) {
            current.extend(timestamp, clock);
        } else if (!current.array.holdsIn(hash, generations.since(timestamp))) {
            insertIntoActive(hash, timestamp, clock);
        }
    }

    /**
     * For an id none of whose lines has room, although its slice may have: the table is full, or
     * small.
     */
    private void insertIntoFull(long hash, long timestamp, long clock) {
        do {
            if (held.current().array.dirty() != 0) {
                held.current().array.finishSweep();
            } else if (!grown(clock)) {
                failIfAsked();
                overflows += held.forgetOldest(clock == Long.MIN_VALUE);
                if (held.current().generations.idsHeld() == 0) {
                    opened(clock);
                }
            }
        } while (!held.current().insert(hash, timestamp, clock));
    }

    /**
     * The active slice is full, or has had its share of time: opens the next one if possible. The
     * sweep goes on with the ids that come; when fewer come than the array was made for, it is
     * finished here, once a slice, or the slice and all of its ids would last on and on.
     */
    private void makeRoom(long clock) {
        Segment current = held.current();
        Generations generations = current.generations;
        if (generations.activeIds() == 0) {
            opened(clock);
            return;
        }
        boolean full = generations.activeIds() >= current.sliceCapacity;
        if (current.free() == 0 && current.array.dirty() != 0 && (full || clock >= rotateAt)) {
            long active = generations.activeIds();
            if (full && active < sweptAt) {
                careAt = Math.min(sweptAt, active + step(current));
                return;
            }
            current.array.finishSweep();
        }
        if (current.free() != 0) {
            if (!replacedOutdated(clock) && !shrunk(clock)) {
                open(current, clock);
            }
        } else if (full) {
            growOrOverflow(clock);
        } else {
            rotateAt = Times.plus(clock, Math.max(1, sliceMillis() / 8));
        }
    }

    private void growOrOverflow(long clock) {
        if (grown(clock)) {
            return;
        }
        failIfAsked();
        Segment current = held.current();
        long active = current.generations.activeIds();
        if (active < mostSliceIds(current)) {
            overfilling = true;
            careAt = active + step(current);
        } else {
            forgetOldest(clock);
        }
    }

    /** Most ids in a slice before the filter's error exceeds {@link WindowOptions#maxFpp}. */
    private double mostSliceIds(Segment current) {
        if (current.sliceCapacity < MIN_STRETCHED && !current.array.planesShareRoom()) {
            return current.sliceCapacity;
        }
        double factor = Math.max(1, STRETCH_RESERVE * options.maxFpp() / options.fpp());
        return held.fppMadeFor() <= options.fpp() * (1 + 1e-9)
                ? current.mostSliceIds(current.fpp * factor)
                : current.sliceCapacity;
    }

    private void failIfAsked() {
        if (options.overflow() == OverflowPolicy.FAIL) {
            overflows++;
            throw new FilterFullException(
                    "no room for another id: "
                            + held.ids()
                            + " ids are held, and the budget of "
                            + budget.maxBytes()
                            + " bytes has "
                            + budget.available()
                            + " left: give more memory, a shorter window, a higher fpp, or another"
                            + " overflow policy");
        }
    }

    /** Forgets the oldest slices of all arrays until there is room for the next. */
    private void forgetOldest(long clock) {
        boolean byArrival = clock == Long.MIN_VALUE;
        while (!held.older().isEmpty()) {
            int arrays = held.older().size();
            overflows += held.forgetOldest(byArrival);
            if (held.older().size() < arrays && grown(clock)) {
                return;
            }
        }
        overflows += held.forgetOldest(byArrival);
        Segment current = held.current();
        long active = current.generations.activeIds();
        sweptAt = active + sweepReserve(current);
        if (active == 0) {
            opened(clock);
        } else if (active == sweptAt) {
            current.array.finishSweep();
            careAt = active;
            open(current, clock);
        } else {
            careAt = active + step(current);
        }
    }

    /** Opens the next slice, if a plane is free. */
    private void open(Segment current, long clock) {
        long free = current.free();
        if (free != 0) {
            current.open(Long.numberOfTrailingZeros(free));
            opened(clock);
        }
    }

    private static long sweepReserve(Segment segment) {
        return segment.sliceCapacity >>> SWEEP_RESERVE_SHIFT;
    }

    private static long step(Segment segment) {
        return Math.max(1, segment.sliceCapacity >>> STEP_SHIFT);
    }

    /** Makes a larger array the current one, if the budget grants it. */
    private boolean grown(long clock) {
        double plan = plannedIds(clock);
        Segment grown =
                held.mayGrow()
                        ? allocator.tryCreateAtMost(
                                options, held.readBesides(), plan, held.current().windowCapacity())
                        : null;
        if (grown == null) {
            wantedIds = Math.max(wantedIds, (long) Math.max(plan, measuredIds(clock)));
            return false;
        }
        install(grown, clock);
        return true;
    }

    /** Ids per window to plan for, from what came since the filter became busy. */
    private double plannedIds(long clock) {
        return SegmentAllocator.plannedIds(
                options, held.current().windowCapacity(), held.ids(), elapsed(clock));
    }

    /** Ids per window as they came lately; 0 if that is not known. */
    private double measuredIds(long clock) {
        double elapsed = elapsed(clock);
        return elapsed <= 0 ? 0 : held.ids() * Math.max(1, options.windowMillis() / elapsed);
    }

    /** The ms in which the ids that are held came; 0 if that is not known. */
    private double elapsed(long clock) {
        return busySince == Long.MIN_VALUE
                ? 0
                : (double) clock - Math.max(busySince, held.coveredBehind());
    }

    /** Replaces an array that was made for other options, if the budget grants it. */
    private boolean replacedOutdated(long clock) {
        Segment current = held.current();
        boolean outdated =
                current.fpp > options.fpp()
                        || current.array.geometry().layout() != options.layout();
        return outdated && replaced(clock);
    }

    /**
     * An array whose error exceeds what is now asked for gets no more ids, whatever the budget
     * says: a small one takes over, and grows when the older array is forgotten.
     */
    private void replaceBeyondBudget(long clock) {
        if (held.current().fpp > options.fpp() && held.mayReplace()) {
            double least = SegmentAllocator.smallIds(options);
            install(allocator.createBeyondBudget(options, held.readBesides(), least), clock);
        }
    }

    /** Makes an array for the options in force the current one, if the budget grants it. */
    private boolean replaced(long clock) {
        double least = SegmentAllocator.smallIds(options);
        double ids = Math.max((double) held.current().generations.idsHeld(), least);
        Segment segment =
                held.mayReplace()
                        ? allocator.tryCreateAtMost(options, held.readBesides(), ids, least)
                        : null;
        if (segment != null) {
            install(segment, clock);
        }
        return segment != null;
    }

    /** Replaces an array that was much too large throughout a window by a smaller one. */
    private boolean shrunk(long clock) {
        double capacity = held.current().windowCapacity();
        double ids = held.current().generations.idsHeld();
        boolean oversized =
                ids < OVERSIZED * capacity && capacity > 2 * SegmentAllocator.SMALL_IDS_PER_WINDOW;
        oversizedRotations = oversized ? oversizedRotations + 1 : 0;
        if (oversizedRotations <= PlaneSizing.PLANES || !held.onlyAheadIsOlder(clock, options)) {
            return false;
        }
        double planned = Math.max(2 * ids, SegmentAllocator.smallIds(options));
        Segment smaller = allocator.tryCreate(options, held.readBesides(), planned);
        if (smaller == null) {
            return false;
        }
        install(smaller, clock);
        return true;
    }

    private void install(Segment segment, long clock) {
        held.install(segment);
        opened(clock);
    }

    /** For when nothing in the current array is inside the window: begins again, small. */
    void restart(long clock) {
        Segment current = held.current();
        double initial = SegmentAllocator.smallIds(options);
        if (current.sliceCapacity > WindowSizing.sliceCapacity(initial)) {
            // The smaller one is granted, except where a restore exceeded the budget.
            budget.release(current.bytes());
            Segment small = allocator.tryCreate(options, held.older(), initial);
            if (small != null) {
                held.begin(small);
                opened(clock);
                return;
            }
            budget.reserve(current.bytes());
        }
        current.clear();
        opened(clock);
    }

    /** The clock has become known. A slice with ids far ahead of it gets no others. */
    void clockStarts(long clock) {
        Generations generations = held.current().generations;
        boolean lasts = generations.end(generations.active()) > FarAhead.near(clock, options);
        rotateAt = lasts ? clock : Times.plus(clock, sliceMillis());
        busySince = clock;
    }

    /** The clock is not known any more. */
    void clockStops() {
        rotateAt = Long.MAX_VALUE;
        busySince = Long.MIN_VALUE;
    }

    /** Puts other options in force, see {@link WindowedFilter#changeOptions}. */
    void changeOptions(WindowOptions newOptions, long clock) {
        WindowOptions before = options;
        options = newOptions;
        rotateAt =
                clock == Long.MIN_VALUE
                        ? Long.MAX_VALUE
                        : Math.min(rotateAt, Times.plus(clock, sliceMillis()));
        if (before.fpp() != options.fpp()
                || held.current().array.geometry().layout() != options.layout()) {
            held.leaveAhead();
            if (!replaced(clock)) {
                replaceBeyondBudget(clock);
            }
        }
    }

    void shiftTime(long deltaMillis) {
        busySince = Times.plus(busySince, deltaMillis);
        rotateAt = rotateAt == Long.MAX_VALUE ? rotateAt : Times.plus(rotateAt, deltaMillis);
    }

    /** Goes on after a restore. */
    void restore(long overflowed, long clock) {
        overflows = overflowed;
        busySince = clock;
        opened(clock);
    }

    /** See {@link WindowedFilter#overflows}. */
    long overflows() {
        return overflows;
    }

    /** See {@link WindowedFilter#wantedBytes}. */
    long wantedBytes() {
        return wantedIds == 0
                ? 0
                : Math.max(held.bytes(), SegmentAllocator.neededBytes(options, (double) wantedIds));
    }

    private long sliceMillis() {
        return sliceMillis(options);
    }

    /** The share of the window that a slice has. */
    static long sliceMillis(WindowOptions options) {
        return Math.max(1, options.windowMillis() / (PlaneSizing.PLANES - 1));
    }

    /** To be called when an active slice was opened. */
    private void opened(long clock) {
        overfilling = false;
        long capacity = held.current().sliceCapacity;
        careAt = capacity;
        sweptAt = capacity + sweepReserve(held.current());
        rotateAt = clock == Long.MIN_VALUE ? Long.MAX_VALUE : Times.plus(clock, sliceMillis());
        if (held.ids() == 0) {
            busySince = clock;
        }
    }
}
