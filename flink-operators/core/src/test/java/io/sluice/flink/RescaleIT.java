/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
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
import java.util.function.Function;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whole jobs that are stopped with a savepoint and go on at another parallelism, up and down; none
 * of the parallelisms divides another, nor the maximum parallelism.
 */
class RescaleIT {

    private static final int RECORDS = 12_000;
    private static final int COUNTERS = 97;

    /** Parallelism of the jobs, one after the other, and how many records each may read. */
    private static final int[] PARALLELISMS = {2, 5, 3};

    private static final long[] LIMITS = {4_000, 3_500, Long.MAX_VALUE};

    /** A job that is stopped with a savepoint has emitted exactly what it has processed. */
    private static final Queue<Object> EMITTED = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(5)
                            .build());

    @TempDir private Path savepoints;

    /** Keeps every record. */
    private static final class Keep<T> implements MapFunction<T, T> {
        @Override
        public T map(T value) {
            EMITTED.add(value);
            return value;
        }
    }

    private MiniCluster cluster;

    @BeforeEach
    void begin(@InjectMiniCluster MiniCluster started) {
        cluster = started;
        EMITTED.clear();
    }

    /** Every third record repeats one of the last 5000 or fewer, even across the savepoints. */
    private static long idAt(long index) {
        return index % 3 == 2 && index > 5_000 ? idAt(index - 1 - (index * 7919) % 5_000) : index;
    }

    private static Set<Long> distinctIds() {
        Set<Long> ids = new HashSet<>();
        for (long index = 0; index < RECORDS; index++) {
            ids.add(idAt(index));
        }
        return ids;
    }

    private static StreamExecutionEnvironment environment(
            Backends backend, int parallelism, String savepoint) {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                backend == Backends.HASHMAP ? "hashmap" : "rocksdb");
        if (savepoint != null) {
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        }
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(50);
        return env;
    }

    private static DataStream<Long> records(StreamExecutionEnvironment env) {
        return env.fromSource(
                        new DataGeneratorSource<>(
                                RescaleIT::idAt, RECORDS, p -> new Gate<>(), Types.LONG),
                        WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofSeconds(20))
                                .withTimestampAssigner((id, timestamp) -> id),
                        "records")
                .uid("records")
                .setParallelism(1);
    }

    /** Runs {@code job} from savepoint to savepoint, and finally to its end. */
    private <T> void run(Backends backend, Function<DataStream<Long>, DataStream<T>> job)
            throws Exception {
        String savepoint = null;
        for (int i = 0; i < PARALLELISMS.length; i++) {
            StreamExecutionEnvironment env = environment(backend, PARALLELISMS[i], savepoint);
            Gate.openFor(LIMITS[i]);
            DataStream<T> result = job.apply(records(env));
            result.map(new Keep<>()).returns(result.getType()).sinkTo(new DiscardingSink<>());
            JobClient running = env.executeAsync();
            if (i < PARALLELISMS.length - 1) {
                Gate.awaitClosed();
                // The source may be done before the last task downstream has started.
                CommonTestUtils.waitForAllTaskRunning(cluster, running.getJobID(), false);
                savepoint =
                        running.stopWithSavepoint(
                                        false, savepoints.toString(), SavepointFormatType.CANONICAL)
                                .get(60, TimeUnit.SECONDS);
            } else {
                running.getJobExecutionResult().get(60, TimeUnit.SECONDS);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> emitted() {
        return (List<T>) List.copyOf(EMITTED);
    }

    @Test
    void everyIdPassesOnce() throws Exception {
        run(
                Backends.HASHMAP,
                records ->
                        Deduplicate.by((Long id) -> id)
                                .uid("once")
                                .within(Duration.ofSeconds(60))
                                .falsePositiveProbability(1e-9)
                                .expecting(1000)
                                .memory(MemorySize.ofMebiBytes(64))
                                .apply(records));
        assertThat(RescaleIT.<Long>emitted())
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @Test
    void everyIdPassesOnceWithABadFilterAndVerification() throws Exception {
        run(
                Backends.ROCKSDB,
                records ->
                        Deduplicate.by((Long id) -> id)
                                .uid("once")
                                .within(Duration.ofSeconds(60))
                                .falsePositiveProbability(0.1)
                                .verify()
                                .apply(records));
        assertThat(RescaleIT.<Long>emitted())
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countersGoOnWhereTheyWere(boolean twoPhases) throws Exception {
        run(Backends.ROCKSDB, (twoPhases ? counters().twoPhases() : counters())::apply);
        Map<Integer, Long> last = new HashMap<>();
        RescaleIT.<CounterValue<Integer>>emitted()
                .forEach(value -> last.merge(value.counter(), value.value(), Math::max));

        Map<Integer, Long> truth = new HashMap<>();
        for (long id : distinctIds()) {
            truth.merge((int) (id % COUNTERS), id % 10, Long::sum);
        }
        assertThat(last).isEqualTo(truth);
    }

    private static IdempotentCounters<Long, Integer> counters() {
        return IdempotentCounters.of((Long id) -> (int) (id % COUNTERS))
                .operation((Long id) -> id)
                .delta(id -> id % 10)
                .uid("counts")
                .within(Duration.ofSeconds(60))
                .falsePositiveProbability(1e-9)
                .expecting(1000)
                .emitEvery(Duration.ofMillis(20));
    }
}
