/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.ForgetfulFilterSnapshot;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Touches;
import io.sluice.filter.memory.Words;
import io.sluice.filter.sample.IdSample;
import io.sluice.filter.sample.SampleMemory;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.runtime.PinnedStructure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import org.apache.flink.annotation.Internal;

/**
 * Decides which ids of one key group are first occurrences. Consists of a {@link ForgetfulFilter},
 * the rule for late records, and the {@link IdSample} that measures the filter. Does not depend on
 * Flink.
 *
 * <p>Time is in ms of a clock that the caller advances with {@link #advanceTo}; only {@link
 * #resetClock} can set it back. {@link Long#MIN_VALUE} is the time before any watermark: then
 * records are not late, and ids are not forgotten. O(1) per id, amortised. Not thread-safe.
 *
 * <p>One that compares contents holds with each id the content of its record, see {@link IdForms},
 * and tells a duplicate with another content: {@link Verdict#CONFLICT}. It is one only if all
 * records of the id that it may repeat are held with their contents, and none of those is the same;
 * else the record is {@link Verdict#UNCOMPARED}. Since an id and its content are forgotten at once,
 * no record that repeats one in id and content is taken for a conflict. One that differs is taken
 * for a plain duplicate with a third of the probability of a wrong duplicate. A first that is taken
 * for a duplicate is in general a conflict too.
 *
 * <p>Format: {@link DeduplicatorFormat}, then the envelopes of the sample and the filter.
 */
@Internal
public final class Deduplicator {

    /** The predicted error is recomputed when the filter has grown by 1/128. */
    private static final int FPP_STEP_SHIFT = 7;

    /**
     * Measuring the fill costs as much as some hundred adds, so it is done only when it has grown
     * by 1/8.
     */
    private static final int FPP_MEASURE_SHIFT = 3;

    private final WindowOptions options;
    private final IdSample shadow;
    private final ForgetfulFilter filter;
    private final boolean contents;
    private long lag;

    /**
     * The time that has to leave the window before all ids are held as their own hashes; {@link
     * DeduplicatorFormat#NO_FORMS} if they are.
     */
    private long formsUntil = DeduplicatorFormat.NO_FORMS;

    /** The latest known {@link #windowStart}; may lag behind it. */
    private long latestWindowStart = Long.MIN_VALUE;

    private double cachedFpp;
    private long addsUntilFppIsStale;
    private double measuredFpp;
    private long measuredIds;

    /** What was covered when the predicted error was computed; changes when ids are forgotten. */
    private long fppCoveredSince = Long.MIN_VALUE;

    private long fppCoveredBehind = Long.MIN_VALUE;

    private Deduplicator(
            WindowOptions options, ForgetfulFilter filter, IdSample shadow, boolean contents) {
        this.contents = contents;
        this.options = requireNonNull(options, "options");
        if (options.clockFollowsTimestamps()) {
            throw new IllegalArgumentException(
                    "clockFollowsTimestamps must be false: advanceTo sets the clock; call"
                            + " clockOfCaller() on the builder of the options");
        }
        this.filter = requireNonNull(filter, "filter");
        this.shadow = requireNonNull(shadow, "shadow");
    }

    /**
     * Returns an empty deduplicator that does not know the time yet.
     *
     * @param firstIds that the filter is made for at first, see {@link ForgetfulFilter#create}
     * @param shadowIds most ids that are kept exactly, see {@link IdSample}
     */
    public static Deduplicator create(
            WindowOptions options, MemoryBudget budget, long firstIds, int shadowIds) {
        return create(options, budget, firstIds, shadowIds, false);
    }

