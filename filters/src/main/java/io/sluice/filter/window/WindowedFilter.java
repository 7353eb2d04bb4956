/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;

/**
 * A set of ids (64-bit hashes) with timestamps that forgets what is older than a window.
 *
 * <p><b>Guarantee:</b> an id that {@link #add} recorded with timestamp s is reported as seen at
 * least until the clock has passed s + window, whatever happened in between: rotations, growth,
 * changed options, snapshot and restore. An id that was not recorded is reported as seen with a
 * probability of at most the options' {@code fpp} while {@link #overflows} is 0, and always of at
 * most {@code maxFpp}. Where the memory does not suffice for both, the window gives way, and {@link
 * #coveredSince} says so; under {@link OverflowPolicy#FAIL} new ids are refused instead.
 *
 * <p><b>The clock</b> follows the timestamps given to {@link #add}: it is as late as most of the
 * last ones say, see {@link WindowOptions#clockFollowsTimestamps}. By default nothing else is
 * needed to get the window. A caller that knows the time better (a watermark) asks for {@link
 * WindowOptions.Builder#clockOfCaller} and calls {@link #advanceTo}. Times are milliseconds of any
 * clock that the caller chooses. A clock of {@code Long.MIN_VALUE} means "not known yet"; ids are
 * then forgotten only when memory runs out, in the order in which they came. A timestamp further
 * ahead of the clock than {@link WindowOptions#maxFutureMillis} counts as that far ahead until the
 * clock comes near it, so a wild one cannot hold its slice for ever. Ids more than a window ahead
 * of the clock have slices of their own, unless most are: so a wild timestamp holds no other id.
 *
 * <p><b>How.</b> Slices of the stream are kept in planes of one array ({@link
 * io.sluice.filter.plane.PlaneArray}): a table of fingerprints, or bit-sliced Bloom filters. A
 * plane is used again only when the greatest timestamp in it is out of the window, so timestamps
 * may be out of order. A new plane is opened when the active one is full or when its share of the
 * window has passed, if one is free; otherwise the active one goes on. When more ids come than fit,
 * or when options change, a new array becomes the active one, and older arrays are only read until
 * they are forgotten; normally there is just one. A duplicate does not renew the age of its id,
 * unless {@link #addOrRenew} is asked to.
 *
 * <p>Cost: a lookup touches the cache lines of one id, for any number of generations; an insertion
 * touches the same, and a few words of the sweep. Nothing is allocated per id. Not thread-safe.
 */
public final class WindowedFilter implements Persistent {

    /** Steps per slice of a clock that follows timestamps. */
    private static final int CLOCK_STEPS = 8;

    private final HeldSegments held;
    private final MemoryBudget.Claim claim;
    private final Slices slices;
    private WindowOptions options;
    private long clock;
    private long future;

    /** Null if the clock is the caller's. */
    private ArrivalClock arrivals;

    /** An arrival before this moves the clock too little to matter. */
    private long clockDue = Long.MIN_VALUE;

    /** No generation leaves the window before the clock gets here; may be too early. */
    private long nextExpiry = Long.MIN_VALUE;

    private boolean closed;

    /** Also used by {@link WindowedFilterFormat}, which then fills in the rest. */
    WindowedFilter(WindowOptions options, MemoryBudget budget, long clock) {
        this.options = Objects.requireNonNull(options, "options");
        this.claim = Objects.requireNonNull(budget, "budget").claim();
        this.held = new HeldSegments(claim);
        this.slices = new Slices(options, claim, held);
        this.clock = clock;
        followOrNot();
    }

    /**
     * An empty filter, made for the expected ids, or for as many as the budget grants.
     *
     * @param now the clock; {@code Long.MIN_VALUE} if it is not known yet
     * @throws IllegalArgumentException if the whole budget is less than the smallest filter takes
     */
    public static WindowedFilter create(WindowOptions options, MemoryBudget budget, long now) {
        long least = SegmentAllocator.leastBytes(options);
        if (budget.maxBytes() < least) {
            throw new IllegalArgumentException(
                    "a budget of "
                            + budget.maxBytes()
                            + " bytes cannot hold a filter, the smallest takes "
                            + least
                            + ": give more memory");
        }
        return create(options, budget, now, options.expectedPerWindow());
    }

