/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link ForgetfulFilter} holds: the array that ids go to, and older ones (normally none),
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

    /** Of the older ones, those that get ids far ahead of the clock, and late ones; may be null. */
    private Segment ahead;

    private Segment late;

    private long coveredSince = Long.MIN_VALUE;
    private long coveredBehind = Long.MIN_VALUE;

    /** As {@link #coveredSince}, but for ids that were kept apart. */
    private long coveredMain = Long.MIN_VALUE;

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
        for (Segment segment : older) {
            // The last of each role is the one that ids went to.
            ahead = segment.role == Segment.Role.AHEAD ? segment : ahead;
            late = segment.role == Segment.Role.LATE ? segment : late;
        }
        // What was forgotten is before what is held: the oldest goes first.
        coveredMain = Math.max(behind, Math.min(covered, oldestMain()));
    }

    private long oldestMain() {
        long oldest = Long.MAX_VALUE;
        for (Segment segment : all()) {
            if (segment.role == Segment.Role.MAIN) {
                oldest = Math.min(oldest, segment.generations.oldestBegin());
            }
        }
        return oldest;
    }

    /** The array that ids go to. */
    Segment current() {
        return current;
    }

    /**
     * The array of ids that are kept apart in this role; null if there is none yet, or the last was
     * made for other options.
     */
    Segment apart(Segment.Role role) {
        return role == Segment.Role.AHEAD ? ahead : late;
    }

    /**
     * The arrays of ids that are kept apart were made for other options: they are only read now.
     */
    void leaveApart() {
        ahead = null;
        late = null;
    }

    /** Whether another array may be added for ids that are kept apart. */
    boolean mayAddApart() {
        return older.size() + 1 < MAX_SEGMENTS - MAX_SEGMENTS / 8;
    }

    /** Whether there is no array that the current one has replaced. */
    boolean noneWasReplaced() {
        return older.stream().noneMatch(segment -> segment.role == Segment.Role.MAIN);
    }

    /** The other arrays, oldest first: they are only read, but for those {@link #apart}. */
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

    /**
     * Lets lookups ask arrays with shorter slices for as many epochs as may err together. What is
     * held beyond that counts as forgotten.
     */
    void limitEpochs(WindowOptions options, long clock) {
        double epochs = Segment.EPOCHS_OF_WINDOW * options.maxFpp() / fppMadeFor();
        for (Segment segment : all()) {
            segment.limitEpochs(epochs, options.windowMillis());
            if (segment.isAskedInPart()) {
                forgot(segment, clock);
            }
        }
    }

    /** Whether {@code hash} is held with a timestamp in reach, or seems to be. */
    boolean holds(long hash, NearbySlices reach) {
        if (current.holds(hash, reach)) {
            return true;
        }
        for (int i = older.size() - 1; i >= 0; i--) {
            if (older.get(i).holds(hash, reach)) {
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

    /** Makes {@code segment} the array that ids go to that are kept apart in its role. */
    void installApart(Segment segment) {
        older.add(segment);
        if (segment.role == Segment.Role.AHEAD) {
            ahead = segment;
        } else {
            late = segment;
        }
    }

    /**
     * Forgets all slices that are kept no longer. An array of ids that are kept apart is forgotten
     * as a whole.
     *
     * @param latest timestamps up to this are believed
     */
    void forgetBefore(long horizon, long clock, long latest) {
        for (var i = older.iterator(); i.hasNext(); ) {
            Segment segment = i.next();
            if (segment.generations.newestKept(latest) < horizon) {
                i.remove();
                left(segment, clock);
            } else if (segment.role == Segment.Role.MAIN) {
                retire(segment, expired(segment, horizon, latest), clock);
            }
        }
        long expired = expired(current, horizon, latest);
        if (expired != 0 && expired == current.generations.live()) {
            forgot(current, clock);
            current.clear();
        } else {
            retire(current, expired, clock);
        }
    }

    private static long expired(Segment segment, long horizon, long latest) {
        return segment.generations.expired(horizon, latest, segment.slice);
    }

    /** See {@link Generations#believe}. */
    void believe(long latest, long window, boolean jumped) {
        current.generations.believe(latest, window, jumped);
        for (Segment segment : older) {
            segment.generations.believe(latest, window, jumped);
        }
    }

    /**
     * Forgets the oldest slice of all; an older array goes with its last one, and one of ids that
     * are kept apart at once.
     *
     * @param clock if it is not known, the oldest is the slice that got its last id first;
     *     otherwise the one that would leave the window first
     * @return ids forgotten
     */
    long forgetOldest(long clock) {
        return forgetOldest(clock, 0);
    }

    /**
     * As the other.
     *
     * @param spared planes of the current array that are forgotten only if it has no others
     */
    long forgetOldest(long clock, long spared) {
        Segment oldest = older.isEmpty() ? current : older.get(0);
        Generations generations = oldest.generations;
        boolean whole = oldest.role != Segment.Role.MAIN || Long.bitCount(generations.live()) <= 1;
        if (!whole) {
            long among = oldest == current ? generations.live() & ~spared : generations.live();
            int plane =
                    clock == Long.MIN_VALUE
                            ? generations.firstUsed(among)
                            : generations.firstToExpire(among);
            long ids = generations.ids(plane);
            retire(oldest, 1L << plane, clock);
            return ids;
        }
        long ids = generations.idsHeld();
        if (oldest == current) {
            forgot(oldest, clock);
            current.clear();
        } else {
            older.remove(0);
            left(oldest, clock);
        }
        return ids;
    }

    /** An older array is not held any more. */
    private void left(Segment segment, long clock) {
        budget.release(segment.bytes());
        forgot(segment, clock);
        ahead = segment == ahead ? null : ahead;
        late = segment == late ? null : late;
    }

    private void retire(Segment segment, long planes, long clock) {
        for (long left = planes; left != 0; left &= left - 1) {
            forgot(segment, Long.numberOfTrailingZeros(left), clock);
        }
        if (planes != 0) {
            segment.retire(planes);
        }
    }

    /** Notes that all ids of these planes are no longer held. */
    private void forgot(Segment segment, long clock) {
        for (long left = segment.generations.live(); left != 0; left &= left - 1) {
            forgot(segment, Long.numberOfTrailingZeros(left), clock);
        }
    }

    /** Ids ahead of the clock say nothing about the others. */
    private void forgot(Segment segment, int plane, long clock) {
        Generations generations = segment.generations;
        long newest = Math.min(generations.end(plane), generations.kept(plane));
        forgot(generations.begin(plane), newest, segment.role, clock);
    }

    private void forgot(long oldest, long newest, Segment.Role role, long clock) {
        forgotApart(newest);
        if (oldest <= clock) {
            coveredBehind = Math.max(coveredBehind, SaturatedTime.plus(Math.min(newest, clock), 1));
        }
        if (role == Segment.Role.MAIN) {
            coveredMain = Math.max(coveredMain, SaturatedTime.plus(newest, 1));
        }
    }

    /** Notes that an id was recorded in the current array, which lookups ask in part only. */
    void isNotFoundFromFar(long timestamp, long kept, long clock) {
        forgot(timestamp, Math.min(timestamp, kept), Segment.Role.MAIN, clock);
    }

    /** Notes that an id as of {@code newest}, which was to be kept apart, is not held. */
    void forgotApart(long newest) {
        coveredSince = Math.max(coveredSince, SaturatedTime.plus(newest, 1));
    }

    /** See {@link ForgetfulFilter#coveredBehind}. */
    long coveredBehind() {
        return coveredBehind;
    }

    /** See {@link ForgetfulFilter#coveredForNew}. */
    long coveredMain() {
        return coveredMain;
    }

    /** Every id recorded with a timestamp not below this is still held. */
    long coveredSince() {
        return coveredSince;
    }

    /** The time that leaves the window first and takes a slice with it. */
    long earliestKept(long latest) {
        long earliest = current.generations.earliestKept(latest);
        for (Segment segment : older) {
            earliest = Math.min(earliest, segment.generations.earliestKept(latest));
        }
        return earliest;
    }

    /**
     * The clock has become known. Brings all times after {@code latest} down to it. What was
     * forgotten under a clock that ran ahead says nothing about ids that come from now on.
     */
    void clockStarts(long clock, long latest) {
        coveredSince = Math.min(coveredSince, SaturatedTime.plus(latest, 1));
        coveredBehind = Math.min(coveredBehind, clock);
        coveredMain = Math.min(coveredMain, SaturatedTime.plus(latest, 1));
        current.generations.bound(latest);
        older.forEach(segment -> segment.generations.bound(latest));
    }

    /** See {@link ForgetfulFilter#predictedFpp}. */
    double predictedFpp(NearbySlices reach) {
        double none = Math.log1p(-current.predictedFpp(FPP_SAMPLE_LINES, reach));
        for (Segment segment : older) {
            none += Math.log1p(-segment.predictedFpp(FPP_SAMPLE_LINES, reach));
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

    /** Slices that are held; those that share a plane count as one. */
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
        leaveApart();
    }
}
