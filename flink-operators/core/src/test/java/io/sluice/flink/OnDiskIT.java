/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.flink.runtime.OwnBackend;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole jobs whose ids are on disk, whatever state backend the job has. */
class OnDiskIT {

    private static final int RECORDS = 12_000;
    private static final int MORE_THAN_ALL = 4 * RECORDS;

    /** Parallelism of the jobs, one after the other, and how many records each may read. */
    private static final int[] PARALLELISMS = {2, 5, 3};

    private static final long[] LIMITS = {4_000, 7_500, Long.MAX_VALUE};

    /** A job that is stopped with a savepoint has emitted exactly what it has processed. */
    private static final Queue<Long> EMITTED = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(5)
                            .build());

    @TempDir private Path savepoints;

    private MiniCluster cluster;

    @BeforeEach
    void begin(@InjectMiniCluster MiniCluster started) {
        cluster = started;
        EMITTED.clear();
    }

    private static final class Keep implements MapFunction<Long, Long> {
        @Override
        public Long map(Long id) {
            EMITTED.add(id);
            return id;
        }
    }

    /** Every third record repeats one of all before, even across the savepoints. */
    private static long idAt(long index) {
        return index % 3 == 2 && index > 500 ? idAt((index * 7919) % index) : index;
    }

    /** Each record is up to half an hour away from the others, and the watermark an hour behind. */
    private static WatermarkStrategy<Long> times() {
        return WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofHours(1))
                .withTimestampAssigner((id, unused) -> Math.floorMod(id * 31, 1_800_000L));
    }

    private static Set<Long> distinctIds() {
        Set<Long> ids = new HashSet<>();
        LongStream.range(0, RECORDS).map(OnDiskIT::idAt).forEach(ids::add);
        return ids;
    }

    private static Configuration configuration(Backends backend) {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                backend == Backends.HASHMAP ? "hashmap" : "rocksdb");
        return configuration;
    }

    /** How long an id is known: longer than a test, or than the times of its records. */
    private enum Known {
        FOREVER,
        A_DAY_OF_ARRIVALS,
        AN_HOUR_OF_EVENT_TIME;

        Deduplicate<Long, Long> engine() {
            return switch (this) {
                case FOREVER -> forever();
                case A_DAY_OF_ARRIVALS -> withinADay();
                case AN_HOUR_OF_EVENT_TIME ->
                        withinADay().within(Duration.ofHours(1)).timeDomain(TimeDomain.EVENT);
            };
        }
    }

    private static Deduplicate<Long, Long> forever() {
        return Deduplicate.by((Long id) -> id)
                .uid("once")
                .forever()
                .falsePositiveProbability(1e-9)
                .memory(MemorySize.ofMebiBytes(4));
    }

    /** In processing time, and longer than a test. */
    private static Deduplicate<Long, Long> withinADay() {
        return Deduplicate.by((Long id) -> id)
                .uid("once")
                .within(Duration.ofDays(1))
                .timeDomain(TimeDomain.PROCESSING)
                .falsePositiveProbability(1e-9)
                .memory(MemorySize.ofMebiBytes(4));
    }

    @ParameterizedTest
    @CsvSource({
        "HASHMAP, FOREVER",
        "ROCKSDB, FOREVER",
        "HASHMAP, A_DAY_OF_ARRIVALS",
        "ROCKSDB, A_DAY_OF_ARRIVALS",
        "ROCKSDB, AN_HOUR_OF_EVENT_TIME"
    })
    void everyIdPassesOnceThroughAFailure(Backends backend, Known known) throws Exception {
        Configuration configuration = configuration(backend);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(3);
        FailOnce.arm();
        DataStream<Long> records =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        OnDiskIT::idAt,
                                        RECORDS,
                                        RateLimiterStrategy.perCheckpoint(RECORDS / 4),
                                        Types.LONG),
                                times(),
                                "records")
                        .setParallelism(1);
        List<Long> passed =
                known.engine()
                        .onDisk()
                        .apply(records)
                        .map(new FailOnce<>())
                        .returns(Types.LONG)
                        .executeAndCollect(MORE_THAN_ALL);
        assertThat(FailOnce.hasFailed()).isTrue();
        assertThat(passed)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    /** Runs jobs from savepoint to savepoint, the last to its end. */
    private void run(
            Backends backend,
            SavepointFormatType format,
            List<UnaryOperator<DataStream<Long>>> jobs)
            throws Exception {
        String savepoint = null;
        for (int i = 0; i < jobs.size(); i++) {
            boolean isLast = i == jobs.size() - 1;
            Gate.openFor(isLast ? Long.MAX_VALUE : LIMITS[i]);
            JobClient running = start(backend, PARALLELISMS[i], savepoint, jobs.get(i));
            if (isLast) {
                running.getJobExecutionResult().get(60, TimeUnit.SECONDS);
            } else {
                Gate.awaitClosed();
                CommonTestUtils.waitForAllTaskRunning(cluster, running.getJobID(), false);
                savepoint =
                        running.stopWithSavepoint(false, savepoints.toString(), format)
                                .get(60, TimeUnit.SECONDS);
            }
        }
    }

    private static JobClient start(
            Backends backend,
            int parallelism,
            @Nullable String savepoint,
            UnaryOperator<DataStream<Long>> job)
            throws Exception {
        Configuration configuration = configuration(backend);
        if (savepoint != null) {
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        }
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(50);
        DataStream<Long> records =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        OnDiskIT::idAt, RECORDS, p -> new Gate<>(), Types.LONG),
                                times(),
                                "records")
                        .uid("records")
                        .setParallelism(1);
        job.apply(records).map(new Keep()).returns(Types.LONG).sinkTo(new DiscardingSink<>());
        return env.executeAsync();
    }

    private static void assertThatEachPassedOnce() {
        assertThat(List.copyOf(EMITTED))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @ParameterizedTest
    @CsvSource({
        "HASHMAP, CANONICAL, FOREVER",
        "ROCKSDB, NATIVE, FOREVER",
        "HASHMAP, NATIVE, A_DAY_OF_ARRIVALS",
        "ROCKSDB, CANONICAL, A_DAY_OF_ARRIVALS",
        "HASHMAP, NATIVE, AN_HOUR_OF_EVENT_TIME",
        "ROCKSDB, CANONICAL, AN_HOUR_OF_EVENT_TIME"
    })
    void everyIdPassesOnceAtAnotherParallelism(
            Backends backend, SavepointFormatType format, Known known) throws Exception {
        UnaryOperator<DataStream<Long>> job = ids -> known.engine().onDisk().apply(ids);
        run(backend, format, List.of(job, job, job));
        assertThatEachPassedOnce();
    }

    /** What Flink's state has remembered is moved into filters. */
    @ParameterizedTest
    @CsvSource({
        "HASHMAP, NATIVE, FOREVER",
        "ROCKSDB, NATIVE, FOREVER",
        "ROCKSDB, CANONICAL, FOREVER",
        "ROCKSDB, NATIVE, A_DAY_OF_ARRIVALS"
    })
    void idsInStateMoveToDisk(Backends backend, SavepointFormatType format, Known known)
            throws Exception {
        UnaryOperator<DataStream<Long>> inState =
                ids -> (known == Known.FOREVER ? forever() : withinADay().inState()).apply(ids);
        UnaryOperator<DataStream<Long>> onDisk = ids -> known.engine().onDisk().apply(ids);
        run(backend, format, List.of(inState, onDisk, onDisk));
        assertThatEachPassedOnce();
    }

    @ParameterizedTest
    @EnumSource(
            value = Backends.class,
            names = {"HASHMAP", "ROCKSDB"})
    void idsOnDiskDoNotMoveBackIntoState(Backends backend) {
        assertThatThrownBy(
                        () ->
                                run(
                                        backend,
                                        SavepointFormatType.CANONICAL,
                                        List.of(
                                                ids -> forever().onDisk().apply(ids),
                                                ids -> forever().apply(ids))))
                .rootCause()
                .hasMessageContaining("kept in filters")
                .hasMessageContaining("onDisk()");
    }

    /** An hour of so many new ids a second is too much for the memory, or is not. */
    private static Deduplicate<Long, Long> chosen(boolean isTooLarge) {
        return Deduplicate.by((Long id) -> id)
                .uid("once")
                .within(Duration.ofHours(1))
                .expecting(isTooLarge ? 100_000 : 1)
                .falsePositiveProbability(1e-9)
                .memory(MemorySize.ofMebiBytes(4));
    }

    @ParameterizedTest
    @CsvSource({
        "true, false, its ids stay on disk",
        "true, true, its ids are on local disk",
        "false, true, its ids stay in memory"
    })
    void aWindowThatMemoryDoesNotHoldIsOnDiskAndIdsStayWhereTheyAre(
            boolean first, boolean then, String said) throws Exception {
        try (LoggedLines lines = LoggedLines.of(Deduplicate.class)) {
            run(
                    Backends.ROCKSDB,
                    SavepointFormatType.NATIVE,
                    List.of(
                            ids -> chosen(first).apply(ids),
                            ids -> chosen(then).apply(ids),
                            ids -> chosen(first).apply(ids)));
            assertThatEachPassedOnce();
            assertThat(lines.all()).anySatisfy(line -> assertThat(line).contains("'once'", said));
        }
    }

    @Test
    void whatIsForMemoryStaysThere() throws Exception {
        try (LoggedLines lines = LoggedLines.of(OwnBackend.class)) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(
                            configuration(Backends.HASHMAP));
            DataStream<Long> ids = env.fromSequence(1, 3).assignTimestampsAndWatermarks(times());
            Configuration off = new Configuration();
            off.set(DeduplicateOptions.ON_DISK, false);
            chosen(true).hashSeed(17).apply(ids).sinkTo(new DiscardingSink<>());
            chosen(true).uid("off").configure(off).apply(ids).sinkTo(new DiscardingSink<>());
            chosen(true).uid("two").limit(2).apply(ids).sinkTo(new DiscardingSink<>());
            env.execute();
            assertThat(lines.all()).isEmpty();
        }
    }

    @Test
    void twoInASlotHaveTheirOwnMemory() throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(Backends.ROCKSDB));
        env.setParallelism(2);
        DataStream<Long> ids = env.fromSequence(0, RECORDS - 1).map(OnDiskIT::idAt);
        DataStream<Long> once = forever().onDisk().apply(ids);
        List<Long> twice =
                forever()
                        .uid("twice")
                        .onDisk()
                        .memory(MemorySize.ofMebiBytes(2))
                        .apply(once.union(once.map(id -> id)))
                        .executeAndCollect(MORE_THAN_ALL);
        assertThat(twice)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 4", "32768, 1", "32768, 4"})
    void anyMaximumParallelismWillDo(int maxParallelism, int mebi) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(Backends.HASHMAP));
        env.setParallelism(1);
        env.setMaxParallelism(maxParallelism);
        DataStream<Long> ids = env.fromSequence(0, RECORDS - 1).map(OnDiskIT::idAt);
        assertThat(
                        forever()
                                .onDisk()
                                .memory(MemorySize.ofMebiBytes(mebi))
                                .apply(ids)
                                .executeAndCollect(MORE_THAN_ALL))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @Test
    void idsThatWereSeenElsewhereAreDuplicates() throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(Backends.HASHMAP));
        env.setParallelism(2);
        DataStream<Long> elsewhere = env.fromSequence(0, 99);
        DataStream<Long> ids = env.fromSequence(0, 199).union(env.fromSequence(0, 199));
        List<Long> passed =
                forever().onDisk().alsoSeen(elsewhere).apply(ids).executeAndCollect(MORE_THAN_ALL);
        // Which of the two inputs comes first is not known.
        assertThat(passed)
                .doesNotHaveDuplicates()
                .containsAll(LongStream.range(100, 200).boxed().toList());
    }

    @Test
    void aBatchJobIsExact() throws Exception {
        Configuration configuration = configuration(Backends.ROCKSDB);
        configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        DataStream<Long> ids = env.fromSequence(0, RECORDS - 1).map(OnDiskIT::idAt);
        assertThat(forever().onDisk().apply(ids).executeAndCollect(MORE_THAN_ALL))
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }

    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb", "io.sluice.state.CascadeStateBackendFactory"})
    void theLogSaysWhereIdsAre(String backend) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        try (LoggedLines lines = LoggedLines.of(OwnBackend.class)) {
            forever().onDisk().apply(env.fromSequence(1, 3)).executeAndCollect(MORE_THAN_ALL);
            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .contains("'once' keeps its ids in filters on local disk, beside");
        }
    }

    /** The job's own backend would report every third id as seen, and says it by its cost. */
    @ParameterizedTest
    @EnumSource
    void theProbabilityIsThatOfTheOperator(Known known) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND, CascadeStateBackendFactory.class.getName());
        configuration.set(CascadeBackendOptions.DELEGATE, "hashmap");
        configuration.set(CascadeBackendOptions.MAX_FALSE_DROPS_PER_DAY, 30_000_000.0);
        configuration.set(CascadeBackendOptions.NEW_KEYS_PER_DAY, 100_000_000L);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        DataStream<Long> ids =
                env.fromSequence(0, RECORDS - 1)
                        .map(OnDiskIT::idAt)
                        .assignTimestampsAndWatermarks(times());
        assertThat(known.engine().onDisk().apply(ids).executeAndCollect(MORE_THAN_ALL))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(distinctIds());
    }
}
