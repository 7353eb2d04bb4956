/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.OptionException;
import io.sluice.flink.SideOutputs;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedBuilder;
import io.sluice.flink.dedup.SizingWarning;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.SecondInputFactory;
import io.sluice.flink.runtime.SortedInputFactory;
import io.sluice.flink.runtime.StreamKey;
import java.time.Duration;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.util.OutputTag;

/**
 * Counters that do not count a retry: an operation is applied to its counter once within the
 * window, whatever the client repeats.
 *
 * <pre>{@code
 * DataStream<CounterValue<String>> views = IdempotentCounters.of(View::page)
 *         .operation(View::requestId)
 *         .delta(View::count)
 *         .uid("views")
 *         .within(Duration.ofMinutes(10))
 *         .falsePositiveProbability(1e-6)
 *         .expecting(50_000)
 *         .emitEvery(Duration.ofSeconds(1))
 *         .apply(requests);
 * }</pre>
 *
 * <p>The guarantee: <em>an operation is not counted twice within a window by its own times, in
 * whatever order operations are read, across failure, restore and rescaling; one that has not been
 * counted within a window is missed with probability at most {@code falsePositiveProbability}</em>,
 * and every value carries the amount that it is expected to miss. The conditions are those of
 * {@link io.sluice.flink.dedup.Deduplicate}. One forgetful filter per key group of the counter's
 * key, in {@link #twoPhases} of the operation's id, remembers operations (likewise, Subramanyam et
 * al., "Idempotent Distributed Counters Using a Forgetful Bloom Filter", keep one per counter
 * column, not one per counter); the same operation id for two counters is two operations. Values
 * are kept exactly, in Flink's keyed state.
 *
 * <p>Event time of what is emitted: a record has the timestamp of the youngest operation in it, or,
 * if a watermark has passed that operation already, the time just after the last watermark. So no
 * emitted record is late for operators downstream; {@link CounterValue#timestamp} is the
 * operation's own time in either case.
 *
 * <p>In BATCH execution Flink sorts the input by counter and by timestamp. Counters are then exact,
 * with no filter and only one counter and the ids of its window in memory (in the first of two
 * phases one id and its counters); {@code memory} and {@code onLate} have no effect. With {@link
 * #emitEvery} each counter is emitted once, with its final value. In event time a counter expires
 * when its next operation is later than {@link #expireAfter} allows: its value is emitted, and it
 * begins at 0; in processing time the whole input lies in the window, and counters do not expire.
 * If Flink's state backend for BATCH is switched off ({@code
 * execution.batch-state-backend.enabled}), the job decides like a stream without watermarks. BATCH
 * execution restores no state: a BATCH job that should start from a savepoint fails.
 *
 * @param <T> type of the operations
 * @param <K> type of the counter's key
 */
@PublicEvolving
public final class IdempotentCounters<T, K> extends WindowedBuilder<IdempotentCounters<T, K>> {

    private static final String NAME = "IdempotentCounters";

    /** Of the first of two phases. */
    private static final String OPERATIONS_UID_SUFFIX = "-operations";

    private final KeySelector<T, K> counterSelector;
    private @Nullable TypeInformation<K> counterType;
    private @Nullable OperationId<T, ?> operationId;
    private Delta<T> delta = operation -> 1;
    private OnDuplicate<T> onDuplicate = OnDuplicate.drop();
    private OnLate<T> onLate = OnLate.forward();
    private OnNullId<T> onNullId = OnNullId.fail();
    private OnNullId<T> onNullCounter = OnNullId.fail();
    private @Nullable OutputTag<T> acknowledgements;
    private @Nullable Duration emitInterval;
    private boolean withoutFilter;
    private @Nullable DataStream<? extends MissedOperation<K, ?>> corrections;
    private Duration olderThanCorrection = Duration.ZERO;

    private IdempotentCounters(KeySelector<T, K> counterSelector) {
        this.counterSelector = counterSelector;
    }

    /** Starts a builder; {@code counterSelector} gives the counter that an operation is for. */
    public static <T, K> IdempotentCounters<T, K> of(KeySelector<T, K> counterSelector) {
        return new IdempotentCounters<>(requireNonNull(counterSelector, "counterSelector"));
    }

    /** Sets the type of the counter's key, where Flink cannot find it out (generic lambdas). */
    public IdempotentCounters<T, K> counterType(TypeInformation<K> counterType) {
        this.counterType = requireNonNull(counterType, "counterType");
        return this;
    }

