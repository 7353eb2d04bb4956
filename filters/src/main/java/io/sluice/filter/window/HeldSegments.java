/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link WindowedFilter} holds: the array that ids go to, and older ones (normally none),
 * which are only read until they are forgotten. Also knows since when nothing is missing. Knows no
 * clock: the filter decides when something is forgotten or opened. Not thread-safe.
 */
final class HeldSegments {
    private static final int FPP_SAMPLE_LINES = 256;

    /**
     * Most arrays that are held: each makes every lookup slower, and adds to the filter's error.
     */
    static final int MAX_SEGMENTS = 32;

    private final MemoryBudget.Claim budget;

    /** Oldest first. */
    private final List<Segment> older = new ArrayList<>();

    private Segment current;

    /** One of the older ones, which gets the ids far ahead of the clock; null if there is none. */
    private Segment ahead;

    private long coveredSince = Long.MIN_VALUE;
    private long coveredBehind = Long.MIN_VALUE;

    /** Holds nothing until {@link #begin}. */
    HeldSegments(MemoryBudget.Claim budget) {
        this.budget = budget;
    }

    /** Makes {@code segment}, which is reserved in the budget, the array that ids go to. */
    void begin(Segment segment) {
        current = segment;
    }

    /** Completes a filter that was read. */
    void restore(List<Segment> oldestFirst, long covered, long behind) {
        coveredBehind = behind;
        int last = oldestFirst.size() - 1;
        older.addAll(oldestFirst.subList(0, last));
        current = oldestFirst.get(last);
        coveredSince = covered;
    }

    /** The array that ids go to. */
    Segment current() {
        return current;
    }

    /**
     * The array that ids far ahead of the clock go to; null if there is none. After a restore, that
     * is the last one that got no id that was not, and whose active slice is still ahead, if its
     * share of the probability is still its due.
     */
    Segment ahead(long clock, WindowOptions options) {
        for (int i = older.size() - 1; ahead == null && i >= 0; i--) {
            Segment segment = older.get(i);
            Generations generations = segment.generations;
            if (generations.newestBehind() == Long.MIN_VALUE
                    && generations.begin(generations.active()) > clock
                    && segment.fpp <= (1 - SegmentAllocator.SHARE_OF_THE_REST) * options.fpp()
                    && segment.array.geometry().layout() == options.layout()) {
                ahead = segment;
            }
        }
        return ahead;
    }

    /** The array of ids far ahead was made for other options: it is only read from now on. */
    void leaveAhead() {
        ahead = null;
    }

    /** Whether another array may be added for ids far ahead. */
    boolean mayAddAhead() {
        return older.size() + 1 < MAX_SEGMENTS / 2;
    }

    /** Whether there is no array that the current one has replaced. */
    boolean onlyAheadIsOlder(long clock, WindowOptions options) {
        return older.isEmpty() || (older.size() == 1 && older.get(0) == ahead(clock, options));
    }

    /** The other arrays, oldest first: they are only read, but for {@link #ahead}. */
    List<Segment> older() {
        return older;
    }

    /** All arrays, the one that ids go to last. */
    List<Segment> all() {
        List<Segment> all = new ArrayList<>(older);
        all.add(current);
        return all;
    }

    /** The arrays that are read in addition to a new one. */
    List<Segment> readBesides() {
        return current.generations.idsHeld() > 0 ? all() : List.copyOf(older);
    }

    /** Whether another array may be added because the present one is full. */
    boolean mayGrow() {
        return older.size() + 1 < MAX_SEGMENTS || current.generations.idsHeld() == 0;
    }

    /** Whether another array may take over although the present one is not full. */
    boolean mayReplace() {
        return older.size() + 1 < MAX_SEGMENTS / 2 || current.generations.idsHeld() == 0;
    }

    /** The combined probability that all arrays were made for. */
    double fppMadeFor() {
        double sum = current.fpp;
        for (Segment segment : older) {
            sum += segment.fpp;
        }
        return sum;
    }

    boolean holds(long hash) {
        if (current.holds(hash)) {
            return true;
        }
        for (int i = older.size() - 1; i >= 0; i--) {
            if (older.get(i).holds(hash)) {
                return true;
            }
        }
        return false;
    }

