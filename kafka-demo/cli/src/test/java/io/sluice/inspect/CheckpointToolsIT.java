/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.inspect.Comparison.Change;
import io.sluice.inspect.FileCheck.Status;
import io.sluice.inspect.StoredJob.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real checkpoints and savepoints are inspected, verified, damaged and compared. */
class CheckpointToolsIT {

    private static final long RECORDS = 20_000;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(memory())
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(3)
                            .build());

    private static Configuration memory() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        return configuration;
    }

    @TempDir private Path folder;

    private MiniCluster cluster;

    @BeforeEach
    void begin(@InjectMiniCluster MiniCluster started) {
        cluster = started;
    }

    private Path take(boolean cascade, Kind kind) throws Exception {
        return StoredJob.take(cluster, folder, cascade, kind, 2, RECORDS);
    }

    private static StoredCheckpoint load(Path path) throws IOException {
        return StoredCheckpoint.load(
                CheckpointLocation.find(path.toString()), CheckpointToolsIT.class.getClassLoader());
    }

    private static Inspection inspect(Path path) throws IOException {
        return Inspector.inspect(load(path));
    }

    private static Verification verify(Path path) throws IOException {
        return Verifier.verify(load(path), ReadProgress.NONE);
    }

    private static OperatorReport operator(Inspection inspection, String uid) {
        return inspection.operators().stream()
                .filter(operator -> uid.equals(operator.uid()))
                .findFirst()
                .orElseThrow();
    }

    private static FilterReport filters(Inspection inspection, String uid) {
        return (FilterReport)
                operator(inspection, uid).states().stream()
                        .filter(FilterReport.class::isInstance)
                        .findFirst()
                        .orElseThrow();
    }

    private static void hasTheFilters(Inspection inspection) {
        for (String uid : List.of("once", "counts")) {
            assertThat(operator(inspection, uid).parallelism()).isEqualTo(2);
            FilterReport filters = filters(inspection, uid);
            assertThat(filters.keyGroups()).isEqualTo(StoredJob.MAX_PARALLELISM);
            assertThat(filters.windowMillis()).isEqualTo(StoredJob.WINDOW.toMillis());
            assertThat(filters.falsePositiveProbability()).isEqualTo(StoredJob.FPP);
            assertThat((double) filters.ids()).isCloseTo(RECORDS, within(RECORDS * 0.01));
            assertThat(filters.newestMillis()).isEqualTo(RECORDS - 1);
            assertThat(filters.fill()).isBetween(0.05, 1.0);
            assertThat(filters.predictedFpp()).isBetween(0.0, StoredJob.FPP);
            assertThat(filters.maxGenerations()).isPositive();
            assertThat(filters.missedDuplicates()).isZero();
        }
        assertThat(inspection.problems()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aHealthyOneOfTheCascadeIsInspectedAndVerified(Kind kind) throws Exception {
        Path path = take(true, kind);

        Inspection inspection = inspect(path);
        hasTheFilters(inspection);
        CascadeReport flags =
                (CascadeReport)
                        operator(inspection, "flags").states().stream()
                                .filter(CascadeReport.class::isInstance)
                                .findFirst()
                                .orElseThrow();
        assertThat(flags.state()).isEqualTo("flags");
        assertThat(flags.falsePositiveProbability()).isEqualTo(StoredJob.FPP);
        assertThat((double) flags.entries()).isCloseTo(RECORDS, within(RECORDS * 0.01));
        assertThat(flags.keyGroups()).isEqualTo(StoredJob.MAX_PARALLELISM);
        assertThat(flags.predictedFpp()).isBetween(0.0, StoredJob.FPP);
        assertThat(inspection.kind())
                .isEqualTo(
                        switch (kind) {
                            case CHECKPOINT -> "checkpoint";
                            case NATIVE -> "native savepoint";
                            case CANONICAL -> "canonical savepoint";
                        });

        Verification verification = verify(path);
        assertThat(verification.problems()).isEmpty();
        assertThat(verification.ok()).isTrue();
        assertThat(verification.bytes()).isEqualTo(inspection.bytes());
        assertThat(verification.checkedBytes() + verification.uncheckedBytes())
                .isEqualTo(verification.bytes());
        assertThat(verification.files())
                .filteredOn(file -> file.role().contains(".level"))
                .allMatch(file -> file.status() == Status.OK);
        assertThat(Comparison.of(inspection, inspect(path)).same()).isTrue();
    }

    @Test
    void stateOfOtherEnginesHasItsNameAndSize() throws Exception {
        Inspection inspection = inspect(take(false, Kind.CHECKPOINT));
        hasTheFilters(inspection);
        assertThat(operator(inspection, "flags").states())
                .singleElement()
                .satisfies(
                        state -> {
                            assertThat(state.engine()).contains("hashmap");
                            assertThat(state.bytes()).isPositive();
                        });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyFlippedByteIsNamedOrInWhatIsSaidToBeUnchecked(Kind kind) throws Exception {
        Path path = take(true, kind);
        SplittableRandom random = Seeds.random();
        for (FileCheck healthy : verify(path).files()) {
            if (!healthy.file().startsWith("file:") || healthy.bytes() == 0) {
                continue;
            }
            Path file = Path.of(URI.create(healthy.file()));
            byte[] bytes = Files.readAllBytes(file);
            for (int i = 0; i < 5 && !healthy.file().endsWith("_metadata"); i++) {
                int at = random.nextInt(bytes.length);
                byte[] flipped = bytes.clone();
                flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                Files.write(file, flipped);
                Verification verification = verify(path);
                if (healthy.status() == Status.OK) {
                    assertThat(verification.problems())
                            .as("%s, byte %d", healthy, at)
                            .isNotEmpty()
                            .allMatch(problem -> problem.file().equals(healthy.file()));
                } else if (!verification.ok()) {
                    assertThat(verification.problems())
                            .as("%s, byte %d", healthy, at)
                            .allMatch(problem -> problem.file().equals(healthy.file()));
                }
            }
            Files.write(file, bytes);
        }
        assertThat(verify(path).ok()).isTrue();
    }

    @Test
    void missingAndCutFilesAreNamed() throws Exception {
        Path path = take(true, Kind.CHECKPOINT);
        for (FileCheck healthy : verify(path).files()) {
            if (!healthy.file().startsWith("file:") || healthy.file().endsWith("_metadata")) {
                continue;
            }
            Path file = Path.of(URI.create(healthy.file()));
            byte[] bytes = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
            assertThat(verify(path).problems())
                    .singleElement()
                    .satisfies(
                            problem -> {
                                assertThat(problem.file()).isEqualTo(healthy.file());
                                assertThat(problem.what()).contains(bytes.length + "");
                            });
            Files.delete(file);
            assertThat(verify(path).problems())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.what()).contains("missing"));
            Files.write(file, bytes);
        }
    }

    @Test
    void damagedMetadataGivesOneLineOrACheckpoint() throws Exception {
        Path path = take(true, Kind.CHECKPOINT);
        Path metadata = path.resolve("_metadata");
        byte[] bytes = Files.readAllBytes(metadata);
        for (int length = 0; length < bytes.length; length += 1 + bytes.length / 97) {
            Files.write(metadata, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> load(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("_metadata");
        }
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 300; i++) {
            byte[] flipped = bytes.clone();
            int at = random.nextInt(bytes.length);
            flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            Files.write(metadata, flipped);
            try {
                assertThat(inspect(path)).isNotNull();
                assertThat(verify(path)).isNotNull();
            } catch (IOException e) {
                assertThat(e).as("byte %d", at).hasMessageContaining("_metadata");
            }
        }
    }

    @Test
    void whatIsNoCheckpointIsRefusedAndParentsAreUnderstood() throws Exception {
        Path path = take(true, Kind.CHECKPOINT);
        Path job = path.getParent();
        assertThat(CheckpointLocation.find(job.toString()).directory().getName())
                .isEqualTo(path.getFileName().toString());
        assertThat(CheckpointLocation.find(path.toUri().toString()).metadata().getName())
                .isEqualTo("_metadata");
        assertThat(CheckpointLocation.find(path.resolve("_metadata").toString()).metadata())
                .isEqualTo(CheckpointLocation.find(path.toString()).metadata());
        assertThatThrownBy(() -> CheckpointLocation.find(folder.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(job.getFileName() + "/" + path.getFileName());
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> CheckpointLocation.find(empty.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("_metadata");
        assertThatThrownBy(() -> CheckpointLocation.find(folder.resolve("gone").toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not exist");
        Path garbage = Files.write(folder.resolve("garbage"), new byte[100]);
        assertThatThrownBy(() -> load(garbage))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("garbage");
    }

    @Test
    void differencesAreTold() throws Exception {
        Inspection before = inspect(take(true, Kind.NATIVE));
        Path later = StoredJob.take(cluster, folder, true, Kind.NATIVE, 3, 2 * RECORDS);
        List<Change> changes = Comparison.of(before, inspect(later)).changes();

        List<String> told = new ArrayList<>();
        changes.forEach(change -> told.add(change.operator() + " " + change.what()));
        assertThat(told)
                .contains("once parallelism", "once ids", "flags entries", "counts newestMillis")
                .doesNotContain("once windowMillis", "flags falsePositiveProbability");
        assertThat(changes)
                .filteredOn(change -> "parallelism".equals(change.what()))
                .allSatisfy(
                        change -> {
                            assertThat(change.before()).isEqualTo(2);
                            assertThat(change.after()).isEqualTo(3);
                        });
        try (Stream<Path> files = Files.list(later)) {
            assertThat(files).isNotEmpty();
        }
    }
}