    /**
     * As the other.
     *
     * @param contents whether contents are compared; {@code options} then are those of one form of
     *     {@link IdForms}, and expect two entries for each id
     */
    static Deduplicator create(
            WindowOptions options,
            MemoryBudget budget,
            long firstIds,
            int shadowIds,
            boolean contents) {
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, Long.MIN_VALUE, firstIds);
        return new Deduplicator(
                options, filter, newShadow(options, budget, shadowIds, contents), contents);
    }

    /** Moves the clock forward and forgets what has left the window. Ignores earlier times. */
    public void advanceTo(long now) {
        filter.advanceTo(now);
        endForms();
    }

    /**
     * As the other, for a caller that knows which timestamps to believe.
     *
     * @param latest timestamps up to this are believed, at least {@code now}
     */
    public void advanceTo(long now, long latest) {
        filter.advanceTo(now, latest);
        endForms();
    }

    /** Where contents are not compared any more: until the last of them has left the window. */
    private void endForms() {
        if (formsUntil != DeduplicatorFormat.NO_FORMS && !contents && windowStart() > formsUntil) {
            formsUntil = DeduplicatorFormat.NO_FORMS;
            filter.changeOptions(options);
        }
    }

    /**
     * Notes the memory that {@link #decide} will need; does not change the filter. If this is
     * called for several ids first, they wait for memory together: see {@link
     * ForgetfulFilter#touch}.
     */
    public void touch(long hash, Touches into) {
        filter.touch(hash, into);
        if (contents) {
            filter.touch(IdForms.known(hash), into);
        }
    }

    /** Forgets only what time it is: the next {@link #advanceTo} sets the clock. */
    public void resetClock() {
        filter.resetClock();
        latestWindowStart = Long.MIN_VALUE;
        shadow.clockReset();
    }

    /**
     * Whether the id with this hash passed within a window of {@code timestamp}, before or after
     * it; if it certainly did not, it is remembered.
     *
     * @throws io.sluice.filter.FilterFullException if there is no memory for it and the overflow
     *     policy is FAIL; then the filter is unchanged
     */
    public Verdict decide(long hash, long timestamp) {
        return decide(hash, timestamp, timestamp);
    }

    /**
     * As the other, for a timestamp that may not be believed.
     *
     * @param kept the time that has to leave the window before the id may be forgotten, see {@link
     *     ForgetfulFilter#add(long, long, long)}
     */
    public Verdict decide(long hash, long timestamp, long kept) {
        return decide(hash, timestamp, kept, false);
    }

    /** As {@link #decide}, and a duplicate that is not late is remembered from then on. */
    Verdict decideAndRenew(long hash, long timestamp, long kept) {
        return decide(hash, timestamp, kept, true);
    }

    private Verdict decide(long hash, long timestamp, long kept, boolean renew) {
        boolean otherForm =
                formsUntil != DeduplicatorFormat.NO_FORMS && hasOtherForm(hash, timestamp);
        if (isLate(timestamp)) {
            return otherForm || filter.mightContain(hash, timestamp)
                    ? Verdict.DUPLICATE
                    : Verdict.LATE;
        }
        boolean absent;
        if (renew) {
            absent = filter.addOrRenew(hash, timestamp, kept) && !otherForm;
        } else {
            absent = !otherForm && filter.add(hash, timestamp, kept);
        }
        watch(hash, timestamp, kept, absent, renew);
        return absent ? Verdict.FIRST : Verdict.DUPLICATE;
    }

    /**
     * Holds an id that was seen elsewhere, unless it is held. Where contents are compared, that of
     * its record is not known.
     *
     * @param renew whether an id that is held, and not late, is remembered from then on
     * @return FIRST if it is held from now on, LATE if it is too old for that, DUPLICATE if it was
     *     held
     */
    Verdict note(long hash, long timestamp, long kept, boolean renew) {
        if (!contents) {
            return decide(hash, timestamp, kept, renew);
        }
        boolean absent = !filter.holds(hash, timestamp) && !hasOtherForm(hash, timestamp);
        if (isLate(timestamp)) {
            return absent ? Verdict.LATE : Verdict.DUPLICATE;
        }
        if (absent) {
            filter.insert(hash, timestamp, kept);
        } else if (renew) {
            renewWithoutContent(hash, timestamp, kept);
        }
        watch(hash, timestamp, kept, absent, renew);
        return absent ? Verdict.FIRST : Verdict.DUPLICATE;
    }

    /** Returns DUPLICATE if the id is held, and LATE if not: changes nothing. */
    Verdict find(long hash, long timestamp) {
        boolean isHeld =
                filter.mightContain(hash, timestamp)
                        || ((contents || formsUntil != DeduplicatorFormat.NO_FORMS)
                                && hasOtherForm(hash, timestamp));
        return isHeld ? Verdict.DUPLICATE : Verdict.LATE;
    }

    private boolean hasOtherForm(long hash, long timestamp) {
        return filter.holds(IdForms.known(hash), timestamp)
                || filter.holds(IdForms.renewed(hash), timestamp);
    }

    private void watch(long hash, long timestamp, long kept, boolean absent, boolean renew) {
        if (shadow.contains(hash)) {
            shadow.advanceTo(clock());
            shadow.added(hash, timestamp, kept, absent, coveredSince());
            if (renew && !absent) {
                shadow.renewed(hash, timestamp);
            }
        }
        addsUntilFppIsStale--;
    }

    /**
     * As {@link #decide(long, long, long)}, where contents are compared.
     *
     * @param entry the {@link IdForms#entry} of the record
     * @param renew whether a duplicate that is not late is remembered from then on
     */
    Verdict decide(long hash, long entry, long timestamp, long kept, boolean renew) {
        Verdict verdict = compared(hash, entry, timestamp);
        boolean absent = verdict == Verdict.FIRST;
        if (isLate(timestamp)) {
            return absent ? Verdict.LATE : verdict;
        }
        if (absent) {
            hold(hash, entry, timestamp, kept);
        } else if (renew) {
            renew(hash, entry, timestamp, kept, verdict);
        }
        watch(hash, timestamp, kept, absent, renew);
        return verdict;
    }

    /** Returns what is known of a record, as if it were not late. */
    private Verdict compared(long hash, long entry, long timestamp) {
        boolean known = filter.holds(IdForms.known(hash), timestamp);
        boolean unknown = filter.holds(hash, timestamp);
        if (!known && !unknown && !filter.holds(IdForms.renewed(hash), timestamp)) {
            return Verdict.FIRST;
        }
        if (filter.holds(entry, timestamp)) {
            return Verdict.DUPLICATE;
        }
        // One of the same content may have been forgotten before another of the id passed.
        return known && !unknown && covers(timestamp) ? Verdict.CONFLICT : Verdict.UNCOMPARED;
    }

    private void hold(long hash, long entry, long timestamp, long kept) {
        filter.insertTogether(IdForms.known(hash), entry, timestamp, kept);
        formsLastFor(kept);
    }

    private void renew(long hash, long entry, long timestamp, long kept, Verdict verdict) {
        if (verdict == Verdict.DUPLICATE) {
            filter.renewTogether(IdForms.known(hash), entry, timestamp, kept);
            formsLastFor(kept);
        } else {
            renewWithoutContent(hash, timestamp, kept);
        }
    }

    private void renewWithoutContent(long hash, long timestamp, long kept) {
        long renewed = IdForms.renewed(hash);
        filter.renewTogether(renewed, renewed, timestamp, kept);
        formsLastFor(kept);
    }

    /** One that was late when it came is kept from then on. */
    private void formsLastFor(long kept) {
        formsUntil = Math.max(formsUntil, Math.max(kept, clock()));
    }

    /**
     * Remembers an id that passes although {@link #decide} did not call it a first. It is either an
     * id that was reported as seen but is known exactly to be new, and must be held for its own
     * window rather than that of the ids it was confused with; or a late one that is allowed to
     * pass, so that its copies are recognised.
     *
     * @param kept as for {@link #decide(long, long, long)}
     */
    public void remember(long hash, long timestamp, long kept) {
        filter.insert(hash, timestamp, kept);
        watchPassed(hash, timestamp);
    }

    /** As the other, where contents are compared. */
    void remember(long hash, long entry, long timestamp, long kept) {
        hold(hash, entry, timestamp, kept);
        watchPassed(hash, timestamp);
    }

    private void watchPassed(long hash, long timestamp) {
        if (shadow.contains(hash)) {
            shadow.advanceTo(clock());
            shadow.passed(hash, timestamp);
        }
    }

    /**
     * Returns whether all ids are held that a record with this timestamp may be a duplicate of. If
     * not, one that passes may be a duplicate.
     */
    boolean covers(long timestamp) {
        return filter.coveredSince() <= windowBefore(timestamp);
    }

    /**
     * As {@link #covers}, but at the clock and ahead of it ids that were kept apart do not count:
     * that some of them were forgotten does not concern the others, and is counted then.
     */
    boolean decides(long timestamp) {
        return timestamp < filter.clock()
                ? covers(timestamp)
                : filter.coveredForNew() <= windowBefore(timestamp);
    }

    private long windowBefore(long timestamp) {
        long window = options.windowMillis();
        return Math.max(timestamp, Long.MIN_VALUE + window) - window;
    }

    /**
     * Returns whether exact state that keeps the ids of the window may lack some that a record with
     * this timestamp repeats: the window was made longer, and they had left the shorter one.
     */
    boolean mayHaveLeft(long timestamp) {
        return windowStart() < exactSince() && windowBefore(timestamp) < exactSince();
    }

    /**
     * Returns the oldest timestamp that can be decided: every id from then up to the clock is held.
     * It is the clock minus the window, or later if ids had to be forgotten early or the window was
     * made longer than what was kept.
     */
    public long coveredSince() {
        return Math.max(windowStart(), filter.coveredSince());
    }

    /**
     * Records before this are late: it is not known whether they were seen. Only a record behind
     * the clock can be late, whatever had to be forgotten; without a clock, records are not late.
     */
    public long lateBefore() {
        return Math.min(Math.max(windowStart(), heldSince()), clock());
    }

    /**
     * Every id from then on, and behind the clock, is held. Ids before then were forgotten early,
     * or had left the window before it was made longer and were dropped by the filter.
     */
    private long heldSince() {
        return Math.max(filter.coveredBehind(), Math.min(latestWindowStart, filter.coveredSince()));
    }

    /**
     * Returns whether ids of this time may be forgotten. Checks the clock first: most records are
     * not behind it, and need no other check.
     */
    boolean isLate(long timestamp) {
        return timestamp < filter.clock() && timestamp < lateBefore();
    }

    /** Returns the clock minus the window: an id that passed since then must not pass again. */
    public long windowStart() {
        long windowMillis = options.windowMillis();
        long clock = filter.clock();
        return clock < Long.MIN_VALUE + windowMillis ? Long.MIN_VALUE : clock - windowMillis;
    }

    /**
     * Since then no id has ever left the window: exact state that keeps the ids of the window has
     * them all, whatever the filter had to forget. It never goes back, even across restores with a
     * longer window, except by {@link #resetClock}.
     */
    long exactSince() {
        latestWindowStart = Math.max(latestWindowStart, windowStart());
        return latestWindowStart;
    }

    /** Returns the time of the id that was held last, the least long if there is none. */
    long latest() {
        return filter.latest();
    }

    /** Returns the time of the last {@link #advanceTo}. */
    public long clock() {
        return filter.clock();
    }

    /**
     * This clock's time for a wall-clock time. This clock stands still while the job is down, so it
     * lags behind.
     */
    public long timeAt(long wallClock) {
        return wallClock - lag;
    }

    /** Returns how far this clock is behind the wall clock, in ms. */
    public long lagMillis() {
        return lag;
    }

    /** After a restore: the clock goes on from where the snapshot left it. */
    public void resumeAt(long wallClock) {
        if (clock() != Long.MIN_VALUE) {
            lag = wallClock - clock();
        }
    }

    /**
     * Predicted probability that a new id is reported as seen now; it may miss the latest 1/128 of
     * the ids. Measured from the fill when the filter has grown by an eighth or has forgotten; in
     * between it grows with the number of ids, because each is one more fingerprint in the table
     * that may be the same.
     */
    public double predictedFpp() {
        boolean forgot =
                filter.coveredSince() != fppCoveredSince
                        || filter.coveredBehind() != fppCoveredBehind;
        if (forgot || addsUntilFppIsStale <= 0) {
            fppCoveredSince = filter.coveredSince();
            fppCoveredBehind = filter.coveredBehind();
            long ids = filter.idsHeld();
            long grown = ids - measuredIds;
            if (!forgot
                    && measuredFpp > 0
                    && grown >= 0
                    && grown <= measuredIds >>> FPP_MEASURE_SHIFT) {
                cachedFpp = measuredFpp * ids / measuredIds;
            } else {
                measuredFpp = filter.predictedFpp();
                measuredIds = ids;
                cachedFpp = measuredFpp;
            }
            addsUntilFppIsStale = ids >>> FPP_STEP_SHIFT;
        }
        boolean forms = contents || formsUntil != DeduplicatorFormat.NO_FORMS;
        return forms ? Math.min(1, IdForms.COUNT * cachedFpp) : cachedFpp;
    }

    /** Number of ids held, as far as a filter can tell. */
    public long idsHeld() {
        return contents ? filter.idsHeld() / IdForms.ENTRIES : filter.idsHeld();
    }

    public int generations() {
        return filter.generations();
    }

    /** Returns how often the overflow policy applied. */
    public long overflows() {
        return filter.overflows();
    }

    /**
     * Returns how much of the window before a record that comes now is held, in ms: all of it, or
     * less if ids were forgotten early. Counted back from the records, not from the clock, which
     * may trail.
     */
    long coveredMillis() {
        long window = options.windowMillis();
        long covered =
                Math.max(
                        filter.coveredForNew(), Math.min(latestWindowStart, filter.coveredSince()));
        long now = Math.max(clock(), filter.latest());
        if (now < Long.MIN_VALUE + window || covered <= now - window) {
            return window;
        }
        return Math.max(0, now - covered);
    }

    /** Bytes that the whole window would have needed; the actual bytes if they sufficed. */
    long wantedBytes() {
        return Math.max(sizeInBytes(), filter.wantedBytes());
    }

    /** Bytes of the filter and the sample. */
    public long sizeInBytes() {
        return shadow.sizeInBytes() + filter.sizeInBytes();
    }

    /** Returns what the sample has measured since the state began. */
    public MeasuredError measuredError() {
        return shadow.error();
    }

    /** Duplicates of the sample that passed inside the window: 0 unless there is a bug. */
    public long missedDuplicates() {
        return shadow.missed();
    }

    /** Returns all memory to the budget. */
    public void close() {
        filter.close();
        shadow.close();
    }

    /** Writes everything, in the format described above. */
    public void writeTo(OutputStream out) throws IOException {
        try (PinnedStructure pinned = pin()) {
            pinned.writeTo(out);
        }
    }

    /**
     * Returns what {@link #writeTo} would write now, for another thread to write while this
     * deduplicator goes on. The filter is copied on write (see {@link ForgetfulFilterSnapshot} for
     * the memory), the sample immediately.
     */
    public PinnedStructure pin() {
        return new Pinned(
                new DeduplicatorFormat.Header(lag, exactSince(), formsUntil),
                shadow.stored(),
                filter.pin());
    }

    private static final class Pinned implements PinnedStructure {
        private final DeduplicatorFormat.Header header;
        private final StoredSample sample;
        private final ForgetfulFilterSnapshot filter;

        Pinned(
                DeduplicatorFormat.Header header,
                StoredSample sample,
                ForgetfulFilterSnapshot filter) {
            this.header = header;
            this.sample = sample;
            this.filter = filter;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            header.writeTo(out);
            sample.writeTo(out);
            filter.writeTo(out);
        }

        @Override
        public long copiedBytes() {
            return filter.copiedBytes();
        }

        @Override
        public void close() {
            filter.close();
        }
    }

    /**
     * Reads what {@link #writeTo} wrote. The options may differ from the ones it was written with:
     * what is held stays held.
     *
     * @param source what is read, for messages
     */
    public static Deduplicator readFrom(
            InputStream in,
            String source,
            WindowOptions options,
            MemoryBudget budget,
            int shadowIds)
            throws IOException {
        return readFrom(in, source, options, budget, shadowIds, false);
    }

    /**
     * As the other.
     *
     * @param contents as for {@link #create(WindowOptions, MemoryBudget, long, int, boolean)}; need
     *     not be as when it was written
     */
    static Deduplicator readFrom(
            InputStream in,
            String source,
            WindowOptions options,
            MemoryBudget budget,
            int shadowIds,
            boolean contents)
            throws IOException {
        FilterReader reader = DeduplicatorFormat.open(in, source);
        DeduplicatorFormat.Header header = DeduplicatorFormat.header(reader);
        StoredSample sample = StoredSample.readFrom(in, source);
        boolean formsLeft = !contents && header.formsUntil() != DeduplicatorFormat.NO_FORMS;
        ForgetfulFilter filter =
                ForgetfulFilter.readFrom(
                        in, source, formsLeft ? IdForms.dividedByForms(options) : options, budget);
        if (header.exactSince() > filter.clock()) {
            filter.close();
            throw reader.corrupt(
                    "the window began at "
                            + header.exactSince()
                            + ", after the clock, which is at "
                            + filter.clock());
        }
        Deduplicator restored =
                new Deduplicator(
                        options, filter, newShadow(options, budget, shadowIds, contents), contents);
        restored.formsUntil = header.formsUntil();
        restored.lag = header.lag();
        restored.latestWindowStart = header.exactSince();
        try {
            restored.shadow.restore(sample);
        } catch (IllegalArgumentException e) {
            restored.close();
            throw reader.corrupt(e.getMessage());
        }
        return restored;
    }

    private static IdSample newShadow(
            WindowOptions options, MemoryBudget budget, int shadowIds, boolean contents) {
        int entries = contents ? IdForms.ENTRIES : 1;
        return IdSample.ofEventTime(
                shadowIds,
                Math.max(1, options.expectedPerWindow() / entries),
                options.windowMillis(),
                new SharedBudget(budget));
    }

    /** The sample shares the memory of the filters. */
    private record SharedBudget(MemoryBudget budget) implements SampleMemory {

        @Override
        public Optional<Words> allocate(long words) {
            return budget.tryReserve(words * Long.BYTES)
                    ? Optional.of(Words.allocate(Storage.HEAP, words))
                    : Optional.empty();
        }

        @Override
        public void release(Words words) {
            budget.release(words.length() * Long.BYTES);
        }
    }
}
