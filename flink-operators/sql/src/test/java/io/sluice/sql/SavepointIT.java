/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job is stopped with a savepoint, and goes on with another parallelism and other arguments. */
class SavepointIT {

    private static final Duration DEADLINE = Duration.ofMinutes(3);
    private static final int FIRST = 500;
    private static final int SECOND = 700;

    private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

    @RegisterExtension
    static final MiniClusterExtension FLINK =
            new MiniClusterExtension(
                    () ->
                            new MiniClusterResourceConfiguration.Builder()
                                    .setNumberTaskManagers(1)
                                    .setNumberSlotsPerTaskManager(4)
                                    .setConfiguration(
                                            REPORTER.addToConfiguration(new Configuration()))
                                    .build());

    /** What jobs have put out, by the name of the test that started them. */
    private static final Map<String, Queue<Long>> PASSED = new ConcurrentHashMap<>();

    private final String run = UUID.randomUUID().toString();

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "HASHMAP, CANONICAL",
        "HASHMAP, NATIVE",
        "ROCKSDB, CANONICAL",
        "ROCKSDB, NATIVE",
        "CASCADE, CANONICAL",
        "CASCADE, NATIVE"
    })
    void whatIsKnownStaysKnown(Backend backend, SavepointFormatType format) throws Exception {
        Queue<Long> passed = PASSED.computeIfAbsent(run, name -> new ConcurrentLinkedQueue<>());
        // Fewer afterwards: a subtask of the source that has nothing to read ends, and a savepoint
        // that is asked for at that moment fails.
        JobClient job = start(backend.configuration(), 3, FIRST, "");
        until(job, () -> passed.size() >= FIRST);
        checkFilter(backend, job.getJobID(), FIRST);
        String savepoint =
                job.stopWithSavepoint(false, directory.toUri().toString(), format)
                        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(passed).containsExactlyInAnyOrderElementsOf(ids(0, FIRST));

        passed.clear();
        Configuration configuration = backend.configuration();
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        job = start(configuration, 2, SECOND, ", state_ttl => INTERVAL '1' DAY");
        until(job, () -> passed.size() >= SECOND - FIRST);
        checkFilter(backend, job.getJobID(), SECOND);
        job.stopWithSavepoint(false, directory.toUri().toString(), format)
                .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(passed).containsExactlyInAnyOrderElementsOf(ids(FIRST, SECOND));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32_768})
    void atTheLeastAndTheGreatestMaximumParallelism(int maxParallelism) throws Exception {
        Queue<Long> passed = PASSED.computeIfAbsent(run, name -> new ConcurrentLinkedQueue<>());
        Configuration configuration = Backend.CASCADE.configuration();
        configuration.set(PipelineOptions.MAX_PARALLELISM, maxParallelism);
        JobClient job = start(configuration, 1, FIRST, "");
        until(job, () -> passed.size() >= FIRST);
        String savepoint =
                job.stopWithSavepoint(
                                false, directory.toUri().toString(), SavepointFormatType.NATIVE)
                        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        passed.clear();
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        job = start(configuration, Math.min(3, maxParallelism), SECOND, "");
        until(job, () -> passed.size() >= SECOND - FIRST);
        job.cancel().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(passed).containsExactlyInAnyOrderElementsOf(ids(FIRST, SECOND));
    }

    /** Exact flags become approximate when the job comes to the backend of Sluice. */
    @Test
    void whatWasExactMovesIntoTheFilter() throws Exception {
        Queue<Long> passed = PASSED.computeIfAbsent(run, name -> new ConcurrentLinkedQueue<>());
        JobClient job = start(Backend.HASHMAP.configuration(), 2, FIRST, "");
        until(job, () -> passed.size() >= FIRST);
        String savepoint =
                job.stopWithSavepoint(
                                false, directory.toUri().toString(), SavepointFormatType.CANONICAL)
                        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        passed.clear();
        Configuration configuration = Backend.CASCADE.configuration();
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        job = start(configuration, 1, SECOND, "");
        until(job, () -> passed.size() >= SECOND - FIRST);
        checkFilter(Backend.CASCADE, job.getJobID(), SECOND);
        job.cancel().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(passed).containsExactlyInAnyOrderElementsOf(ids(FIRST, SECOND));
    }

    /** Keys 0 to {@code distinct}, over and over. */
    private JobClient start(
            Configuration configuration, int parallelism, int distinct, String arguments)
            throws Exception {
        if (!configuration.contains(PipelineOptions.MAX_PARALLELISM)) {
            configuration.set(PipelineOptions.MAX_PARALLELISM, 50);
        }
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
        // Each checkpoint brings the metrics up to date, which otherwise takes many more records.
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql("LOAD MODULE sluice");
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(
                        number -> number,
                        Long.MAX_VALUE,
                        RateLimiterStrategy.perSecond(10_000),
                        Types.LONG);
        tables.createTemporaryView(
                "numbers",
                env.fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers")
                        .uid("numbers"));
        tables.executeSql(
                "CREATE TEMPORARY VIEW ids AS SELECT CAST(MOD(f0, "
                        + distinct
                        + ") AS BIGINT) AS id, f0 AS number FROM numbers");
        DataStream<Long> passed =
                tables.toDataStream(
                                tables.sqlQuery(
                                        "SELECT id FROM DEDUPLICATE(input => TABLE ids PARTITION BY"
                                                + " id"
                                                + arguments
                                                + ", uid => 'ids')"))
                        .map(new Pass(run))
                        .returns(Types.LONG);
        passed.sinkTo(new DiscardingSink<>());
        return env.executeAsync();
    }

    /** Tells the test what has passed. */
    private record Pass(String run) implements MapFunction<Row, Long> {
        @Override
        public Long map(Row row) {
            Long id = row.getFieldAs(0);
            PASSED.get(run).add(id);
            return id;
        }
    }

    /**
     * On the backend of Sluice the keys are in a filter, and nowhere else. With a time-to-live a
     * key may be there more than once, with a time each.
     */
    private static void checkFilter(Backend backend, JobID job, int keys) throws Exception {
        String name = ".*cascade\\.state\\." + SeenFlag.NAME + "\\.entries";
        if (backend != Backend.CASCADE) {
            assertThat(REPORTER.findMetrics(job, name)).isEmpty();
            return;
        }
        until(
                null,
                () ->
                        REPORTER.findMetrics(job, name).values().stream()
                                        .mapToLong(SavepointIT::number)
                                        .sum()
                                >= keys);
    }

    private static long number(Metric metric) {
        return ((Number) ((Gauge<?>) metric).getValue()).longValue();
    }

    private static List<Long> ids(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static void until(JobClient job, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.call()) {
            if (job != null && job.getJobStatus().get() == JobStatus.FAILED) {
                // Throws with the reason.
                job.getJobExecutionResult().get();
            }
            assertThat(System.nanoTime()).as("deadline").isLessThan(end);
            LockSupport.parkNanos(2_000_000);
        }
    }
}
