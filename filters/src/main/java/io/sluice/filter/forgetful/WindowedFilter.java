/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.FilterFullException;
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
 * least until the clock given to {@link #advanceTo} has passed s + window, whatever happened in
 * between: rotations, growth, changed options, snapshot and restore. (Only {@link
 * OverflowPolicy#SHORTEN_WINDOW} may break it, and {@link #coveredSince} says so.) An id that was
 * not recorded is reported as seen with a probability of at most the options' {@code fpp} while
 * {@link #overflows} is 0.
 *
 * <p><b>How.</b> Slices of the stream are kept in planes of one array ({@link PlaneArray}): a table
 * of fingerprints, or bit-sliced Bloom filters. A plane is used again only when the greatest
 * timestamp in it is out of the window, so timestamps may be out of order. A new plane is opened
 * when the active one is full or when its share of the window has passed, if one is free; otherwise
 * the active one goes on. When more ids come than fit, or when options change, a new array becomes
 * the active one and the older are only read until they are forgotten; normally there is one. A
 * duplicate that is seen again does not renew its age.
 *
 * <p>Times are milliseconds of any clock of the caller's choice; a clock of {@code Long.MIN_VALUE}
 * means "not known yet", and nothing is forgotten. A timestamp far in the future holds its slice
 * until the clock gets there: callers that do not trust their timestamps should bound them.
 *
 * <p>Cost: a lookup touches the cache lines of one id, whatever the number of generations;
 * insertion the same, and a few words of the sweep. Nothing is allocated per id. Not thread-safe.
 */
public final class WindowedFilter {

    /** Shrinks when less than this share was used, in each rotation of more than a window. */
    private static final double OVERSIZED = 0.25;

    private final MemoryBudget budget;
    private final SegmentAllocator allocator;
    private final HeldSegments held;
    private WindowOptions options;
    private long clock;
    private long overflows;

    /** The clock when the first id after an empty time came; unset if none came. */
    private long busySince = Long.MIN_VALUE;

    /** The clock at which the active slice has had its share of the window. */
    private long rotateAt;

    /** Ids in the active slice at which something is to be decided. */
    private long careAt;

    /** No generation leaves the window before the clock is here; may be too early. */
    private long nextExpiry = Long.MIN_VALUE;

    private boolean overfilling;
    private boolean closed;
    private int oversizedRotations;

    /** Used by {@link WindowedFilterFormat} too, which then fills in the rest. */
    WindowedFilter(WindowOptions options, MemoryBudget budget, long clock) {
        this.options = Objects.requireNonNull(options, "options");
        this.budget = Objects.requireNonNull(budget, "budget");
        this.allocator = new SegmentAllocator(budget);
        this.held = new HeldSegments(budget);
        this.clock = clock;
    }

    /**
     * An empty filter, made for the expected ids, or for fewer as far as the budget grants.
     *
     * @param now the clock; {@code Long.MIN_VALUE} if it is not known yet
     * @throws IllegalArgumentException if not even a small filter fits in the budget
     */
    public static WindowedFilter create(WindowOptions options, MemoryBudget budget, long now) {
        return create(options, budget, now, options.expectedPerWindow());
    }

    /**
     * An empty filter that is made for {@code firstIds} per window and then grows, first to what is
     * expected. For filters that share a budget which may not suffice for what all of them expect:
     * those that begin small leave memory for those that get ids. It costs them a second array to
     * look into until the first one is forgotten.
     *
     * @param firstIds at least 0; a few hundred are the least
     */
    public static WindowedFilter create(
            WindowOptions options, MemoryBudget budget, long now, long firstIds) {
        WindowedFilter filter = new WindowedFilter(options, budget, now);
        filter.held.begin(filter.allocator.createFirst(options, (double) firstIds));
        filter.opened();
        return filter;
    }

    /** Bytes that a filter reserves first if it is made for the expected ids. */
    public static long expectedBytes(WindowOptions options) {
        return SegmentAllocator.firstBytes(options, (double) options.expectedPerWindow());
    }

    /**
     * Records {@code hash} unless it is reported as seen: one atomic check-and-insert.
     *
     * @return true if it was certainly absent and is now recorded; false if it is reported as seen,
     *     and then nothing changed
     * @throws FilterFullException under {@link OverflowPolicy#FAIL} if there is no room for a new
     *     id; no id was recorded or forgotten
     */
    public boolean add(long hash, long timestamp) {
        if (mightContain(hash)) {
            return false;
        }
        record(hash, timestamp);
        return true;
    }

    /**
     * Records {@code hash} even if it is reported as seen: for callers who know exactly that it is
     * new, so that it is held for its own window and not for that of the ids it is confused with.
     *
     * @throws FilterFullException as {@link #add}
     */
    public void record(long hash, long timestamp) {
        if (held.current().generations.activeIds() >= careAt || clock >= rotateAt) {
            makeRoom();
        }
        held.current().insert(hash, timestamp);
        nextExpiry = Math.min(nextExpiry, expiry(timestamp));
        if (overfilling) {
            overflows++;
        }
    }

    /**
     * Notes the memory that {@link #add} of {@code hash} will need, and changes nothing. For a
     * batch of hashes: what was noted of all of them, of one filter or several, is waited for
     * together in {@link Touches#read} and not one by one when they are added. That is several
     * times the throughput once the filters are larger than the processor's caches.
     */
    public void touch(long hash, Touches into) {
        held.current().array.touch(hash, into);
    }

    /** Whether {@code hash} is reported as seen. Changes nothing. */
    public boolean mightContain(long hash) {
        return held.holds(hash);
    }

    /**
     * Sets the clock, and forgets generations all of whose ids have a timestamp below {@code clock
     * - window}, never anything younger. A clock that goes back is ignored. O(generations).
     */
    public void advanceTo(long newClock) {
        if (newClock <= clock) {
            return;
        }
        if (clock == Long.MIN_VALUE) {
            rotateAt = Times.plus(newClock, sliceMillis());
            busySince = newClock;
        }
        clock = newClock;
        if (newClock >= nextExpiry) {
            forgetExpired();
        }
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
            held.forgot(generations.newestEnd());
            restart();
        }
    }

    /** The first clock at which {@code timestamp} has left the window. */
    private long expiry(long timestamp) {
        return Times.plus(Times.plus(timestamp, options.windowMillis()), 1);
    }

    /** Nothing in the current array is inside the window: begins again, small. */
    private void restart() {
        Segment current = held.current();
        double initial = SegmentAllocator.smallIds(options);
        if (current.sliceCapacity > WindowSizing.sliceCapacity(initial)) {
            budget.release(current.bytes());
            // Smaller than what was just released: always granted, unless over the cap by a
            // restore.
            Segment small = allocator.tryCreate(options, held.older(), initial);
            if (small != null) {
                held.begin(small);
                opened();
                return;
            }
            budget.reserveRestored(current.bytes());
        }
        current.clear();
        opened();
    }

    /** Every id recorded with a timestamp not below this is still held. */
    public long coveredSince() {
        return held.coveredSince();
    }

    /**
     * Probability that an id that was never given is reported as seen, now: from the bits that are
     * set, in a sample of a few hundred cache lines of each array (a few percent of error). O(1).
     */
    public double predictedFpp() {
        return held.predictedFpp();
    }

    /** Ids that are held, in or out of the window. */
    public long idsHeld() {
        return held.ids();
    }

    /** Slices that are held and not empty, or active. */
    public int generations() {
        return held.generations();
    }

    /** Bytes reserved in the budget. */
    public long sizeInBytes() {
        return held.bytes();
    }

    /** The greatest clock so far; {@code Long.MIN_VALUE} if it is not known yet. */
    public long clock() {
        return clock;
    }

    /** The options in force. */
    public WindowOptions options() {
        return options;
    }

    /**
     * Ids that felt the lack of memory: recorded beyond capacity ({@link
     * OverflowPolicy#RAISE_FPP}), forgotten early ({@link OverflowPolicy#SHORTEN_WINDOW}), or
     * refused ({@link OverflowPolicy#FAIL}).
     */
    public long overflows() {
        return overflows;
    }

    /**
     * Puts other options in force. A longer window holds from now on for all that is still held;
     * what was forgotten stays so. If the probability or the layout changes, the present array is
     * only read from now on, until it is forgotten.
     */
    public void changeOptions(WindowOptions newOptions) {
        WindowOptions before = options;
        options = Objects.requireNonNull(newOptions, "newOptions");
        rotateAt = Math.min(rotateAt, Times.plus(clock, sliceMillis()));
        if (clock == Long.MIN_VALUE) {
            rotateAt = Long.MAX_VALUE;
        }
        forgetExpired();
        if (before.fpp() != options.fpp()
                || held.current().array.geometry().layout() != options.layout()) {
            replaceCurrent();
        }
    }

    /** Makes an array for the options in force the current one, if the budget grants it. */
    private void replaceCurrent() {
        double least = SegmentAllocator.smallIds(options);
        double ids = Math.max((double) held.current().generations.idsHeld(), least);
        Segment segment = allocator.tryCreateAtMost(options, held.readBesides(), ids, least);
        if (segment != null) {
            install(segment);
        }
    }

    /** Moves the clock and the times of all that is held, as if they had always been so. */
    public void shiftTime(long deltaMillis) {
        clock = Times.plus(clock, deltaMillis);
        nextExpiry = Times.plus(nextExpiry, deltaMillis);
        busySince = Times.plus(busySince, deltaMillis);
        rotateAt = rotateAt == Long.MAX_VALUE ? rotateAt : Times.plus(rotateAt, deltaMillis);
        held.shiftTime(deltaMillis);
    }

    /**
     * Makes the clock unknown again: the next {@link #advanceTo} sets it, even to an earlier time.
     * What is held stays held.
     */
    public void resetClock() {
        clock = Long.MIN_VALUE;
        rotateAt = Long.MAX_VALUE;
    }

    /** Writes everything but the budget. The stream is neither flushed nor closed. */
    public void writeTo(OutputStream out) throws IOException {
        WindowedFilterFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote, and puts {@code options} in force as {@link
     * #changeOptions} does. What was written is held even if the budget is too small for it: it
     * then exceeds its cap until enough is forgotten, and grants nothing new.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static WindowedFilter readFrom(
            InputStream in, String source, WindowOptions options, MemoryBudget budget)
            throws IOException {
        WindowedFilter filter = WindowedFilterFormat.read(in, source, budget);
        filter.changeOptions(options);
        return filter;
    }

    /** Gives the memory back to the budget. The filter must not be used any more. Idempotent. */
    public void close() {
        if (!closed) {
            closed = true;
            held.release();
        }
    }

    /** The active slice is full, or had its share of time: opens the next if there is one. */
    private void makeRoom() {
        Segment current = held.current();
        Generations generations = current.generations;
        if (generations.activeIds() == 0) {
            opened();
            return;
        }
        boolean full = generations.activeIds() >= current.sliceCapacity;
        if (current.free() == 0 && full && current.array.dirty() != 0) {
            if (generations.activeIds() < current.sliceCapacity + current.sliceCapacity / 8) {
                return;
            }
            current.array.finishSweep();
        }
        long free = current.free();
        if (free != 0) {
            if (!shrunk()) {
                current.open(Long.numberOfTrailingZeros(free));
                opened();
            }
        } else if (full) {
            growOrOverflow();
        } else {
            rotateAt = Times.plus(clock, Math.max(1, sliceMillis() / 8));
        }
    }

    private void growOrOverflow() {
        double plan = plannedIds();
        if (grown(plan)) {
            return;
        }
        switch (options.overflow()) {
            case FAIL -> {
                overflows++;
                throw new FilterFullException(
                        "no room for another id: "
                                + idsHeld()
                                + " ids are held, and the budget of "
                                + budget.maxBytes()
                                + " bytes has "
                                + budget.available()
                                + " left: give more memory, a shorter window, a higher fpp, or"
                                + " another overflow policy");
            }
            case SHORTEN_WINDOW -> shortenWindow(plan);
            case RAISE_FPP -> {
                overfilling = true;
                Segment current = held.current();
                careAt = current.generations.activeIds() + Math.max(1, current.sliceCapacity / 16);
            }
        }
    }

    /** Forgets the oldest slices of all arrays until there is room for the next. */
    private void shortenWindow(double plan) {
        while (!held.older().isEmpty()) {
            int arrays = held.older().size();
            overflows += held.forgetOldest();
            if (held.older().size() < arrays && grown(plan)) {
                return;
            }
        }
        overflows += held.forgetOldest();
    }

    /** Makes a larger array the current one, if the budget grants it. */
    private boolean grown(double plan) {
        Segment grown =
                allocator.tryCreateAtMost(
                        options, held.readBesides(), plan, held.current().windowCapacity());
        if (grown != null) {
            install(grown);
        }
        return grown != null;
    }

    /** Ids per window to plan for, from what came since the filter got busy. */
    private double plannedIds() {
        double elapsed = busySince == Long.MIN_VALUE ? 0 : (double) clock - busySince;
        return SegmentAllocator.plannedIds(
                options, held.current().windowCapacity(), idsHeld(), elapsed);
    }

    /** Replaces an array that was much too large throughout a window by a smaller one. */
    private boolean shrunk() {
        double capacity = held.current().windowCapacity();
        double ids = held.current().generations.idsHeld();
        boolean oversized =
                ids < OVERSIZED * capacity && capacity > 2 * SegmentAllocator.SMALL_IDS_PER_WINDOW;
        oversizedRotations = oversized ? oversizedRotations + 1 : 0;
        if (oversizedRotations <= WindowSizing.PLANES || !held.older().isEmpty()) {
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
        opened();
    }

    private long sliceMillis() {
        return Math.max(1, options.windowMillis() / (WindowSizing.PLANES - 1));
    }

    /** To be called when an active slice was opened. */
    private void opened() {
        overfilling = false;
        careAt = held.current().sliceCapacity;
        rotateAt = clock == Long.MIN_VALUE ? Long.MAX_VALUE : Times.plus(clock, sliceMillis());
        if (idsHeld() == 0) {
            busySince = clock;
        }
    }

    /** The arrays, oldest first; the last one is the one that ids go to. */
    List<Segment> segments() {
        return held.all();
    }

    /** Completes a filter that was read. */
    void restore(List<Segment> oldestFirst, long covered, long overflowed) {
        held.restore(oldestFirst, covered);
        overflows = overflowed;
        busySince = clock;
        opened();
    }

    MemoryBudget budget() {
        return budget;
    }
}
