/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.inspect.Comparison.Kind;
import io.sluice.inspect.FileCheck.Status;
import io.sluice.state.CascadeStateBackendFactory;
import io.sluice.state.MembershipStateDescriptor;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tools on checkpoints and savepoints of jobs that ran. */
class CheckpointToolsIT {
    private static final long SEED = Long.getLong("test.seed", 20261125L);
    private static final long LIMIT_SECONDS = 120;
    private static final int IDS = 20_000;
    private static final int FLIPS = 40;

    /** What a job of the test has left. */
    private enum Stored {
        CHECKPOINT,
        NATIVE_SAVEPOINT,
        CANONICAL_SAVEPOINT,
        AT_ANOTHER_PARALLELISM
    }

    @TempDir private static Path folder;
    @TempDir private Path copy;

    private static MiniCluster cluster;
    private static final Map<Stored, Path> STORED = new EnumMap<>(Stored.class);

    @BeforeAll
    static void runJobs() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(2)
                                .withRandomPorts()
                                .build());
        cluster.start();
        JobID job = submit(2);
        // The second and third are incremental.
        for (int i = 0; i < 3; i++) {
            STORED.put(
                    Stored.CHECKPOINT,
                    path(cluster.triggerCheckpoint(job).get(LIMIT_SECONDS, TimeUnit.SECONDS)));
        }
        STORED.put(Stored.NATIVE_SAVEPOINT, savepoint(job, SavepointFormatType.NATIVE));
        STORED.put(Stored.CANONICAL_SAVEPOINT, savepoint(job, SavepointFormatType.CANONICAL));
        cluster.cancelJob(job).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        cluster.requestJobResult(job).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        JobID other = submit(1);
        STORED.put(Stored.AT_ANOTHER_PARALLELISM, savepoint(other, SavepointFormatType.NATIVE));
        cluster.cancelJob(other).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    private static Path savepoint(JobID job, SavepointFormatType format) throws Exception {
        String target = folder.resolve("savepoints").toUri().toString();
        return path(
                cluster.triggerSavepoint(job, target, false, format)
                        .get(LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    private static Path path(String uri) {
        return Path.of(URI.create(uri.startsWith("file:") ? uri : "file:" + uri));
    }

    private static JobID submit(int parallelism) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND, CascadeStateBackendFactory.class.getName());
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                folder.resolve("checkpoints").toUri().toString());
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        env.setMaxParallelism(16);
        env.enableCheckpointing(Duration.ofDays(1).toMillis());
        var ids =
                env.fromSource(
                                new NumberSequenceSource(0, Long.MAX_VALUE - 1),
                                WatermarkStrategy.noWatermarks(),
                                "ids")
                        .uid("source")
                        .map(id -> id % IDS)
                        .returns(Types.LONG);
        Deduplicate.by((Long id) -> id)
                .idType(Types.LONG)
                .uid("once")
                .within(Duration.ofHours(1))
                .falsePositiveProbability(1e-5)
                .timeDomain(TimeDomain.PROCESSING)
                .memory(MemorySize.ofMebiBytes(32))
                .apply(ids)
                .sinkTo(new DiscardingSink<>());
        ids.keyBy(id -> id)
                .process(new Mark())
                .uid("marks")
                .name("Marks")
                .sinkTo(new DiscardingSink<>());
        JobGraph graph = env.getStreamGraph().getJobGraph();
        cluster.submitJob(graph).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!isRunning(graph.getJobID())) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return graph.getJobID();
    }

    private static boolean isRunning(JobID job) throws Exception {
        AccessExecutionGraph graph =
                cluster.getExecutionGraph(job).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (graph.getState() != JobStatus.RUNNING) {
            return false;
        }
        for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
            if (vertex.getExecutionState() != ExecutionState.RUNNING) {
                return false;
            }
        }
        return true;
    }

    /** A mark, and a number that Flink keeps by itself. */
    private static final class Mark extends KeyedProcessFunction<Long, Long, Long> {
        private transient ValueState<Boolean> seen;
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            seen = getRuntimeContext().getState(new MembershipStateDescriptor("seen", 1e-4));
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(Long id, Context context, Collector<Long> out) throws Exception {
            if (seen.value() == null) {
                seen.update(true);
                count.update(id);
                out.collect(id);
            }
        }
    }

    private static Path stored(Stored which) {
        return STORED.get(which);
    }

    private static StoredCheckpoint load(Path path) throws IOException {
        return StoredCheckpoint.load(
                CheckpointLocation.find(path.toString()), CheckpointToolsIT.class.getClassLoader());
    }

    private static OperatorReport operator(Inspection inspection, String uid) {
        return inspection.operators().stream()
                .filter(operator -> operator.title().equals(uid))
                .findFirst()
                .orElseThrow(() -> new AssertionError(uid + " in " + inspection.operators()));
    }

    private static OperatorReport operatorWith(
            Inspection inspection, Class<? extends StateReport> kind) {
        return inspection.operators().stream()
                .filter(operator -> operator.states().stream().anyMatch(kind::isInstance))
                .findFirst()
                .orElseThrow(() -> new AssertionError(kind + " in " + inspection.operators()));
    }

    private static <T extends StateReport> T state(OperatorReport operator, Class<T> kind) {
        return operator.states().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError(kind + " in " + operator.states()));
    }

    @ParameterizedTest
    @EnumSource
    void theFiltersAndTheFlagsOfAJobAreTold(Stored which) throws Exception {
        Inspection inspection = Inspector.inspect(load(stored(which)));

        assertThat(inspection.problems()).isEmpty();
        assertThat(inspection.bytes()).isPositive();
        int parallelism = which == Stored.AT_ANOTHER_PARALLELISM ? 1 : 2;
        OperatorReport once = operatorWith(inspection, FilterReport.class);
        assertThat(once.parallelism()).isEqualTo(parallelism);
        assertThat(once.maxParallelism()).isEqualTo(16);
        FilterReport filter = state(once, FilterReport.class);
        assertThat(filter.keyGroups()).isEqualTo(16);
        assertThat(filter.windowMillis()).isEqualTo(3_600_000);
        assertThat(filter.falsePositiveProbability()).isEqualTo(1e-5);
        assertThat(filter.ids()).isBetween(1L, (long) IDS);
        assertThat(filter.predictedFpp()).isBetween(0.0, 1e-4);
        assertThat(filter.missedDuplicates()).isZero();
        assertThat(filter.bytes()).isPositive().isLessThanOrEqualTo(once.bytes());

        CascadeReport flags =
                state(operatorWith(inspection, CascadeReport.class), CascadeReport.class);
        assertThat(flags.state()).isEqualTo("seen");
        assertThat(flags.keyGroups()).isEqualTo(16);
        assertThat(flags.falsePositiveProbability()).isEqualTo(1e-4);
        assertThat(flags.entries()).isBetween(1L, (long) IDS);
        assertThat(flags.tombstones()).isZero();
        assertThat(flags.predictedFpp()).isBetween(0.0, 1e-4);
    }

    @ParameterizedTest
    @EnumSource
    void everyByteOfWhatSluiceWroteHasARightChecksum(Stored which) throws Exception {
        List<Long> progress = new ArrayList<>();
        Verification result =
                Verifier.verify(load(stored(which)), (read, total) -> progress.add(read));

        assertThat(result.problems()).isEmpty();
        assertThat(result.ok()).isTrue();
        assertThat(result.checkedBytes()).isPositive();
        assertThat(result.checkedBytes() + result.uncheckedBytes()).isEqualTo(result.bytes());
        assertThat(progress).isSorted().isNotEmpty();
        assertThat(result.files())
                .extracting(FileCheck::status)
                .contains(Status.OK, Status.UNCHECKED)
                .doesNotContain(Status.DAMAGED);
    }

    @ParameterizedTest
    @EnumSource
    void aFlippedBitIsNamedOrIsInBytesWithoutAChecksum(Stored which) throws Exception {
        Path from = copied(which);
        Verification clean = Verifier.verify(load(from), Progress.NONE);
        assertThat(clean.ok()).isTrue();
        Random random = new Random(SEED);
        int named = 0;
        for (int i = 0; i < FLIPS; i++) {
            List<FileCheck> files =
                    clean.files().stream()
                            .filter(file -> file.bytes() > 0 && local(file.file()) != null)
                            .filter(file -> !file.file().endsWith("_metadata"))
                            .toList();
            FileCheck file = files.get(random.nextInt(files.size()));
            Path path = local(file.file());
            byte[] bytes = Files.readAllBytes(path);
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(path, damaged);

            Verification result = Verifier.verify(load(from), Progress.NONE);

            if (result.ok()) {
                assertThat(file.status()).as(file.toString()).isNotEqualTo(Status.OK);
            } else {
                named++;
                assertThat(result.problems())
                        .allMatch(problem -> problem.file().equals(file.file()));
            }
            Files.write(path, bytes);
        }
        assertThat(named).isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"NATIVE_SAVEPOINT", "CANONICAL_SAVEPOINT"})
    void aFileThatIsGoneOrShorterIsNamed(Stored which) throws Exception {
        Path from = copied(which);
        FileCheck file =
                Verifier.verify(load(from), Progress.NONE).files().stream()
                        .filter(each -> each.bytes() > 100 && local(each.file()) != null)
                        .filter(each -> !each.file().endsWith("_metadata"))
                        .findFirst()
                        .orElseThrow();
        Path path = local(file.file());
        byte[] bytes = Files.readAllBytes(path);

        Files.write(path, Arrays.copyOf(bytes, bytes.length - 7));
        assertThat(Verifier.verify(load(from), Progress.NONE).problems())
                .anyMatch(problem -> problem.file().equals(file.file()));

        Files.delete(path);
        Verification result = Verifier.verify(load(from), Progress.NONE);
        assertThat(result.ok()).isFalse();
        assertThat(result.problems()).anyMatch(problem -> problem.file().equals(file.file()));
        assertThat(Inspector.inspect(load(from))).isNotNull();
    }

    @Test
    void metadataOfWhichAnyPartIsDamagedEndsInOneLineOrIsRead() throws Exception {
        Path from = copied(Stored.NATIVE_SAVEPOINT);
        Path metadata = from.resolve("_metadata");
        byte[] bytes = Files.readAllBytes(metadata);
        Random random = new Random(SEED);
        for (int i = 0; i < 100; i++) {
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(
                    metadata,
                    i % 4 == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : damaged);
            try {
                StoredCheckpoint loaded = load(from);
                assertThat(Inspector.inspect(loaded)).isNotNull();
                assertThat(Verifier.verify(loaded, Progress.NONE)).isNotNull();
            } catch (IOException e) {
                assertThat(e.getMessage()).contains("_metadata");
            }
        }
    }

    @Test
    void whatIsNoCheckpointIsRefused() throws Exception {
        Path empty = Files.createDirectory(copy.resolve("empty"));
        assertThatThrownBy(() -> load(empty))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(empty.toString());
        assertThatThrownBy(() -> load(copy.resolve("none")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not exist");
    }

    @Test
    void aCheckpointDoesNotDifferFromItself() throws Exception {
        Inspection inspection = Inspector.inspect(load(stored(Stored.CHECKPOINT)));

        Comparison found = Comparison.of(inspection, inspection);

        assertThat(found.same()).isTrue();
        assertThat(found.changes()).isEmpty();
    }

    @Test
    void anotherParallelismIsADifference() throws Exception {
        Inspection before = Inspector.inspect(load(stored(Stored.NATIVE_SAVEPOINT)));
        Inspection after = Inspector.inspect(load(stored(Stored.AT_ANOTHER_PARALLELISM)));

        Comparison found = Comparison.of(before, after);

        assertThat(found.same()).isFalse();
        assertThat(found.changes())
                .extracting(
                        Comparison.Change::kind,
                        Comparison.Change::what,
                        Comparison.Change::before,
                        Comparison.Change::after)
                .contains(tuple(Kind.CHANGED, "parallelism", 2, 1));
        assertThat(found.changes()).noneMatch(change -> change.kind() == Kind.OPERATOR_ADDED);
        assertThat(operator(after, operatorWith(after, CascadeReport.class).title())).isNotNull();
    }

    private Path copied(Stored which) throws IOException {
        Path from = stored(which);
        // Files of an incremental checkpoint lie beside it; their paths are absolute.
        if (which == Stored.CHECKPOINT) {
            return from;
        }
        Path to = copy.resolve(from.getFileName().toString());
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName().toString()));
            }
        }
        return to;
    }

    private static Path local(String file) {
        try {
            Path path = file.startsWith("file:") ? Path.of(URI.create(file)) : Path.of(file);
            return Files.isRegularFile(path) ? path : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
