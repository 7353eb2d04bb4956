/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.Batching;
import io.sluice.flink.OnConflict;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.OptionException;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedBuilder;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.OwnBackend;
import io.sluice.flink.runtime.StreamKey;
import io.sluice.state.CascadeBackendOptions;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Drops the records of a stream whose id was already seen within a window, by the records' own
 * times.
 *
 * <pre>{@code
 * DataStream<Order> once = Deduplicate.by(Order::id)
 *         .uid("orders-dedup")
 *         .within(Duration.ofHours(1))
 *         .falsePositiveProbability(1e-6)
 *         .expecting(10_000)
 *         .memory(MemorySize.parse("256mb"))
 *         .apply(orders);
 * }</pre>
 *
 * <p>The guarantee: <em>no two records of one id pass within a window of each other, in whatever
 * order they are read, across failure, restore and rescaling; a record without such a neighbour is
 * dropped with probability at most {@code falsePositiveProbability}.</em> One whose neighbour is up
 * to a slice, an eighth of the window, further away may be dropped or pass. Two conditions: the
 * memory suffices, and the record is not behind the watermark; what passes behind it, undecided or
 * late, is counted. In processing time a record's time is when it arrives. Where the memory does
 * not suffice, the window gives: the oldest ids are forgotten early, and the metrics say so; a
 * first occurrence is then dropped with probability at most {@code maxFalsePositiveProbability}. A
 * duplicate does not renew the age of its first, unless {@link #resetOnDuplicate} is called. With
 * {@link #limit} more than the first may pass.
 *
 * <p>Which of several records with one id passes is decided by arrival, not by timestamp.
 *
 * <p>Engines: by default a forgetful filter per key group, in memory, or filters {@linkplain
 * #onDisk on local disk} if {@code memory} does not hold the window, by {@code expecting}; the log
 * says which and why. {@link #verify} backs the filter in memory with exact state that is asked
 * only when it says "seen"; {@link #inState} and {@link #forever} keep a flag per id in Flink
 * state, or with {@link #onDisk} in filters on local disk; {@link #keep} keeps the last record of
 * each window. A restore cannot change the engine that was asked for, except that verification may
 * be switched off, whose state and timers are then deleted, and that flags may move from Flink's
 * state to disk. Where nobody asked, ids stay where they are in the state, whatever the numbers say
 * now.
 *
 * <p>The end of the input does not advance time: a job that was stopped with {@code --drain} and is
 * started again from its savepoint continues with its former window and clock.
 *
 * <p>In BATCH execution Flink sorts the input by id and by timestamp. Every engine is then exact
 * and holds one id instead of a filter; {@code memory} and {@code onLate} have no effect. In event
 * time the record with the smallest timestamp is the first, and one later than its timestamp +
 * window is a new first; in processing time the whole input lies in the window. The metrics are
 * those of {@link #inState}. If Flink's state backend for BATCH is switched off ({@code
 * execution.batch-state-backend.enabled}), the job decides like a stream without watermarks. BATCH
 * execution restores no state: a BATCH job that should start from a savepoint fails.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
@PublicEvolving
public final class Deduplicate<T, K> extends WindowedBuilder<Deduplicate<T, K>> {

    /** The greatest {@link #limit}. */
    public static final int MAX_LIMIT = PassRule.MAX_LIMIT;

    /** With less, a filter on disk has too few bits of an id, however few ids there are. */
    private static final double MIN_FPP_ON_DISK = 1e-11;

    private final KeySelector<T, K> idSelector;
    private @Nullable TypeInformation<K> idType;
    private OnDuplicate<T> onDuplicate = OnDuplicate.drop();
    private @Nullable OnConflict<T> onConflict;
    private OnLate<T> onLate = OnLate.forward();
    private OnNullId<T> onNullId = OnNullId.fail();
    private @Nullable DataStream<K> alsoSeen;

    private Deduplicate(KeySelector<T, K> idSelector) {
        this.idSelector = idSelector;
    }

    /**
     * Starts a builder. {@code idSelector} must give equal ids for duplicates, and be
     * deterministic; see {@link IdHasher} for the types of ids.
     */
    public static <T, K> Deduplicate<T, K> by(KeySelector<T, K> idSelector) {
        return new Deduplicate<>(requireNonNull(idSelector, "idSelector"));
    }

    /** Returns what selects the ids. */
    @Internal
    public KeySelector<T, K> ids() {
        return idSelector;
    }

    /**
     * Returns the type of the ids.
     *
     * @param records their type
     */
    @Internal
    public TypeInformation<K> typeOfIds(TypeInformation<T> records) {
        return idType != null ? idType : TypeExtractor.getKeySelectorTypes(idSelector, records);
    }

    /** Sets the type of the ids, where Flink cannot find it out (generic lambdas). */
    public Deduplicate<T, K> idType(TypeInformation<K> idType) {
        this.idType = requireNonNull(idType, "idType");
        return this;
    }

    /** Sets what happens to duplicates. Default: dropped, and counted. */
    public Deduplicate<T, K> onDuplicate(OnDuplicate<T> onDuplicate) {
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        return this;
    }

    /**
     * Compares contents: tells duplicates whose content is not that of a record of their id that
     * passed. By default contents are not compared. A conflict is suppressed, or tagged, like any
     * duplicate, and is compared with records that passed only: of A, B, B both Bs conflict. With
     * {@link #limit}, a conflict differs from every record of its id that passed within the window;
     * with {@link #keep LAST}, from the one that takes its place.
     *
     * <p>No record that repeats one of its id and content is taken for a conflict. Where a content
     * to compare with is not held, a duplicate is counted in {@code uncompared} instead: for ids
     * that were remembered before this was switched on at a restore, and with {@link
     * #resetOnDuplicate} in a filter for those that have come with other contents only for a
     * window. A conflict is missed with a probability of less than {@code
     * falsePositiveProbability}, or 2^-64 with {@link #verify}, {@link #inState}, {@link #forever},
     * {@link #keep LAST} and in BATCH. A first occurrence that a filter takes for a duplicate is in
     * general a conflict.
     *
     * <p>An id takes twice the entries in the filter, and one and a half bits more for each; in
     * Flink's state a number more. It may be switched on and off at a restore, but what is selected
     * must not change, unless it is switched off for a window.
     */
    public Deduplicate<T, K> onConflict(OnConflict<T> onConflict) {
        this.onConflict = requireNonNull(onConflict, "onConflict");
        return this;
    }

    /**
     * Sets what happens to records older than the window. Default: forwarded, and counted. Excludes
     * {@link #forever} and processing time, where no record is late.
     */
    public Deduplicate<T, K> onLate(OnLate<T> onLate) {
        this.onLate = requireNonNull(onLate, "onLate");
        return this;
    }

    /** Sets what happens to records whose id is null. Default: the job fails. */
    public Deduplicate<T, K> onNullId(OnNullId<T> onNullId) {
        this.onNullId = requireNonNull(onNullId, "onNullId");
        return this;
    }

    /**
     * Marks ids as seen that were seen elsewhere, such as those that {@code Reconcile} found that
     * another replica of this job has: a record with such an id is a duplicate from then on.
     * Nothing is emitted for a mark, and an id that has been seen here stays as it is; with {@link
     * #resetOnDuplicate} its window begins again. So marks may be repeated.
     *
     * <p>An id counts as seen at the timestamp of its record in {@code ids}; without a timestamp,
     * at the present, which is the watermark; in processing time, when it comes. One that is older
     * than the window is counted as late and not marked; a null is counted. Under pressure marks
     * are like records: the oldest ids give way. Event time is that of the records alone: the
     * watermarks of {@code ids} are ignored, but the end of event time is passed on when both
     * inputs have ended. With {@link #onConflict}, duplicates of a mark are counted as uncompared.
     * The metric {@code alsoSeen} counts ids that were marked, {@code alreadySeen} those that were
     * known.
     *
     * <p>Needs STREAMING execution; excludes {@link #keep LAST} and {@link #limit}. The state is
     * the same without this, so it may be added and removed at a restore.
     */
    @Experimental
    public Deduplicate<T, K> alsoSeen(DataStream<K> ids) {
        this.alsoSeen = requireNonNull(ids, "alsoSeen");
        return this;
    }

    /**
     * Never drops a first occurrence: an exact keyed state is consulted when the filter says
     * "seen", and written once per new id. A new id costs one state write and one timer, a reported
     * duplicate one state read. The state grows with the ids in the window, on disk if the state
     * backend is. Compared with plain exact deduplication, this saves the state read of every first
     * occurrence. No duplicate passes even if the filter has to forget early for lack of memory:
     * until it covers the window again, the state is read for every record.
     */
    public Deduplicate<T, K> verify() {
        return set(DeduplicateOptions.VERIFY, true);
    }

    /**
     * Keeps a flag per id in Flink state with a time to live instead of a filter: exact on Flink's
     * own backends, at their price. Processing time only, like Flink's time to live, which counts
     * downtime.
     */
    public Deduplicate<T, K> inState() {
        return set(DeduplicateOptions.IN_STATE, true);
    }

    /**
     * Never forgets an id: each passes once. Keeps a flag per id in Flink state, without a window
     * and without a filter of its own. Exact on Flink's own backends, at their price; the cascade
     * state backend keeps the flags in filters on disk, in a few bytes per id, with a probability
     * of its own. Time does not matter. Excludes {@link #within}, {@link #verify}, {@link
     * #inState}, {@link #limit}, {@link #resetOnDuplicate} and {@link #keep LAST}.
     */
    public Deduplicate<T, K> forever() {
        return set(DeduplicateOptions.FOREVER, true);
    }

    /**
     * Keeps the ids in filters on the local disk of the TaskManagers, a few bytes for each, for
     * windows that memory does not hold, and for {@link #forever}. The operator has a cascade state
     * backend of its own then, whatever backend the job has.
     *
     * <p>Without this, a window of event time that {@code memory} does not hold is on disk too,
     * unless an option is only for filters in memory, or {@code sluice.deduplicate.on-disk} is
     * false. In processing time it is not: there, time in which the job is down would count.
     *
     * <p>A first occurrence is dropped with probability at most {@code falsePositiveProbability},
     * however many ids there are. {@code memory} is that of one subtask, outside the heap and
     * Flink's managed memory: page cache, write buffers and an overview. What else the filters do
     * is set by the options {@code state.backend.cascade.*} of the job. Checkpoints are
     * incremental. Not below a probability of 1e-11. Flags that {@link #forever} or {@link
     * #inState} kept in Flink's state are moved into filters at a restore, but not back: filters do
     * not hold ids.
     *
     * <p>With {@link #within}, an id has one time on disk. In processing time that is its arrival.
     * In event time it is the greatest timestamp so far. The id is remembered from then on for the
     * window, and for at most a slice longer, an eighth of the window. What passes is measured by
     * the wall clock, which also runs while the job is down, or by the watermark. So in event time
     * a record may be dropped for one that is further away than a window and a slice, by as much as
     * records are ahead of the watermark. A record that is more than a window and {@code maxFuture}
     * ahead of the watermark is forgotten as if it were exactly that far ahead, and counted in
     * {@code future}. Where {@code maxFuture} is longer than seven windows, a slice is a 64th of
     * both together, at most the window. Without watermarks nothing is forgotten.
     *
     * <p>With {@link #onConflict}, contents stay in the state of the job's backend; a first
     * occurrence that a filter takes for a duplicate has none and is uncompared, as is a duplicate
     * in that slice. Excludes {@link #verify}, {@link #inState}, {@link #limit}, {@link #keep
     * LAST}, and options of the filters in memory, among them {@code hashSeed}: keep ids that
     * strangers choose in memory or in exact state.
     */
    public Deduplicate<T, K> onDisk() {
        return set(DeduplicateOptions.ON_DISK, true);
    }

    /**
     * Sets which record of an id passes in each window; by default the first, at once. {@link
     * Keep#LAST}: the last by time, and of several the one that came last, when the window has
     * ended, so each record waits for a window, in Flink's state, whole and exactly. A window
     * begins with the first record by time that is in no window before it, and ends with the clock
     * or with the input. The records before the last are duplicates. Excludes {@link #verify},
     * {@link #inState}, {@link #limit}, {@link #resetOnDuplicate} and {@link OnDuplicate#tag}.
     */
    public Deduplicate<T, K> keep(Keep keep) {
        return set(DeduplicateOptions.KEEP, keep);
    }

    /**
     * Sets how many records of an id pass within a window, 1 to 64; by default the first alone. A
     * record is dropped only if this many that passed are within a window of it, before or after it
     * by their own times. A record that should pass is dropped with probability at most {@code
     * falsePositiveProbability}. For that, each of the places of an id is looked up with this
     * probability divided by the limit, and a duplicate takes as many lookups as the limit. {@code
     * expecting} means the records per second that pass; the measured probability is that of a
     * place. Excludes {@link #verify}, {@link #inState} and {@link #resetOnDuplicate}. It may be
     * changed at a restore: of what passed before, a lower limit counts a part.
     */
    public Deduplicate<T, K> limit(int records) {
        return set(DeduplicateOptions.LIMIT, records);
    }

    /**
     * Lets a duplicate begin the window of its id again: an id is forgotten when it has not come
     * for the window. An id that keeps coming is held once per slice of the window, so it takes up
     * to eight times the memory of one that does not. The first occurrence of an id is dropped with
     * the same probability, but an id that is taken for another is from then on one that was seen:
     * as long as it keeps coming, all of it is dropped. Excludes {@link #verify} and {@link
     * #limit}. It may be changed at a restore.
     */
    public Deduplicate<T, K> resetOnDuplicate() {
        return set(DeduplicateOptions.RESET_ON_DUPLICATE, true);
    }

    @Override
    public Deduplicate<T, K> configure(ReadableConfig configuration) {
        super.configure(configuration);
        return configure(configuration, DeduplicateOptions.ALL);
    }

    @Override
    public void check() {
        PassRule rule = PassRule.of(options());
        DedupEngine engine = engine(rule);
        WindowSettings settings = settingsOf(engine);
        if (engine.hasFilters()) {
            WindowSettings unused = filterSettings(engine, rule, settings);
        }
        Batching unusedToo = batching();
    }

    @Override
    protected Deduplicate<T, K> self() {
        return this;
    }

    /**
     * Adds the operator to the stream; the result has the type of {@code records}.
     *
     * @throws IllegalArgumentException if an option is missing, out of range, or at odds with
     *     another; if equal ids of their type may be unequal bytes; if a function cannot be
     *     serialized
     */
    public SingleOutputStreamOperator<T> apply(DataStream<T> records) {
        String uid = requireUid();
        PassRule rule = PassRule.of(options());
        DedupEngine engine = engine(rule);
        WindowSettings settings = settingsOf(engine);
        WindowSettings filters =
                engine.hasFilters() ? filterSettings(engine, rule, settings) : settings;
        boolean mayBeOnDisk = engine.mayBeOnDisk(options()) && hasBitsOnDisk(settings.fpp());
        if (engine.hasFilters() && !mayBeOnDisk) {
            SizingWarning.atConstruction(filters, uid, records);
        }
        TypeInformation<K> type = typeOfIds(records.getType());
        SerializerConfig config = records.getExecutionConfig().getSerializerConfig();
        IdHasher<K> hasher = IdHasher.of("id", type, config, hashSeed());
        StreamExecutionEnvironment environment = records.getExecutionEnvironment();
        KeySelector<T, K> ids = Closures.clean(environment, "the id's selector", idSelector);
        Closures.clean(environment, "the marker of onDuplicate(tag(...))", onDuplicate.marker());
        DedupEngine.Parts<T, K> parts =
                new DedupEngine.Parts<>(
                        settings,
                        batching(),
                        ids,
                        hasher,
                        onDuplicate,
                        conflicts(engine, records),
                        onLate,
                        onNullId,
                        rule,
                        alsoSeen,
                        engine == DedupEngine.MEMORY || options().get(DeduplicateOptions.ON_DISK)
                                ? ownBackend(uid, settings)
                                : null,
                        engine == DedupEngine.MEMORY
                                ? new DiskIfTooLarge(uid, filters, mayBeOnDisk)
                                : null);
        return engine.apply(StreamKey.keyBy(records, ids, hasher), parts)
                .uid(uid)
                .name("Deduplicate: " + uid);
    }

    private DedupEngine engine(PassRule rule) {
        DedupEngine engine = DedupEngine.of(options());
        if (alsoSeen != null) {
            engine.requireAlsoSeen(rule);
        }
        return engine;
    }

    private OwnBackend ownBackend(String uid, WindowSettings settings) {
        Configuration own = new Configuration();
        own.set(CascadeBackendOptions.STATES, StateDeduplicateOperator.FLAGS);
        // A duplicate may pass, but no first occurrence is dropped beyond the probability.
        own.set(CascadeBackendOptions.OVERFLOW_POLICY, "forget-oldest");
        own.set(CascadeBackendOptions.USE_MANAGED_MEMORY, false);
        own.set(CascadeBackendOptions.FIXED_MEMORY, settings.memory());
        own.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, settings.fpp());
        if (settings.timeDomain() == TimeDomain.EVENT) {
            own.set(CascadeBackendOptions.TTL_BUCKETS, StreamClock.buckets(settings));
        }
        return new OwnBackend(uid, own.toMap());
    }

    private WindowSettings filterSettings(
            DedupEngine engine, PassRule rule, WindowSettings settings) {
        return rule.settings(settings, onConflict != null && engine.hasContentsInFilters());
    }

    @Nullable
    private Conflicts<T> conflicts(DedupEngine engine, DataStream<T> records) {
        if (onConflict == null) {
            return null;
        }
        // Where the seed is not part of the state, it may be another one after a restore.
        long seed = engine.checksSeed() ? hashSeed() : Hashing.SEED;
        return Conflicts.of(onConflict, records, seed);
    }

    private WindowSettings settingsOf(DedupEngine engine) {
        WindowSettings settings = checkedSettings(engine);
        if (options().get(DeduplicateOptions.ON_DISK)) {
            requireBitsOnDisk(settings.fpp());
        }
        return settings;
    }

    private WindowSettings checkedSettings(DedupEngine engine) {
        if (engine == DedupEngine.FOREVER) {
            onLate.requireForward("with forever(), no record is");
            return settings(WindowSettings.MAX_WINDOW);
        }
        WindowSettings settings = settings();
        if (settings.timeDomain() == TimeDomain.PROCESSING) {
            onLate.requireForward("in processing time, no record is");
        }
        if (options().get(DeduplicateOptions.IN_STATE)
                && settings.timeDomain() == TimeDomain.EVENT) {
            throw new OptionException(
                    DeduplicateOptions.IN_STATE,
                    " needs ",
                    new OptionException.Setting(WindowedOptions.TIME_DOMAIN, TimeDomain.PROCESSING),
                    ", but ",
                    WindowedOptions.TIME_DOMAIN,
                    " is EVENT: Flink's state has a time to live in processing time only. With ",
                    DeduplicateOptions.ON_DISK,
                    ", windows of event time are on local disk.");
        }
        if (engine == DedupEngine.LAST && onDuplicate.marker() != null) {
            throw new IllegalArgumentException(
                    "keep(LAST) and onDuplicate(tag(...)) exclude each other, but both are set: a"
                            + " record is known not to be the last only when another has come, so"
                            + " use a side output.");
        }
        return settings;
    }

    private static boolean hasBitsOnDisk(double fpp) {
        return fpp >= MIN_FPP_ON_DISK;
    }

    private void requireBitsOnDisk(double fpp) {
        if (!hasBitsOnDisk(fpp)) {
            throw new OptionException(
                    WindowedOptions.FALSE_POSITIVE_PROBABILITY,
                    " must be at least " + MIN_FPP_ON_DISK + " with ",
                    options().get(DeduplicateOptions.FOREVER)
                            ? DeduplicateOptions.FOREVER
                            : DeduplicateOptions.ON_DISK,
                    ", but is " + fpp + ": raise it.");
        }
    }
}
