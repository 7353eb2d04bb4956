/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.annotation.Internal;
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
 * <p><b>Guarantee:</b> an id is reported as seen if it was recorded with a timestamp at most a
 * window away from the one that is asked for, before or after it, as far as both are covered: at or
 * after {@link #coveredSince}, which is at most the clock minus the window as long as memory
 * suffices. Rotations, growth, changed options, snapshot and restore change nothing of this, nor
 * does the place of the clock. An id that was not recorded, or with a timestamp that is more than a
 * window and a slice away, is reported as seen with a probability of at most the options' {@code
 * fpp} while {@link #overflows} is 0, and always of at most {@code maxFpp}. A slice is an eighth of
 * the window. Where the memory does not suffice, the window gives way, and {@link #coveredSince}
 * says so; under {@link OverflowPolicy#FAIL} new ids are refused instead.
 *
 * <p><b>The clock</b> only says what may be forgotten. It follows the timestamps given to {@link
 * #add}: it is as late as most of the last ones say, see {@link
 * WindowOptions#clockFollowsTimestamps}. By default nothing else is needed to get the window. A
 * caller that knows the time better (a watermark) asks for {@link
 * WindowOptions.Builder#clockOfCaller} and calls {@link #advanceTo}. SaturatedTime are milliseconds
 * of any clock that the caller chooses. A clock of {@code Long.MIN_VALUE} means "not known yet";
 * ids are then forgotten only when memory runs out, in the order in which they came. An id with a
 * timestamp further ahead of the clock than {@link WindowOptions#maxFutureMillis} is found by its
 * own time, and kept as if it were that far ahead, so a wild one does not stay for ever. One that
 * is late is kept for a window from then on.
 *
 * <p><b>How.</b> Time is divided into slices. An array ({@link io.sluice.filter.plane.PlaneArray})
 * is a table of fingerprints, with planes that slices use in turn; the turn is part of the
 * fingerprint, so the slices of a plane are never confused ({@link Segment}). A plane is emptied
 * when its slice has left the window. When more ids come than fit, or when options change, a new
 * array becomes the current one, and older arrays are only read until they are forgotten; normally
 * there is just one. A duplicate does not renew the age of its id, unless {@link #addOrRenew} is
 * asked to.
 *
 * <p>Cost: a lookup touches the cache lines of one id, for any number of generations; an insertion
 * touches the same, and a few words of the sweep. Nothing is allocated per id. Not thread-safe.
 */
public final class ForgetfulFilter implements Persistent {

    /** Steps per slice of a clock that follows timestamps. */
    private static final int CLOCK_STEPS = 8;

    private final HeldSegments held;
    private final MemoryBudget.Claim claim;
    private final Slices slices;
    private WindowOptions options;
    private NearbySlices reach;
    private long clock;
    private long future;

    /** The timestamp that came last: what is in its reach decides about the next. */
    private long latest = Long.MIN_VALUE;

    /** Timestamps up to this were believed when the clock moved. */
    private long believed = Long.MAX_VALUE - 1;

    /** Null if the clock is the caller's. */
    private ArrivalClock arrivals;

    /** An arrival before this moves the clock too little to matter. */
    private long clockDue = Long.MIN_VALUE;

    /** No generation leaves the window before the clock gets here; may be too early. */
    private long nextExpiry = Long.MIN_VALUE;

    private boolean closed;

    /** Also used by {@link ForgetfulFilterFormat}, which then fills in the rest. */
    ForgetfulFilter(WindowOptions options, MemoryBudget budget, long clock) {
        this.options = Objects.requireNonNull(options, "options");
        this.claim = Objects.requireNonNull(budget, "budget").claim();
        this.held = new HeldSegments(claim);
        this.slices = new Slices(options, claim, held);
        this.reach = reach();
        this.clock = clock;
        this.believed = options.latestTime(clock);
        followOrNot();
    }

    /**
     * An empty filter, made for the expected ids, or for as many as the budget grants.
     *
     * @param now the clock; {@code Long.MIN_VALUE} if it is not known yet
     * @throws IllegalArgumentException if the whole budget is less than the smallest filter takes
     */
    public static ForgetfulFilter create(WindowOptions options, MemoryBudget budget, long now) {
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
     * An empty filter that is made for {@code firstIds} per window and then grows to what is
     * expected: at once if the budget has that for all filters, or else to at most 64 times the ids
     * that came. For filters that share a budget that may not suffice for what all of them expect:
     * those that begin small leave memory for those that get ids. The price is one array to look
     * into for each step, until it is forgotten. Never fails because of the budget: the smallest
     * array may exceed it.
     *
     * @param firstIds less than a few hundred count as that
     */
    public static ForgetfulFilter create(
            WindowOptions options, MemoryBudget budget, long now, long firstIds) {
        ForgetfulFilter filter = new ForgetfulFilter(options, budget, now);
        filter.slices.begin((double) firstIds);
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
     * clock, unless that is the caller's.
     *
     * @return true if it was certainly not recorded with a timestamp in the window around {@code
     *     timestamp}, and is recorded now; false if it is reported as seen, and then nothing but
     *     the clock changed
     * @throws FilterFullException under {@link OverflowPolicy#FAIL} if there is no room for a new
     *     id; no id was recorded or forgotten
     */
    public boolean add(long hash, long timestamp) {
        if (arrivals != null) {
            follow(timestamp);
        }
        return add(hash, timestamp, believed(timestamp));
    }

    /**
     * As the other, for a caller that knows which timestamps to believe.
     *
     * @param kept the time that has to leave the window before the id may be forgotten: {@code
     *     timestamp}, or less if that is not believed
     */
    public boolean add(long hash, long timestamp, long kept) {
        requireOpen();
        if (held.holds(hash, reach.of(ordinary(timestamp)))) {
            return false;
        }
        insert(hash, timestamp, kept);
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
        if (arrivals != null) {
            follow(timestamp);
        }
        return addOrRenew(hash, timestamp, believed(timestamp));
    }

    /** As the other, for a caller that knows which timestamps to believe. */
    public boolean addOrRenew(long hash, long timestamp, long kept) {
        if (add(hash, timestamp, kept)) {
            return true;
        }
        renewTogether(hash, hash, timestamp, kept);
        return false;
    }

    /**
     * Holds an id and its companion, which were recorded {@linkplain #insertTogether together}, for
     * another window from {@code timestamp} on. The two are held once for each slice.
     *
     * @throws FilterFullException as {@link #add}
     */
    @Internal
    public void renewTogether(long hash, long companion, long timestamp, long kept) {
        requireOpen();
        slices.renew(hash, companion, ordinary(timestamp), ordinary(kept), clock);
        nextExpiry = Math.min(nextExpiry, expiry(ordinary(kept)));
    }

    /** Moves the clock to where the timestamps say it is, if that is worthwhile. */
    private void follow(long timestamp) {
        arrivals.vote(timestamp);
        if (timestamp >= clockDue) {
            requireOpen();
            advanceTo(arrivals.time());
        }
    }

    /** Must be called when the options or the clock have changed. */
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
        clockDue = SaturatedTime.plus(clock, Math.max(1, step));
    }

    /**
     * Inserts {@code hash} even if it is reported as seen: for callers that know for certain that
     * it is new, so that it is held for its own window and not for that of the ids it is confused
     * with. Does not move the clock.
     *
     * @throws FilterFullException as {@link #add}
     */
    public void insert(long hash, long timestamp) {
        insert(hash, timestamp, believed(timestamp));
    }

    /** As the other, for a caller that knows which timestamps to believe. */
    public void insert(long hash, long timestamp, long kept) {
        insertTogether(hash, hash, timestamp, kept);
    }

    /**
     * As {@link #insert}, with something that is known of the id: as long as a lookup with any
     * timestamp finds {@code hash} where it was recorded here, a lookup with the same timestamp
     * finds {@code companion}, since both are forgotten at once. The reverse is not guaranteed.
     * Takes the room of two ids.
     *
     * @param companion a hash of the id and of what is known
     * @throws FilterFullException as {@link #add}; the companion alone may then be recorded
     */
    @Internal
    public void insertTogether(long hash, long companion, long timestamp, long kept) {
        requireOpen();
        long time = ordinary(timestamp);
        long until = ordinary(Math.min(timestamp, kept));
        future += until < time ? 1 : 0;
        latest = until;
        slices.insert(hash, companion, time, until, clock);
        nextExpiry = Math.min(nextExpiry, expiry(until));
    }

    /** The time that an id is to be kept as: not too far ahead of the clock to be believed. */
    private long believed(long timestamp) {
        return Math.min(timestamp, options.latestTime(clock));
    }

    /** The ends of the range mean other things than times. */
    private static long ordinary(long timestamp) {
        return Math.min(Long.MAX_VALUE - 1, Math.max(timestamp, Long.MIN_VALUE + 1));
    }

    /**
     * Notes the memory that {@link #add} of {@code hash} will need, and changes nothing. For a
     * batch of hashes: {@link Touches#read} waits for everything that was noted, for one filter or
     * several, at once instead of one by one when the hashes are added. That is several times the
     * throughput once the filters are larger than the processor's caches.
     */
    @Internal
    public void touch(long hash, Touches into) {
        requireOpen();
        held.current().touch(hash, into);
    }

    /**
     * Whether {@code hash} was recorded with a timestamp in the window around {@code timestamp}, or
     * seems to have been. Changes nothing.
     */
    public boolean mightContain(long hash, long timestamp) {
        requireOpen();
        return held.holds(hash, reach().of(ordinary(timestamp)));
    }

    /** As {@link #mightContain}, for the one that also records: allocates nothing. */
    @Internal
    public boolean holds(long hash, long timestamp) {
        requireOpen();
        return held.holds(hash, reach.of(ordinary(timestamp)));
    }

    /** One of a reader's own: {@link #reach} is changed by each call. */
    private NearbySlices reach() {
        return new NearbySlices(options.windowMillis(), Slices.sliceMillis(options));
    }

    /**
     * Sets the clock, and forgets generations all of whose ids have a timestamp below {@code clock
     * - window}, never anything younger. A clock that goes back is ignored. O(generations).
     */
    public void advanceTo(long newClock) {
        advanceTo(newClock, options.latestTime(newClock));
    }

    /**
     * As the other, for a caller that knows which timestamps to believe.
     *
     * @param latest timestamps up to this are believed, at least {@code newClock}
     */
    public void advanceTo(long newClock, long latest) {
        requireOpen();
        if (newClock <= clock) {
            return;
        }
        long bound = Math.min(latest, Long.MAX_VALUE - 1);
        if (clock == Long.MIN_VALUE) {
            held.clockStarts(newClock, bound);
            nextExpiry = Long.MIN_VALUE;
        }
        boolean jumped = clock != Long.MIN_VALUE && newClock > believed;
        clock = newClock;
        believed = bound;
        if (arrivals != null) {
            planNextLook();
        }
        if (newClock >= nextExpiry) {
            forgetExpired(jumped);
        }
    }

    /**
     * Forgets what time it is, and nothing else: the next {@link #advanceTo} sets the clock, even
     * to an earlier time. For a clock that ran ahead because a wild timestamp was believed.
     */
    public void resetClock() {
        requireOpen();
        clock = Long.MIN_VALUE;
        believed = Long.MAX_VALUE - 1;
        slices.clockStops();
        if (arrivals != null) {
            arrivals.reset();
        }
        followOrNot();
    }

    private void forgetExpired(boolean jumped) {
        long horizon = SaturatedTime.horizon(clock, options.windowMillis());
        if (horizon == Long.MIN_VALUE) {
            nextExpiry = Long.MIN_VALUE;
            return;
        }
        boolean heldAny = held.current().generations.idsHeld() > 0;
        held.believe(believed, options.windowMillis(), jumped);
        held.forgetBefore(horizon, clock, believed);
        nextExpiry = expiry(held.earliestKept(believed));
        if (heldAny && held.current().generations.idsHeld() == 0) {
            slices.restart();
        }
    }

    /** The first clock at which {@code timestamp} has left the window. */
    private long expiry(long timestamp) {
        return SaturatedTime.plus(SaturatedTime.plus(timestamp, options.windowMillis()), 1);
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
     * As {@link #coveredSince}, without ids that were far ahead of the clock when they came: an id
     * that comes now, at {@link #latest}, is recognised if it was recorded since then.
     */
    public long coveredForNew() {
        return held.coveredMain();
    }

    /**
     * The timestamp of the id that was recorded last, or the greatest one after the filter was
     * read; the least long if there is none.
     */
    public long latest() {
        return latest;
    }

    /**
     * Probability that an id that was never given is reported as seen, now: from what is stored, in
     * a sample of a few hundred cache lines of each array (a few percent of error). O(1).
     */
    public double predictedFpp() {
        requireOpen();
        return held.predictedFpp(reach.of(latest));
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
        reach = reach();
        believed = options.latestTime(clock);
        followOrNot();
        forgetExpired(false);
        slices.changeOptions(newOptions, clock);
    }

    /**
     * What {@link #writeTo} would write now, for another thread to write while the filter goes on.
     * Must be closed. O(pages of 4 KiB): some microseconds for 100 MB. For the memory it takes see
     * {@link ForgetfulFilterSnapshot}.
     */
    public ForgetfulFilterSnapshot pin() {
        requireOpen();
        return ForgetfulFilterFormat.pin(this);
    }

    /** Writes everything but the budget. The stream is neither flushed nor closed. */
    @Override
    public void writeTo(OutputStream out) throws IOException {
        try (ForgetfulFilterSnapshot snapshot = pin()) {
            snapshot.writeTo(out);
        }
    }

    /**
     * Reads what {@link #writeTo} wrote, and puts {@code options} in force as {@link
     * #changeOptions} does. What was written is held even if the budget is too small: the budget
     * then exceeds its cap until enough is forgotten, and grants each filter its equal part only.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static ForgetfulFilter readFrom(
            InputStream in, String source, WindowOptions options, MemoryBudget budget)
            throws IOException {
        ForgetfulFilter filter = ForgetfulFilterFormat.read(in, source, options, budget);
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
        latest = held.current().generations.newestKept(clock);
        slices.restore(overflowed, clock);
    }
}