    /**
     * Required, unless {@link #withoutFilter}. What a retry shares with the first try, and with no
     * other operation on the same counter.
     */
    public <I> IdempotentCounters<T, K> operation(KeySelector<T, I> idSelector) {
        this.operationId = new OperationId<>(requireNonNull(idSelector, "idSelector"), null);
        return this;
    }

    /** {@link #operation(KeySelector)} with the type of the ids. */
    public <I> IdempotentCounters<T, K> operation(
            KeySelector<T, I> idSelector, TypeInformation<I> idType) {
        this.operationId =
                new OperationId<>(
                        requireNonNull(idSelector, "idSelector"), requireNonNull(idType, "idType"));
        return this;
    }

    /**
     * Returns what another replica of these counters needs to count an operation that it missed;
     * null for an operation without counter or id.
     *
     * @param <I> type of the operations' ids
     */
    @Internal
    public <I> KeySelector<T, MissedOperation<K, I>> missedOperations() {
        return new MissedOperations<>(counterSelector, requireOperationId(), delta);
    }

    /**
     * Returns the type of what {@link #missedOperations} selects.
     *
     * @param operations their type
     */
    @Internal
    public <I> TypeInformation<MissedOperation<K, I>> missedOperationType(
            TypeInformation<T> operations) {
        OperationId<T, I> id = requireOperationId();
        return MissedOperation.type(typeOfCounters(operations), id.typeIn(operations));
    }

    @SuppressWarnings("unchecked")
    private <I> OperationId<T, I> requireOperationId() {
        if (operationId == null) {
            throw new IllegalArgumentException(
                    "operation is required, but is not set: call operation(KeySelector) with what a"
                            + " retry has in common with the first try.");
        }
        return (OperationId<T, I>) operationId;
    }

    private TypeInformation<K> typeOfCounters(TypeInformation<T> operations) {
        return counterType != null
                ? counterType
                : TypeExtractor.getKeySelectorTypes(counterSelector, operations);
    }

    /** Sets what an operation adds. Default 1. */
    public IdempotentCounters<T, K> delta(Delta<T> delta) {
        this.delta = requireNonNull(delta, "delta");
        return this;
    }

    /**
     * Sets what happens to operations that were applied before: dropped (default) or sent to a side
     * output. They cannot be tagged: the main output has values of counters, not operations.
     */
    public IdempotentCounters<T, K> onDuplicate(OnDuplicate<T> onDuplicate) {
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        return this;
    }

    /**
     * Also sends each operation with an id to a side output once it counts, and each retry of it:
     * then the client need not try again. Late operations are sent if {@link #onLate} forwards
     * them, which counts them. One that the filter takes for a retry is sent too, though it is
     * missing: {@code falsePositiveProbability} says how often. To be written with a sink that
     * takes part in checkpoints, such as Kafka's with {@code EXACTLY_ONCE}: what it has committed
     * is in the counters, whatever fails later.
     *
     * @param tag of the side output of the stream that {@link #apply} returns
     */
    public IdempotentCounters<T, K> acknowledge(OutputTag<T> tag) {
        this.acknowledgements = SideOutputs.plain(requireNonNull(tag, "tag"));
        return this;
    }

    /**
     * Sets what happens to operations older than the window. Default: applied, and counted as late.
     */
    public IdempotentCounters<T, K> onLate(OnLate<T> onLate) {
        this.onLate = requireNonNull(onLate, "onLate");
        return this;
    }

    /**
     * Sets what happens to operations whose id is null. Default: the job fails. With {@link
     * OnNullId#forward} they are applied, every time.
     */
    public IdempotentCounters<T, K> onNullId(OnNullId<T> onNullId) {
        this.onNullId = requireNonNull(onNullId, "onNullId");
        return this;
    }

    /**
     * Sets what happens to operations whose counter is null. Default: the job fails. They cannot be
     * forwarded, since they have no counter.
     */
    public IdempotentCounters<T, K> onNullCounter(OnNullId<T> onNullCounter) {
        this.onNullCounter = requireNonNull(onNullCounter, "onNullCounter");
        return this;
    }

    /**
     * Emits every counter that has changed once per interval of processing time, before every
     * checkpoint, and at the end of the input; so downstream misses no value that a checkpoint
     * holds. A counter whose youngest operation a watermark passes is emitted before that
     * watermark, so that no window downstream misses it. The interval is the longest time that a
     * value waits; counters that are still being updated gain most from it. Updates are collected
     * in memory, and reach Flink's state only when they are emitted: with few counters and many
     * operations this is far faster than the default, which emits a value after every applied
     * operation.
     *
     * @param interval at least 1 ms
     */
    public IdempotentCounters<T, K> emitEvery(Duration interval) {
        this.emitInterval = requireNonNull(interval, "emitEvery");
        return this;
    }

