/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.cli.Sluice;
import io.sluice.state.CascadeStateBackendFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job goes on from the union of two savepoints. */
class StateUnionIT {

    private static final int ALL = 2_000;
    private static final int OF_A = 1_500;

    /** So late that the ids of a job that reads from 0 on have left the window. */
    private static final int LATER = 200_000;

    /** Ids of a job that has some in a few key groups only. */
    private static final int FEW = 3;

    @TempDir private Path folder;

    private final RegionalJob east = new RegionalJob();
    private final RegionalJob west = new RegionalJob();

    StateUnionIT() {
        west.parallelism = 3;
    }

    private static StoredCheckpoint load(Path path) throws IOException {
        return StoredCheckpoint.load(
                CheckpointLocation.find(path.toString()), StateUnionIT.class.getClassLoader());
    }

    private static long[] range(long from, long end) {
        return LongStream.range(from, end).toArray();
    }

    private Path out() {
        return folder.resolve("union");
    }

    private UnionReport unite(Path a, Path b) throws IOException {
        return unite(a, b, out());
    }

    private static UnionReport unite(Path a, Path b, Path to) throws IOException {
        return StateUnion.write(load(a), load(b), CheckpointLocation.path(to.toString()));
    }

    private static void delete(Path directory) throws IOException {
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path of, IOException failure)
                            throws IOException {
                        Files.delete(of);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /** Goes on from the union, moved, without what it was made of. */
    private void assertOnlyNewIdsPass(RegionalJob job, Path a, Path b) throws Exception {
        delete(a);
        delete(b);
        Path moved = Files.move(out(), folder.resolve("moved"));
        job.restoredFrom = moved;
        job.readBefore = OF_A;
        Path next = job.take(folder, range(0, ALL + 200));
        Long[] expected = LongStream.range(ALL, ALL + 200).boxed().toArray(Long[]::new);
        assertThat(Passed.of("once")).containsExactlyInAnyOrder(expected);
        if (job.flags > 0) {
            assertThat(Passed.of("flags")).containsExactlyInAnyOrder(expected);
        }
        assertThat(Verifier.verify(load(next), ReadProgress.NONE).ok()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(SavepointFormatType.class)
    void aJobGoesOnFromTheUnionAndPassesNoIdAgain(SavepointFormatType format) throws Exception {
        east.format = format;
        Path a = east.take(folder, range(0, OF_A));
        Path b = west.take(folder, range(500, ALL));

        UnionReport report = unite(a, b);

        assertThat(report.refused()).isEmpty();
        assertThat(report.kept()).contains("ids", "pairs");
        assertThat(report.onlyB()).isEmpty();
        assertThat(report.seen())
                .extracting(UnionReport.SeenSet::operator, UnionReport.SeenSet::state)
                .containsExactlyInAnyOrder(tuple("once", null), tuple("counts", null));
        assertThat(report.seen())
                .allSatisfy(
                        seen -> {
                            assertThat(seen.idsA()).isEqualTo(OF_A);
                            assertThat(seen.idsB()).isEqualTo(ALL - 500);
                            assertThat(seen.bytes()).isGreaterThan(seen.bytesA());
                            assertThat(seen.predictedFpp()).isPositive();
                        });
        assertThat(report.warnings())
                .anySatisfy(warning -> assertThat(warning).contains("counts", "totals"));
        StateAgreement withA = StateReconciler.compare(load(out()), load(a), 10);
        assertThat(withA.problems()).isEmpty();
        for (OperatorAgreement operator : withA.operators()) {
            if (operator.seen() != null) {
                assertThat(operator.seen().onlyA()).isEqualTo(ALL - OF_A);
                assertThat(operator.seen().onlyB()).isZero();
                assertThat(operator.seen().withoutSample()).isEmpty();
            }
            if (operator.totals() != null) {
                assertThat(operator.totals().agrees()).isTrue();
            }
        }
        assertThat(Verifier.verify(load(out()), ReadProgress.NONE).ok()).isTrue();
        RegionalJob resumed = new RegionalJob();
        resumed.parallelism = 3;
        assertOnlyNewIdsPass(resumed, a, b);
    }

    @ParameterizedTest
    @EnumSource(SavepointFormatType.class)
    void flagsOfBothAreHeld(SavepointFormatType formatOfB) throws Exception {
        for (RegionalJob job : List.of(east, west)) {
            job.backend = CascadeStateBackendFactory.class.getName();
            job.flags = RegionalJob.FPP;
        }
        west.format = formatOfB;
        boolean forever = formatOfB == SavepointFormatType.NATIVE;
        east.forever = forever;
        west.forever = forever;
        Path a = east.take(folder, range(0, OF_A));
        Path b = west.take(folder, range(500, ALL));

        UnionReport report = unite(a, b);

        assertThat(report.refused()).isEmpty();
        assertThat(report.seen())
                .filteredOn(seen -> "flags".equals(seen.state()))
                .singleElement()
                .satisfies(
                        seen -> {
                            assertThat(seen.idsA()).isEqualTo(OF_A);
                            assertThat(seen.idsB()).isEqualTo(ALL - 500);
                        });
        FlagsAgreement withB =
                StateReconciler.compare(load(out()), load(b), 10).operators().stream()
                        .flatMap(operator -> operator.flags().stream())
                        .findFirst()
                        .orElseThrow();
        assertThat(report.seen())
                .extracting(UnionReport.SeenSet::state)
                .containsExactlyInAnyOrder(forever ? "sluice_seen" : null, null, "flags");
        assertThat(withB.both()).isEqualTo(ALL - 500);
        assertThat(withB.onlyA()).isEqualTo(500);
        assertThat(withB.onlyB()).isZero();
        assertOnlyNewIdsPass(east, a, b);
    }

    /** Goes on from a union whose A had read {@link #FEW} ids: ids from 0 on are given again. */
    private void assertNoneBelowPasses(int end, Path union, long next) throws Exception {
        RegionalJob resumed = new RegionalJob();
        resumed.restoredFrom = union;
        resumed.readBefore = FEW;
        resumed.take(
                folder, LongStream.concat(LongStream.of(next), LongStream.range(0, end)).toArray());
        assertThat(Passed.of("once")).containsExactly(next);
    }

    @Test
    void idsOfKeyGroupsInWhichAHasNoneAreHeldAlthoughItsClockIsAhead() throws Exception {
        Path a = east.take(folder, range(LATER, LATER + FEW));
        Path b = west.take(folder, range(0, ALL));

        UnionReport report = unite(a, b);

        assertThat(report.refused()).isEmpty();
        assertThat(report.seen())
                .allSatisfy(
                        seen -> {
                            assertThat(seen.idsA()).isEqualTo(FEW);
                            assertThat(seen.idsB()).isEqualTo(ALL);
                        });
        assertThat(Verifier.verify(load(out()), ReadProgress.NONE).ok()).isTrue();
        assertNoneBelowPasses(ALL, out(), LATER + FEW);
    }

    /** Such a key group does not know what time it is. */
    @Test
    void idsAreHeldWhenSuchAUnionIsUnitedAgainOnEitherSide() throws Exception {
        Path a = east.take(folder, range(LATER, LATER + FEW));
        Path b = west.take(folder, range(0, ALL));
        assertThat(unite(a, b).refused()).isEmpty();

        Path asFirst = folder.resolve("first");
        Path more = west.take(folder, range(ALL, 2 * ALL));
        assertThat(unite(out(), more, asFirst).refused()).isEmpty();
        assertNoneBelowPasses(2 * ALL, asFirst, LATER + FEW);

        Path asSecond = folder.resolve("second");
        Path ahead = west.take(folder, range(2 * LATER, 2 * LATER + FEW));
        assertThat(unite(ahead, out(), asSecond).refused()).isEmpty();
        assertNoneBelowPasses(ALL, asSecond, 2 * LATER + FEW);
    }

    @Test
    void aThatHasReadNothingKnowsTheIdsOfB() throws Exception {
        Path a = east.take(folder);
        Path b = west.take(folder, range(0, ALL));
        UnionReport report = unite(a, b);
        assertThat(report.refused()).isEmpty();
        assertThat(report.warnings())
                .noneSatisfy(warning -> assertThat(warning).contains("forgotten"));
        RegionalJob resumed = new RegionalJob();
        resumed.restoredFrom = out();
        resumed.take(folder, range(0, ALL + 1));
        assertThat(Passed.of("once")).containsExactly((long) ALL);
    }

    @Test
    void whatBHadForgottenAndAHasNotReadIsWarnedOf() throws Exception {
        west.outOfOrderness = Duration.ZERO;
        Path b = west.take(folder, LongStream.range(0, ALL).map(id -> id * 100).toArray());
        for (Path a : List.of(east.take(folder), east.take(folder, ALL))) {
            UnionReport report = unite(a, b);
            delete(out());
            assertThat(report.warnings())
                    .anySatisfy(
                            warning ->
                                    assertThat(warning)
                                            .contains("once: B had forgotten ids of before"));
        }
    }

    @Test
    void anOperatorWithoutAUnionIsRefusedByNameAndNothingIsWritten() throws Exception {
        Path a = east.take(folder, 1, 2);
        west.window = Duration.ofSeconds(30);
        UnionReport report = unite(a, west.take(folder, 1, 2));
        assertThat(report.union()).isNull();
        assertThat(report.refused())
                .containsExactlyInAnyOrder(
                        "once: windowMillis is 60000 and 30000",
                        "counts: windowMillis is 60000 and 30000");
        assertThat(out()).doesNotExist();

        west.window = east.window;
        west.hashSeed = 5;
        assertThat(unite(a, west.take(folder, 1, 2)).refused())
                .anySatisfy(refused -> assertThat(refused).contains("once", "hashSeed"));
        west.hashSeed = 0;
        west.maxParallelism = 64;
        assertThat(unite(a, west.take(folder, 1, 2)).refused())
                .anySatisfy(refused -> assertThat(refused).contains("once", "50 in A and 64 in B"));
        west.maxParallelism = east.maxParallelism;
        west.forever = true;
        Path exact = west.take(folder, 1, 2);
        assertThat(unite(exact, exact).refused())
                .anySatisfy(refused -> assertThat(refused).contains("once", "exact state"));
        west.forever = false;
        west.verifies = true;
        Path verified = west.take(folder, 1, 2);
        assertThat(unite(verified, verified).refused())
                .anySatisfy(refused -> assertThat(refused).contains("once", "verify()"));
        assertThat(out()).doesNotExist();
    }

    @Test
    void flagsInACanonicalSavepointOrInFiltersOfOneOnlyAreRefused() throws Exception {
        for (RegionalJob job : List.of(east, west)) {
            job.backend = CascadeStateBackendFactory.class.getName();
            job.flags = RegionalJob.FPP;
        }
        Path a = east.take(folder, 1, 2);
        west.format = SavepointFormatType.CANONICAL;
        Path b = west.take(folder, 1, 2);
        assertThat(unite(b, a).refused())
                .anySatisfy(refused -> assertThat(refused).contains("native savepoint of A"));
        west.backend = "hashmap";
        assertThat(unite(a, west.take(folder, 1, 2)).refused())
                .anySatisfy(refused -> assertThat(refused).contains("filters only in A"));
        assertThat(out()).doesNotExist();
    }

    /** The same as a checkpoint of a job with Flink's changelog, which holds what is newer. */
    private static StoredCheckpoint withChangelog(StoredCheckpoint of) {
        List<OperatorState> operators = new ArrayList<>();
        for (OperatorState operator : of.metadata().getOperatorStates()) {
            OperatorState copy =
                    new OperatorState(
                            operator.getOperatorName().orElse(null),
                            operator.getOperatorUid().orElse(null),
                            operator.getOperatorID(),
                            operator.getParallelism(),
                            operator.getMaxParallelism());
            operator.getSubtaskStates()
                    .forEach(
                            (subtask, state) ->
                                    copy.putState(
                                            subtask,
                                            state.toBuilder()
                                                    .setManagedKeyedState(
                                                            logged(state.getManagedKeyedState()))
                                                    .build()));
            operators.add(copy);
        }
        return new StoredCheckpoint(
                of.location(),
                new CheckpointMetadata(1, operators, List.of()),
                of.metadataBytes(),
                of.classLoader());
    }

    private static StateObjectCollection<KeyedStateHandle> logged(
            StateObjectCollection<KeyedStateHandle> handles) {
        List<KeyedStateHandle> logged = new ArrayList<>();
        for (KeyedStateHandle handle : handles) {
            ChangelogStateHandle log =
                    new InMemoryChangelogStateHandle(
                            List.of(),
                            SequenceNumber.of(1),
                            SequenceNumber.of(2),
                            handle.getKeyGroupRange());
            logged.add(
                    new ChangelogStateBackendHandleImpl(
                            List.of(handle), List.of(log), handle.getKeyGroupRange(), 1, 1, 1));
        }
        return new StateObjectCollection<>(logged);
    }

    @Test
    void flagsInFlinksChangelogAreRefusedByNameOnEitherSide() throws Exception {
        for (RegionalJob job : List.of(east, west)) {
            job.backend = CascadeStateBackendFactory.class.getName();
            job.flags = RegionalJob.FPP;
        }
        StoredCheckpoint a = load(east.take(folder, 1, 2));
        StoredCheckpoint b = load(west.take(folder, 1, 2));
        org.apache.flink.core.fs.Path to = CheckpointLocation.path(out().toString());
        assertThat(StateUnion.write(a, withChangelog(b), to).refused())
                .contains(
                        "flags in B: its newest flags are in Flink's changelog, which cannot be"
                                + " read here: take a savepoint");
        assertThat(StateUnion.write(withChangelog(a), b, to).refused())
                .anySatisfy(refused -> assertThat(refused).startsWith("flags in A: its newest"));
        assertThat(out()).doesNotExist();
    }

    @Test
    void damageIsNamedAndNothingStays() throws Exception {
        Path a = east.take(folder, range(0, ALL));
        Path b = west.take(folder, range(0, ALL));
        String file =
                Inspector.inspect(load(b)).operators().stream()
                        .filter(operator -> "once".equals(operator.uid()))
                        .flatMap(operator -> operator.files().stream())
                        .filter(each -> each.role().equals(Handles.STREAM))
                        .map(FileReport::file)
                        .findFirst()
                        .orElseThrow();
        Path path = Path.of(URI.create(file));
        byte[] bytes = Files.readAllBytes(path);
        for (int at : new int[] {34, bytes.length - 100}) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 1;
            Files.write(path, damaged);
            assertThatThrownBy(() -> unite(a, b))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(file, "offset");
            assertThat(out()).doesNotExist();
        }
    }

    @Test
    void damageOfAIsNamedWhereBHasSeenNothing() throws Exception {
        Path a = east.take(folder, range(0, ALL));
        Path b = west.take(folder, 1);
        for (FileReport each :
                Inspector.inspect(load(a)).operators().stream()
                        .filter(operator -> "once".equals(operator.uid()))
                        .flatMap(operator -> operator.files().stream())
                        .filter(each -> each.role().equals(Handles.STREAM))
                        .toList()) {
            Path path = Path.of(URI.create(each.file()));
            byte[] bytes = Files.readAllBytes(path);
            byte[] damaged = bytes.clone();
            damaged[bytes.length - 100] ^= 1;
            Files.write(path, damaged);
            assertThatThrownBy(() -> unite(a, b))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(each.file(), "offset");
            assertThat(out()).doesNotExist();
            Files.write(path, bytes);
        }
        assertThat(unite(a, b).refused()).isEmpty();
    }

    @Test
    void aDamagedLevelFileIsNamedAndNothingStays() throws Exception {
        for (RegionalJob job : List.of(east, west)) {
            job.backend = CascadeStateBackendFactory.class.getName();
            job.flags = RegionalJob.FPP;
        }
        Path a = east.take(folder, range(0, ALL));
        Path b = west.take(folder, range(0, ALL));
        for (Path of : List.of(a, b)) {
            String file =
                    Inspector.inspect(load(of)).operators().stream()
                            .filter(operator -> "flags".equals(operator.uid()))
                            .flatMap(operator -> operator.files().stream())
                            .filter(each -> each.role().endsWith(".level"))
                            .map(FileReport::file)
                            .findFirst()
                            .orElseThrow();
            Path path = Path.of(URI.create(file));
            byte[] bytes = Files.readAllBytes(path);
            byte[] damaged = bytes.clone();
            damaged[1_000] ^= 1;
            Files.write(path, damaged);
            assertThatThrownBy(() -> unite(a, b))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(".level is damaged");
            assertThat(out()).doesNotExist();
            Files.write(path, bytes);
        }
    }

    @Test
    void theCommandSaysWhatItWroteAndRefusesWhatIsThere() throws Exception {
        String a = east.take(folder, range(0, OF_A)).toString();
        String b = west.take(folder, range(500, ALL)).toString();
        String union = out().toString();
        assertThat(printed(0, "reconcile", a, b, "--union", union))
                .contains("once: seen set, 1,500 ids of A and 1,500 of B")
                .contains("as in A: ", union);
        assertThat(printed(2, "reconcile", a, b, "--union", union)).isEmpty();
        assertThat(printed(2, "reconcile", a, b, a, "--union", union + "2")).isEmpty();
        west.hashSeed = 5;
        String other = west.take(folder, 1).toString();
        assertThat(printed(1, "reconcile", a, other, "--union", union + "2", "--json"))
                .contains("\"union\"", "once: ids are hashed in two ways");
    }

    private static String printed(int exit, String... arguments) {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertThat(Sluice.run(arguments)).isEqualTo(exit);
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }
}
