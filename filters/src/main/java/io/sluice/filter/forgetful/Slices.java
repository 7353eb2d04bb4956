/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.FilterFullException;

/**
 * Decides which array an id of a {@link ForgetfulFilter} goes to: when a larger or smaller one
 * takes over, and what gives way when the budget grants none. Not thread-safe.
 */
final class Slices {

    /** Shrinks when less than this share was used, at the beginning of each slice of a window. */
    private static final double OVERSIZED = 0.25;

    /** An overfull array is checked again after 1/32 of its capacity. */
    private static final int STEP_SHIFT = 5;

    /** The formulas are about averages, so this much of the stretch is used. */
    private static final double STRETCH_RESERVE = 0.9;

    private final SegmentAllocator allocator;
    private final HeldSegments held;
    private final MemoryBudget.Claim budget;
    private final SeparateSegments apart;
    private WindowOptions options;

    /** What is in reach of the timestamp for which room is made. */
    private NearbySlices reach;

    /** The ids in the current array at which something is to be decided. */
    private long careAt;

    private boolean overfilling;
    private int oversizedSlices;
    private long overflows;
    private long wantedIds;

    Slices(WindowOptions options, MemoryBudget.Claim budget, HeldSegments held) {
        this.options = options;
        this.budget = budget;
        this.allocator = new SegmentAllocator(budget);
        this.held = held;
        this.apart = new SeparateSegments(allocator, held);
        this.reach = reach(options);
    }

    private static NearbySlices reach(WindowOptions options) {
        return new NearbySlices(options.windowMillis(), sliceMillis(options));
    }

    /** The first array, for {@code ids} per window or as many as the budget grants. */
    void begin(double ids) {
        held.begin(allocator.createFirst(options, ids));
        installed();
    }

    /**
     * Records an id, after making room for it if necessary. One that is to be kept {@link
     * SeparateSegments} goes to another array, or nowhere if that has no room.
     *
     * @param companion see {@link Segment#insert}
     * @param kept the time that has to leave the window before the id may be forgotten
     * @throws FilterFullException under {@link OverflowPolicy#FAIL}; no id was recorded
     */
    void insert(long hash, long companion, long timestamp, long kept, long clock) {
        Segment.Role role = apart.role(kept, clock, options);
        if (role == Segment.Role.MAIN) {
            insertIntoCurrent(hash, companion, timestamp, kept, clock);
        } else if (!apart.insert(role, hash, companion, timestamp, kept, clock, options)) {
            refuse(role == Segment.Role.LATE ? timestamp : kept);
        }
    }

    /** For an id that is kept apart: it is forgotten at once, and none of the others for it. */
    private void refuse(long kept) {
        wantedIds = Math.max(wantedIds, (long) held.current().windowCapacity() + held.ids());
        failIfAsked();
        overflows++;
        held.forgotApart(kept);
    }

    private void insertIntoCurrent(
            long hash, long companion, long timestamp, long kept, long clock) {
        Segment current = held.current();
        long number = SaturatedTime.slice(timestamp, current.slice);
        if (!current.generations.isLive(current.plane(number)) && replacedForSlice()) {
            current = held.current();
            number = SaturatedTime.slice(timestamp, current.slice);
        }
        if (current.generations.idsHeld() >= careAt) {
            makeRoom(clock, timestamp);
            current = held.current();
            number = SaturatedTime.slice(timestamp, current.slice);
        }
        while (!current.insert(hash, companion, number, timestamp, kept)) {
            insertIntoFull(clock, companion == hash ? 0 : 1L << current.plane(number));
            current = held.current();
            number = SaturatedTime.slice(timestamp, current.slice);
        }
        if (overfilling) {
            overflows++;
        }
        if (current.isAskedInPart()) {
            held.isNotFoundFromFar(timestamp, kept, clock);
        }
    }

    /**
     * Makes an id, which is held with its companion, last until this timestamp has left the window.
     *
     * @param companion see {@link Segment#insert}
     * @throws FilterFullException as {@link #insert}
     */
    void renew(long hash, long companion, long timestamp, long kept, long clock) {
        Segment.Role role = apart.role(kept, clock, options);
        Segment segment = role == Segment.Role.MAIN ? held.current() : held.apart(role);
        if (segment != null
                && segment.holdsInSlice(hash, timestamp)
                && (companion == hash || segment.holdsInSlice(companion, timestamp))) {
            segment.extend(timestamp, role == Segment.Role.LATE ? clock : kept);
        } else {
            insert(hash, companion, timestamp, kept, clock);
        }
    }

