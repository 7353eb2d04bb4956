/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nine in ten operations are for one counter, and every operation comes twice within a minute; a
 * task fails on the way.
 */
class HotCountersIT {

    private static final int PARALLELISM = 4;
    private static final int OPERATIONS = 200_000;
    private static final int COUNTERS = 1_000;

    /** A retry comes that much later, in operations; one comes each 10 ms. */
    private static final int RETRY_AFTER = 5_000;

    /** High, so that the amount missed is one. */
    private static final double FPP = 0.01;

    private static final OutputTag<Long> RETRIES = new OutputTag<>("retries", Types.LONG);
    private static final OutputTag<Long> COUNTED = new OutputTag<>("counted", Types.LONG);

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(PARALLELISM)
                            .build());

    /** New operations by the thread of the subtask that counted them. */
    private static final Map<String, LongAdder> LOAD = new ConcurrentHashMap<>();

    private static long operationAt(long index) {
        return index % 2 == 0 ? index / 2 : Math.max(0, index / 2 - RETRY_AFTER);
    }

    private static int counterOf(long operation) {
        return operation % 10 == 0 ? (int) (operation / 10 % COUNTERS) : -1;
    }

    private static long deltaOf(long operation) {
        // Task, subtask and, behind #, attempt.
        String subtask = Thread.currentThread().getName().replaceFirst("#.*", "");
        LOAD.computeIfAbsent(subtask, name -> new LongAdder()).increment();
        return 1 + operation % 3;
    }

    private static StreamExecutionEnvironment failingOnce(boolean unaligned) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, unaligned);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(PARALLELISM);
        FailOnce.arm();
        LOAD.clear();
        return env;
    }

    private static DataStream<Long> operations(StreamExecutionEnvironment env) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                HotCountersIT::operationAt,
                                2L * OPERATIONS,
                                // A checkpoint is complete, and the failure comes, before the end.
                                RateLimiterStrategy.perCheckpoint(OPERATIONS / 2),
                                Types.LONG),
                        WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofMinutes(2))
                                .withTimestampAssigner((operation, timestamp) -> 10 * operation),
                        "operations")
                .setParallelism(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noRetryCountsNoSubtaskHasMoreToDoAndWhatIsMissedIsTold(boolean unaligned)
            throws Exception {
        StreamExecutionEnvironment env = failingOnce(unaligned);
        DataStream<CounterValue<Integer>> counts =
                IdempotentCounters.of(HotCountersIT::counterOf)
                        .operation((Long operation) -> operation)
                        .delta(HotCountersIT::deltaOf)
                        .uid("hot")
                        .within(Duration.ofMinutes(3))
                        .falsePositiveProbability(FPP)
                        .expecting(100)
                        .memory(MemorySize.ofMebiBytes(32))
                        .twoPhases()
                        .emitEvery(Duration.ofMillis(50))
                        .apply(operations(env));
        List<CounterValue<Integer>> last =
                counts.map(new FailOnce<>())
                        .returns(counts.getType())
                        .keyBy(CounterValue::counter, Types.INT)
                        // It ends with event time.
                        .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                        .reduce((one, other) -> one.value() > other.value() ? one : other)
                        .executeAndCollect(10 * COUNTERS);
        assertThat(FailOnce.hasFailed()).as("the failure came").isTrue();

        Map<Integer, Long> truth = new HashMap<>();
        LongStream.range(0, OPERATIONS)
                .forEach(
                        operation ->
                                truth.merge(counterOf(operation), 1 + operation % 3, Long::sum));
        double missed = 0;
        double expected = 0;
        assertThat(last).hasSize(truth.size());
        for (CounterValue<Integer> value : last) {
            assertThat(value.value()).isLessThanOrEqualTo(truth.get(value.counter()));
            missed += truth.get(value.counter()) - value.value();
            expected += value.expectedUndercount();
        }
        // Deltas are 2 in the mean, 14/3 in the mean square.
        double deviation = Math.sqrt(expected / 2 * 14 / 3);
        assertThat(expected).isPositive().isLessThan(2 * OPERATIONS * FPP * 1.02);
        assertThat(missed).isCloseTo(expected, within(6 * deviation));

        LongSummaryStatistics load =
                LOAD.entrySet().stream()
                        .filter(entry -> entry.getKey().contains("operations: hot"))
                        .mapToLong(entry -> entry.getValue().sum())
                        .summaryStatistics();
        assertThat(load.getCount()).isEqualTo(PARALLELISM);
        assertThat((double) load.getMax()).isLessThan(1.5 * load.getAverage());
    }

    @ParameterizedTest
    @EnumSource(names = {"STREAMING", "BATCH"})
    void sideOutputsOfTheReturnedStreamAreThoseOfTheOperations(RuntimeExecutionMode mode)
            throws Exception {
        assertThat(sideOutput(mode, RETRIES)).containsExactlyInAnyOrder(1L, 1L, 2L);
        assertThat(sideOutput(mode, COUNTED)).containsExactlyInAnyOrder(1L, 2L, 1L, 3L, 2L, 1L);
    }

    private static List<Long> sideOutput(RuntimeExecutionMode mode, OutputTag<Long> tag)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(mode);
        return IdempotentCounters.of((Long operation) -> operation % 2)
                .operation((Long operation) -> operation)
                .onDuplicate(OnDuplicate.sideOutput(RETRIES))
                .acknowledge(COUNTED)
                .uid("hot")
                .within(Duration.ofMinutes(3))
                .timeDomain(TimeDomain.PROCESSING)
                .twoPhases()
                .emitEvery(Duration.ofMillis(50))
                .apply(env.fromData(1L, 2L, 1L, 3L, 2L, 1L))
                .setParallelism(3)
                .getSideOutput(tag)
                .executeAndCollect(100);
    }

    @Test
    void checkpointsThatAreNotAlignedAreRefused() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(
                CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE,
                CheckpointingMode.AT_LEAST_ONCE);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        IdempotentCounters.of((Long operation) -> operation % 2)
                .operation((Long operation) -> operation)
                .uid("hot")
                .within(Duration.ofMinutes(3))
                .timeDomain(TimeDomain.PROCESSING)
                .twoPhases()
                .emitEvery(Duration.ofMillis(50))
                .apply(env.fromData(1L, 2L))
                .sinkTo(new DiscardingSink<>());
        assertThatThrownBy(env::execute)
                .rootCause()
                .isInstanceOf(OptionException.class)
                .hasMessageContainingAll(
                        "IdempotentCounters: hot", "twoPhases", "execution.checkpointing.mode");
    }
}