    /** As {@link #holds}, but only in slices with a timestamp at or after {@code horizon}. */
    boolean holdsSince(long hash, long horizon) {
        for (Segment segment : all()) {
            if (segment.array.holdsIn(hash, segment.generations.since(horizon))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes {@code segment} the array that ids go to; the present one is only read, if it holds
     * any.
     */
    void install(Segment segment) {
        if (current.generations.idsHeld() == 0) {
            budget.release(current.bytes());
        } else {
            older.add(current);
        }
        current = segment;
    }

    /** Makes {@code segment} the array that ids far ahead of the clock go to. */
    void installAhead(Segment segment) {
        older.add(segment);
        ahead = segment;
    }

    /**
     * Forgets all slices that have no timestamp at or above {@code horizon}, except the active one.
     * An older array is forgotten as a whole, when this is true of all its slices.
     */
    void forgetBefore(long horizon) {
        for (var i = older.iterator(); i.hasNext(); ) {
            Segment segment = i.next();
            if (segment.generations.newestEnd() < horizon) {
                i.remove();
                left(segment);
            } else {
                segment.leaveIfExpired(horizon);
                retire(segment, segment.generations.expired(horizon));
            }
        }
        retire(current, current.generations.expired(horizon));
    }

    /**
     * Forgets the oldest slice of all; an older array goes with its last one. The active slice goes
     * only if there is no other: then nothing is held any more.
     *
     * @param byArrival whether the oldest is the one that was opened first; otherwise it is the one
     *     that would leave the window first
     * @return ids forgotten
     */
    long forgetOldest(boolean byArrival) {
        Segment oldest = older.isEmpty() ? current : older.get(0);
        Generations generations = oldest.generations;
        int plane = byArrival ? generations.firstOpened() : generations.firstToExpire();
        if (plane >= 0) {
            long ids = generations.ids(plane);
            retire(oldest, 1L << plane);
            return ids;
        }
        long ids = generations.activeIds();
        if (oldest == current) {
            forgot(generations);
            current.clear();
        } else {
            older.remove(0);
            left(oldest);
        }
        return ids;
    }

    /** An older array is not held any more. */
    private void left(Segment segment) {
        budget.release(segment.bytes());
        forgot(segment.generations);
        if (segment == ahead) {
            ahead = null;
        }
    }

    private void retire(Segment segment, long planes) {
        for (long left = planes; left != 0; left &= left - 1) {
            int plane = Long.numberOfTrailingZeros(left);
            forgot(segment.generations.end(plane), segment.generations.behind(plane));
        }
        if (planes != 0) {
            segment.retire(planes);
        }
    }

    /** Notes that all ids of these planes are no longer held. */
    void forgot(Generations generations) {
        forgot(generations.newestEnd(), generations.newestBehind());
    }

    /** Notes that an id with this timestamp, ahead of the clock, is not held. */
    void forgotAhead(long timestamp) {
        forgot(timestamp, Long.MIN_VALUE);
    }

    private void forgot(long newestTimestamp, long newestBehind) {
        if (newestTimestamp != Long.MIN_VALUE) {
            coveredSince = Math.max(coveredSince, Times.plus(newestTimestamp, 1));
        }
        if (newestBehind != Long.MIN_VALUE) {
            coveredBehind = Math.max(coveredBehind, Times.plus(newestBehind, 1));
        }
    }

    /** See {@link WindowedFilter#coveredBehind}. */
    long coveredBehind() {
        return coveredBehind;
    }

    /** Every id recorded with a timestamp not below this is still held. */
    long coveredSince() {
        return coveredSince;
    }

    /** The least of the greatest timestamps of the slices. */
    long earliestEnd() {
        long earliest = current.generations.earliestEnd();
        for (Segment segment : older) {
            // An older array is forgotten as a whole only when all of it has left the window.
            earliest = Math.min(earliest, segment.generations.earliestEnd());
        }
        return earliest;
    }

    /** Moves the times of all that is held. */
    void shiftTime(long deltaMillis) {
        coveredSince = shiftedCoverage(coveredSince, deltaMillis);
        coveredBehind = shiftedCoverage(coveredBehind, deltaMillis);
        current.generations.shift(deltaMillis);
        for (Segment segment : older) {
            segment.generations.shift(deltaMillis);
        }
    }

    /**
     * Saturates: what was forgotten ends at the least possible time, and what is covered begins
     * after it.
     */
    private static long shiftedCoverage(long covered, long deltaMillis) {
        return covered == Long.MIN_VALUE
                ? covered
                : Math.max(Long.MIN_VALUE + 2, Times.plus(covered, deltaMillis));
    }

    /**
     * The clock has become known. Brings all times after {@code latest} down to it. What was
     * forgotten under a clock that ran ahead says nothing about ids that come from now on.
     */
    void clockStarts(long clock, long latest) {
        coveredSince = Math.min(coveredSince, Times.plus(latest, 1));
        coveredBehind = Math.min(coveredBehind, clock);
        current.generations.bound(latest);
        for (Segment segment : older) {
            segment.generations.bound(latest);
        }
    }

    /** See {@link WindowedFilter#predictedFpp}. */
    double predictedFpp() {
        double none = Math.log1p(-current.predictedFpp(FPP_SAMPLE_LINES, true));
        for (Segment segment : older) {
            none += Math.log1p(-segment.predictedFpp(FPP_SAMPLE_LINES, segment == ahead));
        }
        return -Math.expm1(none);
    }

    long ids() {
        long ids = current.generations.idsHeld();
        for (int i = 0; i < older.size(); i++) {
            ids += older.get(i).generations.idsHeld();
        }
        return ids;
    }

    /** Slices that are held and not empty, or active. */
    int generations() {
        return all().stream().mapToInt(segment -> Long.bitCount(segment.generations.live())).sum();
    }

    /** Bytes reserved in the budget. */
    long bytes() {
        return all().stream().mapToLong(Segment::bytes).sum();
    }

    /** Gives all memory back to the budget. The object must not be used afterwards. */
    void release() {
        budget.release(bytes());
        older.clear();
        ahead = null;
    }
}