    /**
     * An empty filter that is made for {@code firstIds} per window and then grows, first to what is
     * expected. For filters that share a budget that may not suffice for what all of them expect:
     * those that begin small leave memory for those that get ids. The price is a second array to
     * look into until the first one is forgotten. Never fails because of the budget: the smallest
     * array may exceed it.
     *
     * @param firstIds less than a few hundred count as that
     */
    public static WindowedFilter create(
            WindowOptions options, MemoryBudget budget, long now, long firstIds) {
        WindowedFilter filter = new WindowedFilter(options, budget, now);
        filter.slices.begin((double) firstIds, now);
        return filter;
    }

    /**
     * Bytes that a filter takes when it gets what is expected, even if that is more than a Java
     * array can be.
     */
    public static long expectedBytes(WindowOptions options) {
        return SegmentAllocator.neededBytes(options, (double) options.expectedPerWindow());
    }

    /** Bytes of the smallest filter. */
    public static long leastBytes(WindowOptions options) {
        return SegmentAllocator.leastBytes(options);
    }

    /**
     * Records {@code hash} unless it is reported as seen: one atomic check-and-insert. May move the
     * clock, unless that is the caller's. Where the clock follows the timestamps, it is behind most
     * of them; an id that is held only from before {@code timestamp} minus the window does not
     * count as seen.
     *
     * @return true if it was certainly absent and is now recorded; false if it is reported as seen,
     *     and then nothing but the clock changed
     * @throws FilterFullException under {@link OverflowPolicy#FAIL} if there is no room for a new
     *     id; no id was recorded or forgotten
     */
    public boolean add(long hash, long timestamp) {
        if (arrivals != null) {
            follow(timestamp);
        }
        if (mightContain(hash) && !isOutOfItsWindow(hash, timestamp)) {
            return false;
        }
        record(hash, timestamp);
        return true;
    }

    /**
     * As {@link #add}, and an id that is reported as seen is held for another window from {@code
     * timestamp} on: so it is forgotten when it has not been given for the window. An id that is
     * only confused with others is held from then on like one that was recorded.
     *
     * <p>An id is held once for each slice in which it came, in every layout: one that comes all
     * the time takes the room of as many ids as there are slices, and no more however often it
     * comes.
     *
     * @return true if it was certainly absent
     * @throws FilterFullException as {@link #add}, also for an id that is reported as seen
     */
    public boolean addOrRenew(long hash, long timestamp) {
        if (add(hash, timestamp)) {
            return true;
        }
        long time = believed(hash, timestamp);
        slices.renew(hash, time, clock);
        nextExpiry = Math.min(nextExpiry, expiry(time));
        return false;
    }

    /** Moves the clock to where the timestamps say it is, if that is worthwhile. */
    private void follow(long timestamp) {
        arrivals.vote(timestamp);
        if (timestamp >= clockDue) {
            requireOpen();
            advanceTo(arrivals.time());
        }
    }

    /** Whether {@code hash}, which is held, is held only in slices before the window. */
    private boolean isOutOfItsWindow(long hash, long timestamp) {
        if (arrivals == null || timestamp < nextExpiry) {
            return false;
        }
        long horizon = Times.horizon(timestamp, options.windowMillis());
        return !held.holdsSince(hash, horizon) && !arrivals.remembers(hash, horizon);
    }

    /** To be called when the options or the clock have changed. */
    private void followOrNot() {
        if (!options.clockFollowsTimestamps()) {
            arrivals = null;
        } else if (arrivals == null) {
            arrivals = new ArrivalClock();
        }
        planNextLook();
    }

    /** The clock is looked for again when a timestamp is a part of a slice ahead of it. */
    private void planNextLook() {
        long step = Math.min(Slices.sliceMillis(options) / CLOCK_STEPS, options.maxFutureMillis());
        clockDue = Times.plus(clock, Math.max(1, step));
    }

    /**
     * Records {@code hash} even if it is reported as seen: for callers that know for certain that
     * it is new, so that it is held for its own window and not for that of the ids it is confused
     * with. Does not move the clock.
     *
     * @throws FilterFullException as {@link #add}
     */
    public void record(long hash, long timestamp) {
        requireOpen();
        insert(hash, believed(hash, timestamp));
    }

