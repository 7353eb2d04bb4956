/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole jobs, with checkpoints and a failure between two of them, on every state backend. */
class FailureIT {

    private static final int RECORDS = 24_000;
    private static final int COUNTERS = 97;

    /** Flink collects into an array of this size, and cancels a job that has more results. */
    private static final int MORE_THAN_ALL = 4 * RECORDS;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(3)
                            .build());

    /** Every third record repeats one of the last 500 or fewer. */
    private static long idAt(long index) {
        return index % 3 == 2 && index > 500 ? idAt(index - 1 - (index * 7919) % 500) : index;
    }

    private static DataStream<Long> records(Backends backend, int parallelism) {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                backend == Backends.HASHMAP ? "hashmap" : "rocksdb");
        if (backend == Backends.ROCKSDB_HEAP_TIMERS) {
            configuration.set(
                    RocksDBOptions.TIMER_SERVICE_FACTORY,
                    EmbeddedRocksDBStateBackend.PriorityQueueStateType.HEAP);
        }
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(50);
        FailOnce.arm();
        return env.fromSource(
                        new DataGeneratorSource<>(
                                FailureIT::idAt,
                                RECORDS,
                                // So that a checkpoint is complete, and the failure comes, before
                                // the end.
                                RateLimiterStrategy.perCheckpoint(RECORDS / 4),
                                Types.LONG),
                        WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofSeconds(2))
                                .withTimestampAssigner((id, timestamp) -> id),
                        "records")
                .setParallelism(1);
    }

    private static Set<Long> distinctIds() {
        Set<Long> ids = new HashSet<>();
        for (long index = 0; index < RECORDS; index++) {
            ids.add(idAt(index));
        }
        return ids;
    }

    private static <T> List<T> collect(DataStream<T> stream) throws Exception {
        List<T> all = stream.executeAndCollect(MORE_THAN_ALL);
        assertThat(FailOnce.hasFailed()).as("the failure came").isTrue();
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void everyIdPassesOnce(Backends backend) throws Exception {
        DataStream<Long> once =
                Deduplicate.by((Long id) -> id)
                        .uid("once")
                        .within(Duration.ofSeconds(10))
                        .falsePositiveProbability(1e-9)
                        .expecting(1000)
                        .memory(MemorySize.ofMebiBytes(64))
                        .apply(records(backend, 3));
        assertThat(collect(once.map(new FailOnce<>()).returns(Types.LONG)))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void everyIdPassesOnceWithABadFilterAndVerification(Backends backend) throws Exception {
        DataStream<Long> once =
                Deduplicate.by((Long id) -> id)
                        .uid("once")
                        .within(Duration.ofSeconds(10))
                        .falsePositiveProbability(0.1)
                        .verify()
                        .apply(records(backend, 2));
        assertThat(collect(once.map(new FailOnce<>()).returns(Types.LONG)))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void countersCountEveryOperationOnce(Backends backend) throws Exception {
        DataStream<CounterValue<Integer>> counts =
                IdempotentCounters.of((Long id) -> (int) (id % COUNTERS))
                        .operation((Long id) -> id)
                        .delta(id -> id % 10)
                        .uid("counts")
                        .within(Duration.ofSeconds(10))
                        .falsePositiveProbability(1e-9)
                        .expecting(1000)
                        .emitEvery(Duration.ofMillis(20))
                        .apply(records(backend, 3));
        DataStream<CounterValue<Integer>> failing =
                counts.map(new FailOnce<>()).returns(counts.getType());

        Map<Integer, Long> last = new HashMap<>();
        collect(failing).forEach(value -> last.put(value.counter(), value.value()));

        Map<Integer, Long> truth = new HashMap<>();
        for (long id : distinctIds()) {
            truth.merge((int) (id % COUNTERS), id % 10, Long::sum);
        }
        assertThat(last).isEqualTo(truth);
    }
}