    /**
     * Counts every operation, retries too, for comparison. The state is not that of counters with a
     * filter: a savepoint of one cannot be restored into the other.
     */
    public IdempotentCounters<T, K> withoutFilter() {
        this.withoutFilter = true;
        return this;
    }

    /**
     * Counts operations that were counted elsewhere, such as those that {@code Reconcile} found
     * that another replica of this job has, unless they have been counted here: so corrections may
     * be repeated. A correction is counted, emitted and remembered like an operation with its
     * counter, id and delta; a retry of it is a duplicate.
     *
     * <p>Its time is the timestamp of its record; without a timestamp, the present, which is the
     * watermark. One that is older than the window is counted as late and not applied, whatever
     * {@link #onLate} says, since nobody knows whether it was counted; one without a counter or an
     * id is only counted as such. Event time is that of the operations alone: the watermarks of
     * {@code corrections} are ignored, but the end of event time is passed on when both inputs have
     * ended. The metric {@code corrected} counts the corrections that were applied, {@code
     * alreadySeen} those that had been counted.
     *
     * <p>Needs STREAMING execution; excludes {@link #withoutFilter}. The state is the same without
     * this, so it may be added and removed at a restore.
     *
     * @param corrections with ids of the type that {@link #operation} selects
     */
    @Experimental
    public <I> IdempotentCounters<T, K> corrections(DataStream<MissedOperation<K, I>> corrections) {
        this.corrections = requireNonNull(corrections, "corrections");
        return this;
    }

    /**
     * Sets by how much an operation may be older than the timestamp of its correction. In event
     * time, a correction is then late, and not applied, if its operation may be older than the
     * window: counted here, it could be forgotten by now, and would be counted twice.
     *
     * @param older at least 0; what {@code Reconcile} missed has the last time of its window
     */
    @Internal
    public void correctionsAreOlder(Duration older) {
        this.olderThanCorrection = requireNonNull(older, "older");
    }

    /**
     * Forgets the total of a counter to which no operation was applied for a duration, in the time
     * domain of the counters. By default all totals are kept for ever, which is too much if a
     * counter's key contains a time (page and hour): it is not updated later.
     *
     * <p>A counter that expires does not emit a value: its last value stays true downstream. A
     * counter that comes back begins at 0. In event time it expires when the watermark passes its
     * last operation's timestamp + {@code expireAfter}, never at the end of the input; in
     * processing time the clock stands still while the job is down. It may be shorter than the
     * window: a retry of an operation that was counted before its counter expired is dropped, and
     * does not bring the counter back. Costs a timer per counter, and a write of state with each
     * emission. If it is switched on at a restore, the time of restored totals begins then; it may
     * also be changed or switched off at a restore.
     *
     * @param expireAfter at least 1 ms
     */
    public IdempotentCounters<T, K> expireAfter(Duration expireAfter) {
        return set(CounterOptions.EXPIRE_AFTER, expireAfter);
    }

    /**
     * Counts in two phases, for counters with far more operations than others: operations are
     * distributed by their ids, so each subtask gets about equally many; it finds retries and sums
     * new operations per counter; the sums are distributed by counter, and added to the totals.
     * Without this, one subtask has all operations of a counter.
     *
     * <p>Everything else is as in one phase: what is counted, {@link #emitEvery}, which this needs
     * (each phase waits for half of the interval at most), event time, side outputs, and what a
     * checkpoint holds. In processing time, {@link #expireAfter} goes by the time at which a sum
     * reaches its counter. The filters are those of the first phase, an operator of its own with
     * the uid {@code <uid>-operations}; so is {@code memory}. It has the metrics of the filter, the
     * second phase {@code sums}, the number of sums that have come.
     *
     * <p>Costs a second exchange. Excludes {@link #withoutFilter}, and checkpoints that are {@code
     * AT_LEAST_ONCE}, with which both phases would not be of one moment. Operations without an id,
     * if they are forwarded, all go to one subtask. A savepoint of counters in one phase cannot be
     * restored in two, or the other way round, since the filters know operations by other keys.
     */
    public IdempotentCounters<T, K> twoPhases() {
        return set(CounterOptions.TWO_PHASES, true);
    }