    /**
     * The time that an id is to be held with. If it is too far ahead of the clock to be believed,
     * that is counted, and remembered where the clock may follow.
     */
    private long believed(long hash, long timestamp) {
        long time = Math.max(timestamp, Long.MIN_VALUE + 1);
        long latest = options.latestTime(clock);
        if (arrivals != null && (time > latest || clock == Long.MIN_VALUE)) {
            arrivals.remember(hash, time);
        }
        if (time > latest) {
            future += clock == Long.MIN_VALUE ? 0 : 1;
            time = latest;
        }
        return time;
    }

    private void insert(long hash, long time) {
        slices.insert(hash, time, clock);
        nextExpiry = Math.min(nextExpiry, expiry(time));
    }

    /**
     * Notes the memory that {@link #add} of {@code hash} will need, and changes nothing. For a
     * batch of hashes: {@link Touches#read} waits for everything that was noted, for one filter or
     * several, at once instead of one by one when the hashes are added. That is several times the
     * throughput once the filters are larger than the processor's caches.
     */
    public void touch(long hash, Touches into) {
        requireOpen();
        held.current().array.touch(hash, into);
    }

    /** Whether {@code hash} is reported as seen. Changes nothing. */
    public boolean mightContain(long hash) {
        requireOpen();
        return held.holds(hash);
    }

    /**
     * Sets the clock, and forgets generations all of whose ids have a timestamp below {@code clock
     * - window}, never anything younger. A clock that goes back is ignored. O(generations).
     */
    public void advanceTo(long newClock) {
        requireOpen();
        if (newClock <= clock) {
            return;
        }
        if (clock == Long.MIN_VALUE) {
            slices.clockStarts(newClock);
            held.clockStarts(newClock, options.latestTime(newClock));
            nextExpiry = Long.MIN_VALUE;
            if (arrivals != null) {
                // Ids that were not too far ahead are held as they are.
                arrivals.recall(options.latestTime(newClock), false, (hash, timestamp) -> {});
            }
        }
        // Then ids that were held as if at the previous bound may be forgotten now.
        boolean jumped = newClock > options.latestTime(clock);
        clock = newClock;
        if (arrivals != null) {
            planNextLook();
        }
        if (newClock >= nextExpiry) {
            forgetExpired();
        }
        if (arrivals != null && arrivals.remembersAny()) {
            recall(jumped);
        }
    }

    /** Records ids again that were too far ahead of the clock before it moved. */
    private void recall(boolean all) {
        try {
            arrivals.recall(options.latestTime(clock), all, this::insert);
        } catch (FilterFullException e) {
            // Counted in overflows, and still remembered; the caller gets the exception with its
            // next new id.
        }
    }

    /**
     * Forgets what time it is, and nothing else: the next {@link #advanceTo} sets the clock, even
     * to an earlier time. For a clock that ran ahead because a wild timestamp was believed.
     */
    public void resetClock() {
        requireOpen();
        clock = Long.MIN_VALUE;
        slices.clockStops();
        if (arrivals != null) {
            arrivals.reset();
        }
        followOrNot();
    }

    private void forgetExpired() {
        long horizon = Times.horizon(clock, options.windowMillis());
        if (horizon == Long.MIN_VALUE) {
            nextExpiry = Long.MIN_VALUE;
            return;
        }
        held.forgetBefore(horizon);
        nextExpiry = expiry(held.earliestEnd());
        Generations generations = held.current().generations;
        if (generations.activeIds() > 0 && generations.newestEnd() < horizon) {
            held.forgot(generations);
            slices.restart(clock);
        }
    }

    /** The first clock at which {@code timestamp} has left the window. */
    private long expiry(long timestamp) {
        return Times.plus(Times.plus(timestamp, options.windowMillis()), 1);
    }

    /** Every id recorded with a timestamp not below this is still held. */
    public long coveredSince() {
        return held.coveredSince();
    }

    /**
     * As {@link #coveredSince}, for the ids that were not ahead of the clock when they came: a few
     * with timestamps far ahead, forgotten early, say nothing about the others. At most {@link
     * #coveredSince}.
     */
    public long coveredBehind() {
        return held.coveredBehind();
    }