    /**
     * For an id none of whose lines has room, although the array may have: the table is full, or
     * small.
     *
     * @param spared planes that are forgotten last: forgetting a companion alone would not help
     */
    private void insertIntoFull(long clock, long spared) {
        if (held.current().array.dirty() != 0) {
            held.current().array.finishSweep();
        } else if (!grown(clock)) {
            failIfAsked();
            overflows += held.forgetOldest(clock, spared);
        }
    }

    /** The current array is as full as it was made for: grows, or goes beyond, or forgets. */
    private void makeRoom(long clock, long timestamp) {
        overfilling = false;
        if (held.current().generations.idsHeld() < held.current().capacity) {
            careAt = held.current().capacity;
            return;
        }
        if (grown(clock)) {
            return;
        }
        failIfAsked();
        Segment current = held.current();
        long ids = current.generations.idsHeld();
        if (ids < mostIds(current) && !errsTooOften(timestamp)) {
            overfilling = true;
            careAt = ids + step(current);
        } else {
            forgetOldest(clock, timestamp);
        }
    }

    /**
     * Whether more new ids are reported as seen than may be, by what is stored. The formulas do not
     * know what a table is like after its planes have come and gone in no order: ids are then
     * further from their place than there are ids.
     */
    private boolean errsTooOften(long timestamp) {
        return held.predictedFpp(reach.of(timestamp)) > options.maxFpp();
    }

    /** The most ids before the filter's error exceeds {@link WindowOptions#maxFpp}. */
    private double mostIds(Segment current) {
        double factor = Math.max(1, STRETCH_RESERVE * options.maxFpp() / options.fpp());
        return held.fppMadeFor() <= options.fpp() * (1 + 1e-9)
                ? current.mostIds(current.fpp * factor)
                : current.capacity;
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

    /** Forgets the oldest slices of all arrays until there is room for a step of ids. */
    private void forgetOldest(long clock, long timestamp) {
        while (!held.older().isEmpty()) {
            int arrays = held.older().size();
            overflows += held.forgetOldest(clock);
            if (held.older().size() < arrays && grown(clock)) {
                return;
            }
        }
        Segment current = held.current();
        long enough = Math.max(0, current.generations.idsHeld() - step(current));
        while (current.generations.idsHeld() > enough
                || (current.generations.idsHeld() > 0 && errsTooOften(timestamp))) {
            overflows += held.forgetOldest(clock);
        }
        careAt = current.generations.idsHeld() + step(current);
    }

    private static long step(Segment segment) {
        return Math.max(1, segment.capacity >>> STEP_SHIFT);
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
            wantedIds = Math.max(wantedIds, (long) Math.max(plan, measuredIds()));
            return false;
        }
        install(grown);
        return true;
    }

    /** Ids per window to plan for when the current array is full. */
    private double plannedIds(long clock) {
        double capacity = held.current().windowCapacity();
        if (outlivesItsIds(clock)) {
            return capacity;
        }
        return allocator.plannedIds(options, capacity, held.ids(), elapsed());
    }

    /**
     * Whether the current array is full of ids that have long left the window, in planes that also
     * have later ones, as when a watermark trails by more than the window. Then one of its size is
     * large enough.
     */
    private boolean outlivesItsIds(long clock) {
        long window = options.windowMillis();
        long horizon = SaturatedTime.horizon(SaturatedTime.horizon(clock, window), window);
        return held.current().generations.oldestBegin() < horizon;
    }

    /** Ids per window as they came lately; 0 if that is not known. */
    private double measuredIds() {
        double elapsed = elapsed();
        return elapsed <= 0 ? 0 : held.ids() * Math.max(1, options.windowMillis() / elapsed);
    }

    /** The ms between the first and the last of the ids in the current array. */
    private double elapsed() {
        Generations generations = held.current().generations;
        return (double) generations.newestEnd() - generations.oldestBegin();
    }

    /**
     * At the beginning of a slice: replaces an array that was made for other options, or is much
     * too large, if the budget grants it.
     */
    private boolean replacedForSlice() {
        overfilling = false;
        careAt = held.current().capacity;
        if (isOutdated()) {
            return replaced();
        }
        return budget.isExceeded() ? replacedByItsShare() : shrunk();
    }

