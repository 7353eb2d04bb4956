/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.Sluice;
import io.sluice.filter.Seeds;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.inspect.ValuesAgreement.Difference;
import io.sluice.state.CascadeStateBackendFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Savepoints of the same job in two clusters are compared. */
class StateReconcilerIT {

    private static final int ALL = 2_000;
    private static final int MAX_LISTED = 1_000;

    @TempDir private Path folder;

    private final RegionalJob east = new RegionalJob();
    private final RegionalJob west = new RegionalJob();
    private final Random random = new Random(Seeds.random().nextLong());

    StateReconcilerIT() {
        west.parallelism = 3;
    }

    private static StoredCheckpoint load(Path path) throws IOException {
        return StoredCheckpoint.load(
                CheckpointLocation.find(path.toString()), StateReconcilerIT.class.getClassLoader());
    }

    private static StateAgreement compare(Path a, Path b) throws IOException {
        return StateReconciler.compare(load(a), load(b), MAX_LISTED);
    }

    private static OperatorAgreement operator(StateAgreement agreement, String uid) {
        return agreement.operators().stream()
                .filter(operator -> operator.operator().equals(uid))
                .findFirst()
                .orElseThrow();
    }

    private static long[] range(long from, long end) {
        return LongStream.range(from, end).toArray();
    }

