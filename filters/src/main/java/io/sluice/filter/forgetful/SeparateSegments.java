/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.forgetful.Segment.Role;

/**
 * Keeps ids apart that would hold up the others: a plane is kept as long as its latest id, so one
 * wild timestamp would keep all that share its plane, and take their room.
 *
 * <ul>
 *   <li>Ids far ahead of the clock, that is, by more than the window. Where most ids are, as when a
 *       watermark trails by more than the window, that is the pace of the stream: then they go to
 *       the current array. A burst that is shorter than a slice changes nothing.
 *   <li>Late ids, which came when their time had left the window. They are kept for a window of the
 *       clock from then on, so that copies that come late too are recognised.
 * </ul>
 *
 * <p>Each kind has an array of its own, which begins small. It is followed by another one when it
 * is full, or when its ids are to leave soon and it is more than half full, and is then only read
 * until all of them have left. So there are few arrays, however far the times of their ids are
 * apart. Not thread-safe.
 */
final class SeparateSegments {

    /** Which side most ids are on is decided anew after as many ids, or a slice full. */
    private static final long SURVEYED = 256;

    private final SegmentAllocator allocator;
    private final HeldSegments held;

    private long surveyed;
    private long surveyedAhead;
    private boolean mostAreAhead;

    /** The clock at which the array of each role gets no more ids. */
    private long aheadUntil = Long.MAX_VALUE;

    private long lateUntil = Long.MAX_VALUE;

    /** The clock and the memory that was left when there was no room for another array. */
    private long refusedAt = Long.MIN_VALUE;

    private long refusedWith;

    SeparateSegments(SegmentAllocator allocator, HeldSegments held) {
        this.allocator = allocator;
        this.held = held;
    }

    /**
     * Where an id goes; counts it.
     *
     * @param kept the time as which it is kept
     */
    Role role(long kept, long clock, WindowOptions options) {
        if (clock == Long.MIN_VALUE) {
            return Role.MAIN;
        }
        boolean ahead = kept > SaturatedTime.plus(clock, options.windowMillis());
        surveyedAhead += ahead ? 1 : 0;
        if (++surveyed >= Math.max(SURVEYED, held.current().capacity / 8)) {
            mostAreAhead = surveyedAhead > surveyed / 2;
            surveyed = 0;
            surveyedAhead = 0;
        }
        if (ahead) {
            return mostAreAhead ? Role.MAIN : Role.AHEAD;
        }
        boolean late = kept < SaturatedTime.horizon(clock, options.windowMillis());
        return late ? Role.LATE : Role.MAIN;
    }

    /**
     * Records an id.
     *
     * @param companion see {@link Segment#insert}
     * @return false if there is no room for it; nothing was recorded
     */
    boolean insert(
            Role role,
            long hash,
            long companion,
            long timestamp,
            long kept,
            long clock,
            WindowOptions options) {
        Segment segment = held.apart(role);
        if (segment != null
                && !isDue(segment, clock)
                && inserted(segment, hash, companion, timestamp, kept, clock, options)) {
            return true;
        }
        Segment next = create(role, segment, clock, options);
        if (next == null) {
            // One that is due may have room.
            return segment != null
                    && inserted(segment, hash, companion, timestamp, kept, clock, options);
        }
        held.installApart(next);
        if (role == Role.AHEAD) {
            aheadUntil = Long.MAX_VALUE;
        } else {
            lateUntil = SaturatedTime.plus(clock, options.windowMillis());
        }
        return inserted(next, hash, companion, timestamp, kept, clock, options);
    }

    /**
     * Whether ids are to leave with this array that came long ago. One with few of them, or where
     * there are many arrays, rather keeps them for longer.
     */
    private boolean isDue(Segment segment, long clock) {
        return clock >= (segment.role == Role.AHEAD ? aheadUntil : lateUntil)
                && segment.generations.idsHeld() > segment.capacity / 2
                && held.mayAddApart();
    }

    private boolean inserted(
            Segment segment,
            long hash,
            long companion,
            long timestamp,
            long kept,
            long clock,
            WindowOptions options) {
        long number = SaturatedTime.slice(timestamp, segment.slice);
        if (segment.generations.idsHeld() >= segment.capacity) {
            return false;
        }
        boolean ahead = segment.role == Role.AHEAD;
        if (!segment.insert(hash, companion, number, timestamp, ahead ? kept : clock)) {
            return false;
        }
        if (ahead) {
            // Before the clock comes near: what is recorded then would keep the others longer.
            aheadUntil =
                    Math.min(aheadUntil, SaturatedTime.plus(kept, -options.windowMillis() / 2));
        }
        return true;
    }

    /**
     * A small array, or one for twice the ids of the last; null if there are too many, or the
     * budget does not grant it. After a refusal, the budget is asked again when something changed.
     */
    private Segment create(Role role, Segment last, long clock, WindowOptions options) {
        if (!held.mayAddApart() || (clock == refusedAt && allocator.available() == refusedWith)) {
            return null;
        }
        double small = SegmentAllocator.smallIds(options);
        double ids = last == null ? small : Math.max(small, 2.0 * last.generations.idsHeld());
        double least = Math.min(small, SegmentAllocator.MIN_IDS);
        Segment created = allocator.tryCreateAtMost(options, held.readBesides(), ids, least, role);
        if (created == null) {
            refusedAt = clock;
            refusedWith = allocator.available();
        }
        return created;
    }

    /** Goes on after a restore: each array gets ids for as long as it might have. */
    void restore(long clock, WindowOptions options) {
        lateUntil = SaturatedTime.plus(clock, options.windowMillis());
        Segment ahead = held.apart(Role.AHEAD);
        if (ahead != null) {
            long first = ahead.generations.oldestBegin();
            aheadUntil = SaturatedTime.plus(first, -options.windowMillis() / 2);
        }
    }

    /** The clock may go on from an earlier time. */
    void clockStops() {
        held.leaveApart();
    }
}