    /**
     * Probability that an id that was never given is reported as seen, now: from what is stored, in
     * a sample of a few hundred cache lines of each array (a few percent of error). O(1).
     */
    public double predictedFpp() {
        requireOpen();
        return held.predictedFpp();
    }

    /** Ids that are held, in or out of the window. */
    public long idsHeld() {
        requireOpen();
        return held.ids();
    }

    /** Slices that are held and not empty, or active. */
    public int generations() {
        requireOpen();
        return held.generations();
    }

    /** Bytes reserved in the budget. */
    public long sizeInBytes() {
        return closed ? 0 : held.bytes();
    }

    /**
     * The clock, which may be a little behind the timestamps; {@code Long.MIN_VALUE} if it is not
     * known yet.
     */
    public long clock() {
        return clock;
    }

    /** The options in force. */
    public WindowOptions options() {
        return options;
    }

    /**
     * Ids affected by the memory cap: recorded beyond what {@code fpp} allows, forgotten early, or
     * refused. Never decreases.
     */
    public long overflows() {
        return slices.overflows();
    }

    /**
     * Ids recorded with a timestamp too far ahead of the clock, since the filter was made or read.
     */
    public long future() {
        return future;
    }

    /**
     * Bytes that would have sufficed for the ids that came, where the budget did not; 0 if it
     * always did. Since the filter was made or read.
     */
    public long wantedBytes() {
        requireOpen();
        return slices.wantedBytes();
    }

    /**
     * Puts other options in force. A longer window holds from now on for all that is still held;
     * what was forgotten stays forgotten. If the probability or the layout changes, the present
     * array is only read from now on, until it is forgotten. If many arrays are held already, or
     * the budget has no room, a changed layout waits for the next rotation.
     */
    public void changeOptions(WindowOptions newOptions) {
        requireOpen();
        options = Objects.requireNonNull(newOptions, "newOptions");
        followOrNot();
        forgetExpired();
        slices.changeOptions(newOptions, clock);
    }

    /** Moves the clock and the times of all that is held, as if they had always been like that. */
    public void shiftTime(long deltaMillis) {
        requireOpen();
        clock = Times.plus(clock, deltaMillis);
        nextExpiry = Times.plus(nextExpiry, deltaMillis);
        clockDue = Times.plus(clockDue, deltaMillis);
        if (arrivals != null) {
            arrivals.shift(deltaMillis);
        }
        slices.shiftTime(deltaMillis);
        held.shiftTime(deltaMillis);
    }

    /**
     * What {@link #writeTo} would write now, for another thread to write while the filter goes on.
     * Must be closed. O(pages of 4 KiB): some microseconds for 100 MB. For the memory it takes see
     * {@link WindowedFilterSnapshot}.
     */
    public WindowedFilterSnapshot pin() {
        requireOpen();
        return WindowedFilterFormat.pin(this);
    }

    /** Writes everything but the budget. The stream is neither flushed nor closed. */
    @Override
    public void writeTo(OutputStream out) throws IOException {
        try (WindowedFilterSnapshot snapshot = pin()) {
            snapshot.writeTo(out);
        }
    }

    /**
     * Reads what {@link #writeTo} wrote, and puts {@code options} in force as {@link
     * #changeOptions} does. What was written is held even if the budget is too small: the budget
     * then exceeds its cap until enough is forgotten, and grants nothing new.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static WindowedFilter readFrom(
            InputStream in, String source, WindowOptions options, MemoryBudget budget)
            throws IOException {
        WindowedFilter filter = WindowedFilterFormat.read(in, source, options, budget);
        filter.changeOptions(options);
        return filter;
    }

    /**
     * Gives the memory back to the budget. Afterwards every method throws {@link
     * IllegalStateException}, except this one and queries that need no memory. Idempotent.
     */
    public void close() {
        if (!closed) {
            closed = true;
            held.release();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the filter was closed: make another one");
        }
    }

    /** The arrays, oldest first; the last one is the one that ids go to. */
    List<Segment> segments() {
        return held.all();
    }

    /** Completes a filter that was read. */
    void restore(List<Segment> oldestFirst, long covered, long behind, long overflowed) {
        for (Segment segment : oldestFirst) {
            claim.reserve(segment.bytes());
        }
        held.restore(oldestFirst, covered, behind);
        slices.restore(overflowed, clock);
    }
}