    /** In another order, some of them twice. */
    private long[] retried(List<Long> ids) {
        List<Long> all = new ArrayList<>(ids);
        all.addAll(ids.subList(0, ids.size() / 10));
        Collections.shuffle(all, random);
        return all.stream().mapToLong(Long::longValue).toArray();
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

    private static Map<String, Long> totals(List<Long> ids) {
        return ids.stream()
                .collect(
                        Collectors.groupingBy(
                                id -> String.valueOf(id % RegionalJob.COUNTERS),
                                TreeMap::new,
                                Collectors.counting()));
    }

    @Test
    void theSameRecordsAgreeInAnyOrderAtAnyParallelismAndOnAnyBackend() throws Exception {
        List<Long> ids = LongStream.range(0, ALL).boxed().toList();
        west.backend = CascadeStateBackendFactory.class.getName();
        west.format = SavepointFormatType.CANONICAL;

        StateAgreement agreement =
                compare(east.take(folder, retried(ids)), west.take(folder, retried(ids)));

        assertThat(agreement.problems()).isEmpty();
        assertThat(agreement.operators()).hasSize(3).allMatch(OperatorAgreement::agrees);
        assertThat(agreement.agree()).isTrue();
        assertThat(agreement.notCompared()).contains("ids");
        ValuesAgreement<Long> totals = operator(agreement, "counts").totals();
        assertThat(totals.equal()).isEqualTo(RegionalJob.COUNTERS);
        for (String uid : List.of("once", "counts")) {
            SeenAgreement seen = operator(agreement, uid).seen();
            assertThat(seen.compared()).isEqualTo(ALL);
            assertThat(seen.idsA()).isEqualTo(ALL);
            assertThat(seen.idsB()).isEqualTo(ALL);
        }
        assertThat(operator(agreement, "once").totals()).isNull();
        assertThat(operator(agreement, "pairs").machines().equal()).isEqualTo(ALL / 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, ALL / 10})
    void exactlyTheDifferencesThatWerePutInAreFound(int differences) throws Exception {
        List<Long> ids = new ArrayList<>(LongStream.range(0, ALL).boxed().toList());
        Collections.shuffle(ids, random);
        List<Long> inA = ids.subList(differences, ALL);
        List<Long> inB = new ArrayList<>(ids.subList(0, differences));
        inB.addAll(ids.subList(2 * differences, ALL));

        StateAgreement agreement =
                compare(east.take(folder, retried(inA)), west.take(folder, retried(inB)));

        assertThat(agreement.agree()).isFalse();
        assertThat(agreement.problems()).isEmpty();
        for (String uid : List.of("once", "counts")) {
            SeenAgreement seen = operator(agreement, uid).seen();
            assertThat(seen.onlyA() + seen.laterA()).isEqualTo(differences);
            assertThat(seen.onlyB() + seen.laterB()).isEqualTo(differences);
            assertThat(seen.estimatedOnlyA()).isEqualTo(differences);
            assertThat(seen.compared()).isEqualTo(ALL);
            assertThat(seen.withoutSample()).isEmpty();
            List<Long> alone = ids.subList(0, 2 * differences);
            assertThat(seen.oldestMillis()).isEqualTo(Collections.min(alone));
            assertThat(seen.newestMillis()).isEqualTo(Collections.max(alone));
            assertThat(seen.keyGroups())
                    .isNotEmpty()
                    .allSatisfy(
                            group ->
                                    assertThat(
                                                    group.onlyA()
                                                            + group.onlyB()
                                                            + group.laterA()
                                                            + group.laterB())
                                            .isPositive());
        }
        assertDiffer(operator(agreement, "pairs").machines(), states(inA), states(inB));
        Map<String, Long> totalsA = totals(inA);
        Map<String, Long> totalsB = totals(inB);
        Set<String> expected =
                totalsA.keySet().stream()
                        .filter(key -> !Objects.equals(totalsA.get(key), totalsB.get(key)))
                        .collect(Collectors.toSet());
        ValuesAgreement<Long> totals = operator(agreement, "counts").totals();
        assertThat(totals.different()).isEqualTo(expected.size());
        assertThat(totals.equal()).isEqualTo(RegionalJob.COUNTERS - expected.size());
        assertThat(totals.onlyA() + totals.onlyB()).isZero();
        assertThat(totals.differing().stream().map(Difference::key)).hasSameElementsAs(expected);
        assertThat(totals.differing())
                .allSatisfy(
                        counter -> {
                            assertThat(counter.a()).isEqualTo(totalsA.get(counter.key()));
                            assertThat(counter.b()).isEqualTo(totalsB.get(counter.key()));
                        });
    }

    @Test
    void countersInTwoPhasesAreComparedByTheirTotalsAndTheirOperations() throws Exception {
        east.twoPhases = true;
        west.twoPhases = true;
        List<Long> ids = LongStream.range(0, ALL).boxed().toList();
        StateAgreement agreement =
                compare(
                        east.take(folder, retried(ids)),
                        west.take(folder, retried(ids.subList(7, ALL))));

        assertThat(operator(agreement, "counts-operations").seen().onlyA()).isEqualTo(7);
        ValuesAgreement<Long> totals = operator(agreement, "counts").totals();
        assertThat(totals.different()).isEqualTo(7);
        assertThat(totals.equal()).isEqualTo(RegionalJob.COUNTERS - 7);
    }

    private static Map<Long, String> states(List<Long> ids) {
        Map<Long, String> states = new TreeMap<>();
        ids.forEach(
                id ->
                        states.merge(
                                id / 2,
                                id % 2 == 0 ? "even" : "odd",
                                (before, now) -> before.equals(now) ? now : "both"));
        return states;
    }

    /** By their states, as the keys of machines are hashes. */
    private static void assertDiffer(
            ValuesAgreement<String> machines, Map<Long, String> inA, Map<Long, String> inB) {
        Set<Long> keys = new TreeSet<>(inA.keySet());
        keys.addAll(inB.keySet());
        keys.removeIf(key -> Objects.equals(inA.get(key), inB.get(key)));
        assertThat(machines.differing())
                .extracting(Difference::a, Difference::b)
                .containsExactlyInAnyOrderElementsOf(
                        keys.stream().map(key -> tuple(inA.get(key), inB.get(key))).toList());
        assertThat(machines.onlyA())
                .isEqualTo(keys.stream().filter(key -> !inB.containsKey(key)).count());
        assertThat(machines.onlyB())
                .isEqualTo(keys.stream().filter(key -> !inA.containsKey(key)).count());
    }

    @Test
    void machinesInFingerprintsAreComparedAndThoseInFiltersAreRefusedByName() throws Exception {
        List<Long> inA = LongStream.range(0, ALL).boxed().toList();
        List<Long> inB = inA.subList(10, ALL - 5);
        east.store = StoreKind.FINGERPRINTS;
        west.store = StoreKind.FINGERPRINTS;
        StateAgreement agreement =
                compare(east.take(folder, retried(inA)), west.take(folder, retried(inB)));
        assertDiffer(operator(agreement, "pairs").machines(), states(inA), states(inB));

        east.store = StoreKind.KBF;
        west.store = StoreKind.KBF;
        Path filters = west.take(folder, 1);
        assertThat(operator(compare(east.take(folder, 1), filters), "pairs").refused())
                .contains("cannot list", "EXACT and FINGERPRINTS");
        east.store = StoreKind.EXACT;
        assertThat(operator(compare(east.take(folder, 1), filters), "pairs").refused())
                .contains("store=EXACT", "store=KBF");
    }

    @Test
    void ofThreeClustersEachPairIsCompared() throws Exception {
        Path inEast = east.take(folder, 1, 2);
        Path inWest = west.take(folder, 2, 1);
        Path inSouth = west.take(folder, 2, 3);
        String a = inEast.toString();
        String b = inWest.toString();
        String c = inSouth.toString();
        assertThat(printed(1, "reconcile", a, b, c))
                .containsSubsequence(
                        inEast.toUri().getPath(),
                        inWest.toUri().getPath(),
                        "A and B agree",
                        inEast.toUri().getPath(),
                        inSouth.toUri().getPath(),
                        "DIFFER",
                        inWest.toUri().getPath(),
                        inSouth.toUri().getPath(),
                        "DIFFER")
                .contains("1 of 3 pairs agree");
        JsonNode json = new ObjectMapper().readTree(printed(1, "reconcile", a, b, c, "--json"));
        assertThat(json.get("agree").asBoolean()).isFalse();
        assertThat(json.get("pairs").findValuesAsText("agree"))
                .containsExactly("true", "false", "false");
        assertThat(printed(0, "reconcile", a, b, a)).contains("3 of 3 pairs agree");
    }

    @Test
    void whatOneSideHasNotGotToIsCountedApart() throws Exception {
        east.outOfOrderness = Duration.ZERO;
        west.outOfOrderness = Duration.ZERO;
        int older = ALL / 2;

        StateAgreement agreement =
                compare(
                        east.take(folder, range(0, ALL)),
                        west.take(
                                folder,
                                LongStream.range(0, older).filter(id -> id != 7).toArray()));

        assertThat(agreement.agree()).isFalse();
        for (String uid : List.of("once", "counts")) {
            SeenAgreement seen = operator(agreement, uid).seen();
            assertThat(seen.laterA()).isEqualTo(ALL - older);
            assertThat(seen.onlyA()).isOne();
            assertThat(seen.onlyB() + seen.laterB()).isZero();
        }
        assertThat(operator(agreement, "counts").totals().different())
                .isEqualTo(RegionalJob.COUNTERS);
    }

    @Test
    void aCounterThatOneSideDoesNotHaveIsNamed() throws Exception {
        Path a = east.take(folder, 1, 2);
        Path b = west.take(folder, 2, 3);
        StateAgreement agreement = compare(a, b);

        ValuesAgreement<Long> totals = operator(agreement, "counts").totals();
        assertThat(totals.equal()).isOne();
        assertThat(totals.onlyA()).isOne();
        assertThat(totals.onlyB()).isOne();
        assertThat(totals.differing())
                .extracting(Difference::key, Difference::a, Difference::b)
                .containsExactlyInAnyOrder(tuple("1", 1L, null), tuple("3", null, 1L));
        assertThat(printed(1, "reconcile", a.toString(), b.toString()))
                .contains("1 counters equal, 0 differ, 1 only in A, 1 only in B")
                .contains("1: 1 in A, none in B", "3: none in A, 1 in B")
                .contains("A and B DIFFER");
        assertThat(printed(1, "reconcile", a.toString(), b.toString(), "--list=1"))
                .contains(" in B", "and 1 more");
        JsonNode json =
                new ObjectMapper()
                        .readTree(printed(1, "reconcile", a.toString(), b.toString(), "--json"));
        assertThat(json.get("version").asInt()).isOne();
        assertThat(json.get("agree").asBoolean()).isFalse();
        assertThat(json.get("operators").findValues("differing")).hasSize(2);
        assertThat(printed(0, "reconcile", a.toString(), a.toString())).contains("A and B agree");
    }

    @Test
    void twoMachinesFindWhatOneFindsAndSendLittleOfIt() throws Exception {
        List<Long> ids = new ArrayList<>(LongStream.range(0, ALL).boxed().toList());
        Path a = east.take(folder, retried(ids.subList(10, ALL)));
        Path b = west.take(folder, retried(ids.subList(0, ALL - 10)));
        StateAgreement expected = compare(a, b);

        StoredCheckpoint there = load(b);
        CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
        CompletableFuture<RemoteReconciler.Served> served =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return RemoteReconciler.serve(
                                        there,
                                        InetAddress.getLoopbackAddress(),
                                        0,
                                        listening::complete);
                            } catch (IOException e) {
                                listening.completeExceptionally(e);
                                throw new UncheckedIOException(e);
                            }
                        });
        InetSocketAddress address = listening.get();
        JsonNode json =
                new ObjectMapper()
                        .readTree(
                                printed(
                                        1,
                                        "reconcile",
                                        a.toString(),
                                        "--connect",
                                        "127.0.0.1:" + address.getPort(),
                                        "--list=" + MAX_LISTED,
                                        "--json"));

        ObjectNode local = new ObjectMapper().valueToTree(expected);
        assertThat(((ObjectNode) json).remove("exchange").get("stateBytes").asLong())
                .isEqualTo(served.get().exchange().stateBytes())
                .isGreaterThan(
                        served.get().exchange().sentBytes()
                                + served.get().exchange().receivedBytes());
        assertThat(json.get("b").asText())
                .startsWith(expected.b() + " at ")
                .contains("127.0.0.1:" + address.getPort());
        local.remove(List.of("b", "exchange"));
        ((ObjectNode) json).remove("b");
        assertThat(json).isEqualTo(new ObjectMapper().readTree(local.toString()));
        assertThat(served.get().agree()).isFalse();
        assertThat(printed(2, "reconcile", a.toString(), "--connect", "127.0.0.1:1")).isEmpty();
    }

    @Test
    void anotherMaximumParallelismIsRefusedByName() throws Exception {
        west.maxParallelism = 64;

        StateAgreement agreement = compare(east.take(folder, 1, 2), west.take(folder, 1, 2));

        assertThat(agreement.agree()).isFalse();
        assertThat(agreement.operators())
                .hasSize(3)
                .allSatisfy(
                        operator ->
                                assertThat(operator.refused())
                                        .contains("maximum parallelism 50 in A and 64 in B"));
    }

    @Test
    void anotherSeedIsRefusedByName() throws Exception {
        west.hashSeed = 5;

        StateAgreement agreement = compare(east.take(folder, 1, 2), west.take(folder, 1, 2));

        assertThat(agreement.agree()).isFalse();
        assertThat(agreement.operators())
                .hasSize(3)
                .allSatisfy(operator -> assertThat(operator.refused()).contains("hashSeed"));
    }

    @Test
    void anotherWindowIsNamedAndWhatBothCoverIsCompared() throws Exception {
        west.window = Duration.ofSeconds(30);

        StateAgreement agreement =
                compare(east.take(folder, range(0, ALL)), west.take(folder, range(0, ALL)));

        assertThat(agreement.agree()).isTrue();
        assertThat(operator(agreement, "once").otherOptions())
                .containsExactly("windowMillis is 60000 in A and 30000 in B");
    }

    @Test
    void withoutASampleASeenSetIsNotSaidToAgree() throws Exception {
        west.shadowIds = 0;

        StateAgreement agreement =
                compare(east.take(folder, range(0, ALL)), west.take(folder, range(0, ALL)));

        assertThat(agreement.agree()).isFalse();
        assertThat(operator(agreement, "once").seen().withoutSample()).hasSize(50);
        assertThat(operator(agreement, "counts").totals().agrees()).isTrue();
    }

    @Test
    void totalsInTheFilesOfRocksDbAreRefusedByName() throws Exception {
        west.backend = "rocksdb";

        StateAgreement agreement = compare(east.take(folder, 1, 2), west.take(folder, 1, 2));

        assertThat(agreement.agree()).isFalse();
        assertThat(operator(agreement, "once").agrees()).isTrue();
        assertThat(operator(agreement, "counts").refused())
                .contains("rocksdb", "canonical savepoints");
    }

    @Test
    void withoutARecordOrWithoutAnOperatorOfSluiceThereIsNothingToDiffer() throws Exception {
        assertThat(compare(east.take(folder), west.take(folder)).agree()).isTrue();

        StoredCheckpoint empty =
                new StoredCheckpoint(
                        new CheckpointLocation(
                                new org.apache.flink.core.fs.Path("/empty/_metadata"),
                                new org.apache.flink.core.fs.Path("/empty"),
                                List.of()),
                        new CheckpointMetadata(1, List.of(), List.of()),
                        0,
                        getClass().getClassLoader());
        assertThat(StateReconciler.compare(empty, empty, MAX_LISTED).agree()).isFalse();
    }

    private void flagsInFilters() {
        for (RegionalJob job : List.of(east, west)) {
            job.backend = CascadeStateBackendFactory.class.getName();
            job.flags = RegionalJob.FPP;
        }
    }

    @ParameterizedTest
    @EnumSource(SavepointFormatType.class)
    void flagsThatOnlyOneHasAreCounted(SavepointFormatType format) throws Exception {
        flagsInFilters();
        west.format = format;
        Path a = east.take(folder, range(0, ALL));
        Path b = west.take(folder, range(100, ALL + 10));

        StateAgreement agreement = compare(a, b);

        assertThat(agreement.problems()).isEmpty();
        assertThat(agreement.operators()).hasSize(4);
        OperatorAgreement flags = operator(agreement, "flags");
        assertThat(flags.agrees()).isFalse();
        assertThat(flags.flags())
                .singleElement()
                .satisfies(
                        state -> {
                            assertThat(state.state()).isEqualTo("flags");
                            assertThat(state.refused()).isNull();
                            assertThat(state.both()).isEqualTo(ALL - 100);
                            assertThat(state.onlyA()).isEqualTo(100);
                            assertThat(state.onlyB()).isEqualTo(10);
                            assertThat(state.missing()).isEmpty();
                        });
        assertThat(printed(1, "reconcile", a.toString(), b.toString()))
                .contains("flags 'flags': 1,900 keys in both, 100 only in A, 10 only in B");
        JsonNode json =
                new ObjectMapper()
                        .readTree(printed(1, "reconcile", a.toString(), b.toString(), "--json"));
        assertThat(json.get("operators").findValues("hashBits")).hasSize(1);
        assertThat(operator(compare(b, b), "flags").agrees()).isTrue();
    }

    @Test
    void flagsOfAnotherProbabilityAreComparedAndThoseOfAnotherBackendAreRefused() throws Exception {
        flagsInFilters();
        Path a = east.take(folder, range(0, ALL));
        west.flags = RegionalJob.FPP / 10;
        FlagsAgreement flags =
                operator(compare(a, west.take(folder, range(0, ALL))), "flags").flags().get(0);
        assertThat(flags.agrees()).isTrue();
        assertThat(flags.both()).isEqualTo(ALL);
        assertThat(flags.otherOptions())
                .containsExactly("falsePositiveProbability is 1.0E-9 in A and 1.0E-10 in B");

        west.backend = "hashmap";
        StateAgreement refused = compare(a, west.take(folder, 1));
        assertThat(refused.agree()).isFalse();
        assertThat(operator(refused, "flags").flags().get(0).refused())
                .isEqualTo("is in filters only in A");
    }

    @Test
    void idsThatAreNeverForgottenAreComparedByTheirFlags() throws Exception {
        flagsInFilters();
        east.forever = true;
        west.forever = true;
        OperatorAgreement once =
                operator(
                        compare(east.take(folder, range(0, 60)), west.take(folder, range(50, 90))),
                        "once");
        assertThat(once.refused()).isNull();
        assertThat(once.flags())
                .extracting(FlagsAgreement::both, FlagsAgreement::onlyA, FlagsAgreement::onlyB)
                .containsExactly(tuple(10L, 50L, 30L));
    }

    @Test
    void aStateOfTheJobIsComparedByNameInEachKind() throws Exception {
        east.keepsStates = true;
        west.keepsStates = true;
        west.backend = CascadeStateBackendFactory.class.getName();
        west.format = SavepointFormatType.CANONICAL;
        Path a = east.take(folder, 1, 2, 3, 12, 4, 5);
        Path b = west.take(folder, 12, 5, 2, 1, 3, 6);
        List<String> names = List.of("last", "all", "times", "sum");

        StateAgreement agreement = StateReconciler.compare(load(a), load(b), MAX_LISTED, names);

        assertThat(agreement.problems()).isEmpty();
        assertThat(agreement.agree()).isFalse();
        List<StateValuesAgreement> states = operator(agreement, "kept").states();
        assertThat(states).extracting(StateValuesAgreement::state).containsExactlyElementsOf(names);
        assertThat(states).allMatch(state -> state.refused() == null);
        assertThat(states.get(0).values().differing())
                .extracting(Difference::key, Difference::a, Difference::b)
                .containsExactlyInAnyOrder(
                        tuple("2", "12", "2"), tuple("4", "4", null), tuple("6", null, "6"));
        // In another order.
        assertThat(states.get(1).values().different()).isOne();
        assertThat(states.get(1).values().equal()).isEqualTo(3);
        assertThat(states.get(2).values().differing())
                .extracting(Difference::key, Difference::a, Difference::b)
                .containsExactlyInAnyOrder(
                        tuple("4, id 4", "1", null), tuple("6, id 6", null, "1"));
        assertThat(states.get(2).values().equal()).isEqualTo(5);
        assertThat(states.get(3).values().different()).isZero();
        assertThat(states.get(3).values().equal()).isEqualTo(4);

        assertThat(
                        printed(
                                1,
                                "reconcile",
                                a.toString(),
                                b.toString(),
                                "--state",
                                "last",
                                "--state",
                                "sum"))
                .contains("state 'last': 3 values equal, 1 differ, 1 only in A, 1 only in B")
                .contains("2: 12 in A, 2 in B", "state 'sum': 4 values equal");
        assertThat(printed(1, "reconcile", a.toString(), a.toString(), "--state", "lost"))
                .contains("state lost: no operator has a keyed state of this name");
        assertThat(printed(0, "reconcile", a.toString(), a.toString(), "--state", "all"))
                .contains("A and B agree");
    }

    @Test
    void aStateInTheFilesOfRocksDbIsRefusedByName() throws Exception {
        east.keepsStates = true;
        west.keepsStates = true;
        west.backend = "rocksdb";
        StateAgreement agreement =
                StateReconciler.compare(
                        load(east.take(folder, 1, 2)),
                        load(west.take(folder, 1, 2)),
                        MAX_LISTED,
                        List.of("last"));
        assertThat(agreement.agree()).isFalse();
        assertThat(operator(agreement, "kept").states().get(0).refused())
                .contains("rocksdb", "canonical savepoints");
        assertThat(operator(agreement, "once").agrees()).isTrue();
    }

    @Test
    void damageInLevelFilesIsNamedByFileAndOffset() throws Exception {
        flagsInFilters();
        Path a = east.take(folder, range(0, ALL));
        Path b = west.take(folder, range(0, ALL));
        List<String> files =
                Inspector.inspect(load(b)).operators().stream()
                        .filter(operator -> "flags".equals(operator.uid()))
                        .flatMap(operator -> operator.files().stream())
                        .filter(each -> each.role().endsWith(".level"))
                        .map(FileReport::file)
                        .toList();
        assertThat(files).hasSize(west.parallelism);
        Path path = Path.of(URI.create(files.get(0)));
        byte[] bytes = Files.readAllBytes(path);
        byte[] damaged = bytes.clone();
        damaged[1_000] ^= 1;
        Files.write(path, damaged);

        StateAgreement agreement = compare(a, b);

        assertThat(agreement.agree()).isFalse();
        assertThat(agreement.problems())
                .isNotEmpty()
                .allSatisfy(
                        problem -> {
                            assertThat(problem.file()).isEqualTo(files.get(0));
                            assertThat(problem.offset()).isBetween(0L, (long) bytes.length);
                        });
        assertThat(operator(agreement, "flags").flags().get(0).both())
                .isBetween(ALL / 3L, ALL - 1L);
        assertThat(operator(agreement, "once").agrees()).isTrue();

        Files.delete(path);
        assertThat(compare(a, b).problems())
                .containsExactly(new Problem(files.get(0), null, "the file is missing"));
    }

    private static int indexOf(byte[] part, byte[] bytes) {
        int at = 0;
        while (!Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
            at++;
        }
        return at;
    }

    @Test
    void damageIsNamedByFileAndOffsetAndTheOthersAreCompared() throws Exception {
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
        int sample = indexOf(new byte[] {'S', 'L', 'C', 'F', StoredSample.KIND, 0}, bytes);
        // In the header of the first key group, and among the ids of its sample.
        for (int at : new int[] {34, sample + 120}) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 1;
            Files.write(path, damaged);

            StateAgreement agreement = compare(a, b);

            assertThat(agreement.agree()).isFalse();
            assertThat(agreement.problems())
                    .singleElement()
                    .satisfies(
                            problem -> {
                                assertThat(problem.file()).isEqualTo(file);
                                assertThat(problem.offset()).isBetween((long) at, at + 2_000L);
                            });
            assertThat(operator(agreement, "once").seen().compared()).isBetween(ALL / 2L, ALL - 1L);
            assertThat(operator(agreement, "counts").agrees()).isTrue();
        }
    }
}
