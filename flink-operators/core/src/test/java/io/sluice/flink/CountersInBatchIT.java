/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters of a bounded input that Flink sorts by counter. */
class CountersInBatchIT {

    private static final long COUNTERS = 100;
    private static final long WINDOW = 1_000;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Queue<CounterValue<Long>> EMITTED = new ConcurrentLinkedQueue<>();
    private static final TypeInformation<CounterValue<Long>> VALUES =
            TypeInformation.of(new TypeHint<CounterValue<Long>>() {});

    private static final class Keep implements MapFunction<CounterValue<Long>, CounterValue<Long>> {
        @Override
        public CounterValue<Long> map(CounterValue<Long> value) {
            EMITTED.add(value);
            return value;
        }
    }

    @BeforeEach
    void forgetWhatWasEmitted() {
        EMITTED.clear();
    }

    private static StreamExecutionEnvironment batch() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        env.setParallelism(2);
        return env;
    }

    private static IdempotentCounters<Long, Long> counters(TimeDomain time) {
        return IdempotentCounters.of((Long n) -> n % COUNTERS)
                .uid("counts")
                .within(Duration.ofMillis(WINDOW))
                .timeDomain(time)
                .falsePositiveProbability(0.01);
    }

    private static DataStream<Long> timed(long operations, long millisPerStep, long perStep) {
        return batch().fromSequence(0, operations - 1)
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Long>forMonotonousTimestamps()
                                .withTimestampAssigner((n, old) -> n / perStep * millisPerStep));
    }

    private static void run(
            boolean twoPhases, IdempotentCounters<Long, Long> counters, DataStream<Long> operations)
            throws Exception {
        run(twoPhases ? counters.twoPhases() : counters, operations);
    }

    private static void run(IdempotentCounters<Long, Long> counters, DataStream<Long> operations)
            throws Exception {
        counters.apply(operations).map(new Keep()).returns(VALUES).sinkTo(new DiscardingSink<>());
        operations.getExecutionEnvironment().execute();
    }

    private static Map<Long, List<Long>> emitted() {
        return EMITTED.stream()
                .collect(
                        Collectors.groupingBy(
                                CounterValue::counter,
                                Collectors.mapping(CounterValue::value, Collectors.toList())));
    }

    /** All counters, each with these values. */
    private static Map<Long, List<Long>> each(List<Long> values) {
        return LongStream.range(0, COUNTERS)
                .boxed()
                .collect(Collectors.toMap(counter -> counter, counter -> values));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countersThatEmitNowAndThenEndAtTheExactTruth(boolean twoPhases) throws Exception {
        // 100 counters of 1,000 operations, each twice.
        run(
                twoPhases,
                counters(TimeDomain.PROCESSING)
                        .operation((Long n) -> n % 100_000)
                        .emitEvery(Duration.ofMillis(2)),
                batch().fromSequence(0, 199_999));
        assertThat(emitted()).isEqualTo(each(List.of(1_000L)));
        assertThat(EMITTED).allMatch(value -> value.expectedUndercount() == 0);
    }

    @Test
    void countersThatEmitEveryUpdateEmitEachValueOnTheWayToTheTruth() throws Exception {
        run(
                counters(TimeDomain.PROCESSING).operation((Long n) -> n % 10_000),
                batch().fromSequence(0, 19_999));
        assertThat(emitted()).isEqualTo(each(LongStream.rangeClosed(1, 100).boxed().toList()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repetitionsBeyondTheWindowCountAgainInEventTime(boolean twoPhases) throws Exception {
        // Every operation five times, half a window apart: the first and the fourth count.
        run(
                twoPhases,
                counters(TimeDomain.EVENT)
                        .operation((Long n) -> n % 10_000)
                        .emitEvery(Duration.ofHours(1)),
                timed(50_000, WINDOW / 2, 10_000));
        assertThat(emitted()).isEqualTo(each(List.of(200L)));
        assertThat(EMITTED).allMatch(value -> value.timestamp() == 3 * WINDOW / 2);
    }

    @Test
    void countersWithoutAFilterEndAtTheSumOfAllOperations() throws Exception {
        run(
                counters(TimeDomain.PROCESSING).withoutFilter().emitEvery(Duration.ofMillis(1)),
                batch().fromSequence(0, 199_999));
        assertThat(emitted()).isEqualTo(each(List.of(2_000L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void operationsWithoutAnIdAreAllAppliedToTheirCounter(boolean twoPhases) throws Exception {
        run(
                twoPhases,
                counters(TimeDomain.PROCESSING)
                        .operation((Long n) -> n < 50_000 ? null : n % 50_000, Types.LONG)
                        .onNullId(OnNullId.forward())
                        .emitEvery(Duration.ofHours(1)),
                batch().fromSequence(0, 149_999));
        assertThat(emitted()).isEqualTo(each(List.of(1_000L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void operationsWithoutACounterDoNotTouchTheCounterWithTheSameKey(boolean twoPhases)
            throws Exception {
        run(
                twoPhases,
                IdempotentCounters.of((Long n) -> n % 2 == 0 ? null : n / 2 % COUNTERS)
                        .counterType(Types.LONG)
                        .operation((Long n) -> n)
                        .onNullCounter(OnNullId.drop())
                        .uid("counts")
                        .within(Duration.ofHours(1))
                        .timeDomain(TimeDomain.PROCESSING)
                        .falsePositiveProbability(0.01)
                        .emitEvery(Duration.ofHours(1)),
                batch().fromSequence(0, 199_999));
        assertThat(emitted()).isEqualTo(each(List.of(1_000L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCounterThatComesBackAfterItsExpiryBeginsAtZeroAndBothValuesAreEmitted(boolean twoPhases)
            throws Exception {
        // Two bursts of 100 operations per counter, 3 windows apart; a counter is kept for 2.
        run(
                twoPhases,
                counters(TimeDomain.EVENT)
                        .operation((Long n) -> n)
                        .expireAfter(Duration.ofMillis(2 * WINDOW))
                        .emitEvery(Duration.ofHours(1)),
                timed(20_000, 3 * WINDOW, 10_000));
        assertThat(emitted()).isEqualTo(each(List.of(100L, 100L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCounterThatIsTouchedInTimeDoesNotExpire(boolean twoPhases) throws Exception {
        run(
                twoPhases,
                counters(TimeDomain.EVENT)
                        .operation((Long n) -> n)
                        .expireAfter(Duration.ofMillis(2 * WINDOW))
                        .emitEvery(Duration.ofHours(1)),
                timed(50_000, 2 * WINDOW, 10_000));
        assertThat(emitted()).isEqualTo(each(List.of(500L)));
    }

    @Test
    void anIdThatManyCountersShareCountsOnceForEachInTwoPhases() throws Exception {
        run(
                counters(TimeDomain.EVENT)
                        .operation((Long n) -> n / COUNTERS % 100)
                        .twoPhases()
                        .emitEvery(Duration.ofHours(1)),
                timed(20_000, WINDOW / 2, 10_000));
        assertThat(emitted()).isEqualTo(each(List.of(100L)));
    }
}