    /**
     * Where a restore exceeded the budget, an array that has more than an equal part of it would
     * stay for ever, since its slices take turns: one of that size takes over, and the older one
     * leaves with its ids. Until then, more is exceeded.
     */
    private boolean replacedByItsShare() {
        double least = SegmentAllocator.smallIds(options);
        double ids = Math.max(least, SegmentAllocator.besideAnother(options, budget.equalPart()));
        if (options.overflow() == OverflowPolicy.FAIL
                || !held.noneWasReplaced()
                || ids > held.current().windowCapacity() / 2) {
            return false;
        }
        install(allocator.createBeyondBudget(options, held.readBesides(), ids));
        return true;
    }

    private boolean isOutdated() {
        Segment current = held.current();
        return current.fpp > options.fpp()
                || current.array.geometry().layout() != options.layout()
                || current.slice != sliceMillis(options);
    }

    /**
     * An array whose error exceeds what is now asked for, or whose slices are longer or far
     * shorter, gets no more ids, whatever the budget says: a small one takes over, and grows when
     * the older array is forgotten.
     */
    private void replaceBeyondBudget() {
        Segment current = held.current();
        boolean worse =
                current.fpp > options.fpp()
                        || current.slice > sliceMillis(options)
                        || current.slice < sliceMillis(options) / 2;
        if (worse && held.mayReplace()) {
            double least = SegmentAllocator.smallIds(options);
            install(allocator.createBeyondBudget(options, held.readBesides(), least));
        }
    }

    /** Makes an array for the options in force the current one, if the budget grants it. */
    private boolean replaced() {
        double least = SegmentAllocator.smallIds(options);
        double ids = Math.max((double) held.current().generations.idsHeld(), least);
        Segment segment =
                held.mayReplace()
                        ? allocator.tryCreateAtMost(options, held.readBesides(), ids, least)
                        : null;
        if (segment != null) {
            install(segment);
        }
        return segment != null;
    }

    /** Replaces an array that was much too large throughout a window by a smaller one. */
    private boolean shrunk() {
        double capacity = held.current().windowCapacity();
        double ids = held.current().generations.idsHeld();
        boolean oversized =
                ids < OVERSIZED * capacity && capacity > 2 * SegmentAllocator.SMALL_IDS_PER_WINDOW;
        oversizedSlices = oversized ? oversizedSlices + 1 : 0;
        if (oversizedSlices <= WindowSizing.SLICES_PER_WINDOW || !held.noneWasReplaced()) {
            return false;
        }
        double planned = Math.max(2 * ids, SegmentAllocator.smallIds(options));
        Segment smaller = allocator.tryCreate(options, held.readBesides(), planned);
        if (smaller == null) {
            return false;
        }
        install(smaller);
        return true;
    }

    private void install(Segment segment) {
        held.install(segment);
        installed();
    }

    /** For when nothing in the current array is inside the window: begins again, small. */
    void restart() {
        Segment current = held.current();
        double initial = SegmentAllocator.smallIds(options);
        if (current.capacity > WindowSizing.capacity(initial)) {
            // The smaller one is granted, except where a restore exceeded the budget.
            budget.release(current.bytes());
            Segment small = allocator.tryCreate(options, held.older(), initial);
            if (small != null) {
                held.begin(small);
            } else {
                budget.reserve(current.bytes());
            }
        }
        installed();
    }

    /** The clock is not known any more. */
    void clockStops() {
        apart.clockStops();
    }

    /** Puts other options in force, see {@link ForgetfulFilter#changeOptions}. */
    void changeOptions(WindowOptions newOptions, long clock) {
        WindowOptions before = options;
        options = newOptions;
        reach = reach(newOptions);
        if (before.fpp() != options.fpp() || isOutdated()) {
            held.leaveApart();
            if (!replaced()) {
                replaceBeyondBudget();
            }
        }
        held.limitEpochs(options, clock);
    }

    /** Goes on after a restore. */
    void restore(long overflowed, long clock) {
        overflows = overflowed;
        apart.restore(clock, options);
        installed();
    }

    /** See {@link ForgetfulFilter#overflows}. */
    long overflows() {
        return overflows;
    }

    /** See {@link ForgetfulFilter#wantedBytes}. */
    long wantedBytes() {
        return wantedIds == 0
                ? 0
                : Math.max(held.bytes(), SegmentAllocator.neededBytes(options, (double) wantedIds));
    }

    /** The share of the window that a slice has. */
    static long sliceMillis(WindowOptions options) {
        return WindowSizing.sliceMillis(options.windowMillis());
    }

    /** Must be called when an array became the current one. */
    private void installed() {
        overfilling = false;
        careAt = held.current().capacity;
    }
}
