/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.counter.MissedOperation;
import io.sluice.flink.dedup.Deduplicate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole jobs that learn from a second, bounded stream what was found elsewhere. */
class SecondInputIT {

    private static final int COUNTERS = 97;
    private static final int OPERATIONS = 12_000;
    private static final int MORE_THAN_ALL = 100_000;

    /** Records of the jobs that are stopped with savepoints, which are also their ids and times. */
    private static final long RECORDS = 4_000;

    private static final String ELSEWHERE = "elsewhere";

    private static final Queue<Long> PASSED = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(5)
                            .build());

    @TempDir private Path savepoints;

    private static final class Keep implements MapFunction<Long, Long> {
        @Override
        public Long map(Long id) {
            PASSED.add(id);
            return id;
        }
    }

    private static Configuration configuration(Backends backend) {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                backend == Backends.HASHMAP ? "hashmap" : "rocksdb");
        return configuration;
    }

    private static WatermarkStrategy<Long> times(Duration outOfOrderness) {
        return WatermarkStrategy.<Long>forBoundedOutOfOrderness(outOfOrderness)
                .withTimestampAssigner((id, timestamp) -> id);
    }

    /** Reads every number but the multiples of one, and some of them twice. */
    private static DataStream<Long> lossy(
            StreamExecutionEnvironment env, String name, long lost, long repeated) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                index -> index,
                                OPERATIONS,
                                // A checkpoint is complete, and the failure comes, before the end.
                                RateLimiterStrategy.perCheckpoint(OPERATIONS / 4),
                                Types.LONG),
                        times(Duration.ofSeconds(5)),
                        name)
                .setParallelism(1)
                .<Long>flatMap(
                        (id, out) -> {
                            for (int i = 0;
                                    id % lost != 0 && i < (id % repeated == 0 ? 2 : 1);
                                    i++) {
                                out.collect(id);
                            }
                        })
                .returns(Types.LONG)
                .setParallelism(1);
    }

    @ParameterizedTest
    @CsvSource({"HASHMAP, false", "ROCKSDB, false", "ROCKSDB, true"})
    void whatEitherRegionCountedIsCountedOnceThroughAFailure(Backends backend, boolean twoPhases)
            throws Exception {
        StreamExecutionEnvironment env = failingOnce(backend);
        Map<Integer, Long> totals = totals(env, lossy(env, "operations", 7, 3), twoPhases);
        Map<Integer, Long> truth = new HashMap<>();
        LongStream.range(0, OPERATIONS)
                .filter(id -> id % 5 != 0 || id % 7 != 0)
                .forEach(id -> truth.merge((int) (id % COUNTERS), id % 10, Long::sum));
        assertThat(totals).isEqualTo(truth);
    }

    @Test
    void correctionsGoOnThroughAFailureWhenTheOperationsHaveEnded() throws Exception {
        StreamExecutionEnvironment env = failingOnce(Backends.HASHMAP);
        DataStream<Long> few =
                env.fromSequence(0, 499)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(times(Duration.ZERO));
        Map<Integer, Long> totals = totals(env, few, false);
        Map<Integer, Long> truth = new HashMap<>();
        LongStream.range(0, OPERATIONS)
                .filter(id -> id < 500 || id % 5 != 0)
                .forEach(id -> truth.merge((int) (id % COUNTERS), id % 10, Long::sum));
        assertThat(totals).isEqualTo(truth);
    }

    private static StreamExecutionEnvironment failingOnce(Backends backend) {
        Configuration configuration = configuration(backend);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(3);
        env.setMaxParallelism(50);
        FailOnce.arm();
        return env;
    }

    /** Totals of operations here and of most operations elsewhere, when event time has ended. */
    private static Map<Integer, Long> totals(
            StreamExecutionEnvironment env, DataStream<Long> operations, boolean twoPhases)
            throws Exception {
        DataStream<MissedOperation<Integer, Long>> missed =
                lossy(env, "corrections", 5, 4)
                        .map(id -> new MissedOperation<>((int) (id % COUNTERS), id, id % 10))
                        .returns(MissedOperation.type(Types.INT, Types.LONG));
        IdempotentCounters<Long, Integer> counters =
                IdempotentCounters.of((Long id) -> (int) (id % COUNTERS))
                        .operation((Long id) -> id)
                        .delta(id -> id % 10)
                        .uid("counts")
                        .within(Duration.ofSeconds(60))
                        .falsePositiveProbability(1e-9)
                        .expecting(1000)
                        .emitEvery(Duration.ofMillis(20))
                        .corrections(missed);
        DataStream<CounterValue<Integer>> counts =
                (twoPhases ? counters.twoPhases() : counters).apply(operations);
        Map<Integer, Long> totals = new HashMap<>();
        counts.map(new FailOnce<>())
                .returns(counts.getType())
                .keyBy(CounterValue::counter, Types.INT)
                // It ends with event time.
                .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                .reduce((one, other) -> one.value() > other.value() ? one : other)
                .executeAndCollect(MORE_THAN_ALL)
                .forEach(value -> totals.merge(value.counter(), value.value(), Long::sum));
        assertThat(FailOnce.hasFailed()).as("the failure came").isTrue();
        return totals;
    }

    /** A job that marks ids from {@code first} on, or none if that is null. */
    private static JobClient start(
            Backends backend,
            boolean verify,
            int parallelism,
            @Nullable Long first,
            @Nullable String savepoint)
            throws Exception {
        Configuration configuration = configuration(backend);
        if (savepoint != null) {
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
            // The source of marks is left out, or another one.
            configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
        }
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(50);
        Deduplicate<Long, Long> once =
                Deduplicate.by((Long id) -> id)
                        .uid("once")
                        .within(Duration.ofSeconds(60))
                        .falsePositiveProbability(verify ? 0.1 : 1e-9);
        if (verify) {
            once.verify();
        }
        if (first != null) {
            once.alsoSeen(
                    env.fromSequence(first, first + 999)
                            .uid(ELSEWHERE + first)
                            .name(ELSEWHERE)
                            .setParallelism(1)
                            .assignTimestampsAndWatermarks(times(Duration.ZERO)));
        }
        once.apply(
                        env.fromSource(
                                        new DataGeneratorSource<>(
                                                index -> index,
                                                RECORDS,
                                                subtasks -> new Gate<>(),
                                                Types.LONG),
                                        times(Duration.ofSeconds(20)),
                                        "records")
                                .uid("records")
                                .setParallelism(1))
                .map(new Keep())
                .sinkTo(new DiscardingSink<>());
        return env.executeAsync();
    }

    private String stop(JobClient job, MiniCluster cluster) throws Exception {
        Gate.awaitClosed();
        CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), true);
        return job.stopWithSavepoint(false, savepoints.toString(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    private static void awaitMarks(JobID job, MiniCluster cluster) throws Exception {
        CommonTestUtils.waitUntilCondition(
                () -> {
                    for (var vertex :
                            cluster.getExecutionGraph(job).get().getAllVertices().values()) {
                        if (vertex.getName().contains(ELSEWHERE)) {
                            return vertex.getAggregateState() == ExecutionState.FINISHED;
                        }
                    }
                    return false;
                });
    }

    @ParameterizedTest
    @CsvSource({"false, HASHMAP", "true, ROCKSDB"})
    void marksMayBeAddedAndRemovedAtARestore(
            boolean verify, Backends backend, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        PASSED.clear();
        Gate.openFor(1000);
        JobClient marking = start(backend, verify, 2, 500L, null);
        awaitMarks(marking.getJobID(), cluster);
        String marked = stop(marking, cluster);
        Set<Long> passed = new HashSet<>(PASSED);
        assertThat(passed).containsAll(range(0, 500)).hasSizeBetween(500, 1000);

        PASSED.clear();
        Gate.openFor(1000);
        JobClient without = start(backend, verify, 5, null, marked);
        String savepoint = stop(without, cluster);
        assertThat(PASSED)
                .as("those up to 1499 were marked")
                .containsExactlyInAnyOrderElementsOf(range(1500, 2000));

        PASSED.clear();
        Gate.openFor(Long.MAX_VALUE);
        start(backend, verify, 3, 2500L, savepoint)
                .getJobExecutionResult()
                .get(60, TimeUnit.SECONDS);
        assertThat(PASSED)
                .doesNotHaveDuplicates()
                .containsAll(range(2000, 2500))
                .containsAll(range(3500, 4000))
                .allSatisfy(id -> assertThat(id).isGreaterThanOrEqualTo(2000));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    void automaticExecutionThatTurnsOutToBeBatchIsRefused() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(RuntimeExecutionMode.AUTOMATIC);
        DataStream<Long> numbers =
                env.fromSequence(1, 10).assignTimestampsAndWatermarks(times(Duration.ZERO));
        DataStream<Long> once =
                Deduplicate.by((Long id) -> id)
                        .uid("once")
                        .within(Duration.ofSeconds(60))
                        .alsoSeen(numbers)
                        .apply(numbers);
        assertThatThrownBy(() -> once.executeAndCollect(100))
                .hasStackTraceContaining("alsoSeen needs STREAMING execution");
    }
}