    @Override
    public IdempotentCounters<T, K> configure(ReadableConfig configuration) {
        super.configure(configuration);
        return configure(configuration, CounterOptions.ALL);
    }

    @Override
    public void check() {
        CounterExpiry unused = expiry(settings());
        Batching unusedToo = batching();
    }

    private CounterExpiry expiry(WindowSettings settings) {
        return CounterExpiry.of(
                settings, options().getOptional(CounterOptions.EXPIRE_AFTER).orElse(null));
    }

    @Override
    protected IdempotentCounters<T, K> self() {
        return this;
    }

    /**
     * Adds the operator to the stream.
     *
     * @throws IllegalArgumentException if an option is missing, out of range, or at odds with
     *     another; if equal counters or ids may be unequal bytes by their types; if a function
     *     cannot be serialized
     */
    public SingleOutputStreamOperator<CounterValue<K>> apply(DataStream<T> operations) {
        String uid = requireUid();
        WindowSettings settings = settings();
        Batching unused = batching();
        if (settings.timeDomain() == TimeDomain.PROCESSING) {
            onLate.requireForward("in processing time, no operation is");
        }
        if (onDuplicate.marker() != null) {
            throw new IllegalArgumentException(
                    "onDuplicate must be drop() or sideOutput(...), but is tag(...): the main"
                            + " output has values of counters, not operations.");
        }
        if (onNullCounter.forwards()) {
            throw new IllegalArgumentException(
                    "onNullCounter must be fail(), drop() or sideOutput(...), but is forward():"
                            + " there is no counter to apply such operations to.");
        }
        if (emitInterval != null && emitInterval.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "emitEvery must be at least 1 ms, but is "
                            + emitInterval
                            + ": leave it out to emit after every operation.");
        }
        if (operationId == null && !withoutFilter) {
            throw new IllegalArgumentException(
                    "operation is required, but is not set: call operation(KeySelector) with what a"
                            + " retry has in common with the first try, or withoutFilter().");
        }
        if (withoutFilter && corrections != null) {
            throw new OptionException(
                    "withoutFilter and corrections exclude each other, but both are set: without"
                            + " the filter, nobody knows which operations were counted. Leave one"
                            + " of them out.");
        }
        boolean twoPhases = options().get(CounterOptions.TWO_PHASES);
        if (twoPhases && withoutFilter) {
            throw new OptionException(
                    "withoutFilter and twoPhases exclude each other, but both are set: leave one of"
                            + " them out.");
        }
        if (twoPhases && emitInterval == null) {
            throw new OptionException(
                    "twoPhases (",
                    CounterOptions.TWO_PHASES.key(),
                    ") needs emitEvery, which is not set: operations are summed for an interval"
                            + " before they are sent to their counters. Set emitEvery, or leave"
                            + " twoPhases out.");
        }
        if (twoPhases && emitInterval.toMillis() < 2) {
            throw new IllegalArgumentException(
                    "emitEvery must be at least 2 ms with twoPhases, but is "
                            + emitInterval
                            + ": each phase waits for half of it.");
        }
        if (withoutFilter) {
            onLate.requireForward("without the filter, no operation is");
        } else {
            SizingWarning.atConstruction(settings, uid, operations);
        }
        SerializerConfig config = operations.getExecutionConfig().getSerializerConfig();
        TypeInformation<K> keyType = typeOfCounters(operations.getType());
        StreamExecutionEnvironment environment = operations.getExecutionEnvironment();
        KeySelector<T, K> counters =
                Closures.clean(environment, "the selector of of(...)", counterSelector);
        IdHasher<K> counterHasher = IdHasher.ofHashable("counter", keyType, config, hashSeed());
        Counting<T, K> counting =
                new Counting<>(
                        counters,
                        Closures.clean(environment, "delta", delta),
                        emitInterval == null ? 0 : emitInterval.toMillis(),
                        keyType.createSerializer(config),
                        counterHasher,
                        onNullCounter,
                        expiry(settings),
                        acknowledgements);
        if (twoPhases) {
            return inTwoPhases(operations, keyType, counting, settings, requireNonNull(operationId))
                    .uid(uid)
                    .name(NAME + ": " + uid);
        }
        KeyedStream<T, Object> keyed = StreamKey.keyBy(operations, counters, counterHasher);
        TypeInformation<CounterValue<K>> valueType = CounterValue.type(keyType);
        SingleOutputStreamOperator<CounterValue<K>> values =
                withoutFilter
                        ? keyed.transform(
                                NAME,
                                valueType,
                                new SortedInputFactory<>(
                                        new PlainCounterOperator<>(counting, settings.timeDomain()),
                                        sorted(counting, settings, null)))
                        : withFilter(
                                keyed, valueType, counting, settings, requireNonNull(operationId));
        return values.uid(uid).name(NAME + ": " + uid);
    }

    private <I> SingleOutputStreamOperator<CounterValue<K>> withFilter(
            KeyedStream<T, Object> keyed,
            TypeInformation<CounterValue<K>> valueType,
            Counting<T, K> counting,
            WindowSettings settings,
            OperationId<T, I> operation) {
        OperationHasher<T, K, I> hasher =
                operation.hasher(
                        counting.hasher(), keyed.getType(), keyed.getExecutionEnvironment(), false);
        return count(
                keyed,
                valueType,
                new CounterOperator<>(
                        counting,
                        CounterStore.emission(),
                        settings,
                        batching(),
                        hasher,
                        onDuplicate,
                        onLate,
                        onNullId,
                        olderThanCorrection.toMillis()),
                sorted(counting, settings, hasher),
                operation,
                missed -> StreamKey.keyBy(missed, MissedOperation::counter, counting.hasher()));
    }

    private <I> TwoPhaseStream<K> inTwoPhases(
            DataStream<T> operations,
            TypeInformation<K> counterType,
            Counting<T, K> counting,
            WindowSettings settings,
            OperationId<T, I> operation) {
        OperationHasher<T, K, I> hasher =
                operation.hasher(
                        counting.hasher(),
                        operations.getType(),
                        operations.getExecutionEnvironment(),
                        true);
        IdHasher<I> ids = hasher.idHasher();
        Counting<T, K> local = counting.local();
        SingleOutputStreamOperator<CounterUpdate<K>> sums =
                count(
                                StreamKey.keyBy(operations, hasher.idSelector(), ids),
                                CounterUpdate.type(counterType),
                                new CounterOperator<>(
                                        local,
                                        LocalSums.emission(),
                                        settings,
                                        batching(),
                                        hasher,
                                        onDuplicate,
                                        onLate,
                                        onNullId,
                                        olderThanCorrection.toMillis()),
                                new SortedSumOperator<>(
                                        local, settings, hasher, onDuplicate, onNullId),
                                operation,
                                missed -> StreamKey.keyBy(missed, MissedOperation::operation, ids))
                        .uid(requireUid() + OPERATIONS_UID_SUFFIX)
                        .name(NAME + ", operations: " + requireUid());
        Counting<CounterUpdate<K>, K> global = counting.global();
        SingleOutputStreamOperator<CounterValue<K>> values =
                StreamKey.keyBy(sums, CounterUpdate::counter, counting.hasher())
                        .transform(
                                NAME,
                                CounterValue.type(counterType),
                                new SortedInputFactory<>(
                                        new GlobalCounterOperator<>(global, settings.timeDomain()),
                                        new SortedCounterOperator<>(
                                                global,
                                                settings,
                                                null,
                                                OnDuplicate.drop(),
                                                OnNullId.fail())));
        return new TwoPhaseStream<>(sums, values);
    }

    /** Adds the operator that sees the operations, with the corrections if there are any. */
    private <I, OUT> SingleOutputStreamOperator<OUT> count(
            KeyedStream<T, Object> operations,
            TypeInformation<OUT> type,
            CounterOperator<T, K, I, OUT> operator,
            OneInputStreamOperator<T, OUT> forSortedInput,
            OperationId<T, I> operation,
            Function<DataStream<MissedOperation<K, I>>, KeyedStream<MissedOperation<K, I>, Object>>
                    keyBy) {
        if (corrections == null) {
            return operations.transform(
                    NAME, type, new SortedInputFactory<>(operator, forSortedInput));
        }
        return operations
                .connect(keyBy.apply(operation.checked(corrections, operations.getType())))
                .transform(
                        NAME,
                        type,
                        new SecondInputFactory<>(
                                operator, "corrections", operations.getExecutionEnvironment()));
    }

    private OneInputStreamOperator<T, CounterValue<K>> sorted(
            Counting<T, K> counting,
            WindowSettings settings,
            @Nullable OperationHasher<T, K, ?> hasher) {
        return new SortedCounterOperator<>(counting, settings, hasher, onDuplicate, onNullId);
    }
}
