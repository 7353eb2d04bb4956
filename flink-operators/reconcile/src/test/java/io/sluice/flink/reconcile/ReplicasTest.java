/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.DifferenceSketch;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.ElementBatch;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import io.sluice.flink.reconcile.message.Setup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two replicas and a bad line between them: whatever happens, both end with the union at maximum
 * multiplicity.
 */
class ReplicasTest {

    private static void history(int repetition, DifferenceMethod method) throws Exception {
        long seed = Seeds.seed(repetition);
        try {
            SplittableRandom random = new SplittableRandom(~seed);
            // A bad filter makes every history need several rounds.
            double fpp = random.nextBoolean() ? 0.2 : 1e-4;
            TwoReplicas world =
                    new TwoReplicas(
                            seed, method, fpp, 20 + random.nextInt(150), random.nextDouble(0.4));
            world.line =
                    new TwoReplicas.Line(
                            random.nextDouble(0.4),
                            random.nextDouble(0.4),
                            random.nextDouble(0.3),
                            random.nextDouble(0.5));
            double deaths = random.nextDouble(0.5);
            for (int step = 0; step < 600; step++) {
                world.step(random.nextBoolean() ? world.a : world.b, deaths);
            }
            world.calm();
            world.checkUnion();
        } catch (AssertionError | Exception e) {
            throw new AssertionError(Seeds.describe(seed), e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothEndWithTheUnionWhateverHappensOnTheWay(DifferenceMethod method) throws Exception {
        for (int i = 0; i < 40; i++) {
            history(i, method);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void bothEndWithTheUnionInManyMoreHistories(DifferenceMethod method) throws Exception {
        for (int i = 1000; i < 12_000; i++) {
            history(i, method);
        }
    }

    private static TwoReplicas small(DifferenceMethod method) {
        // Some elements collide, so that there is more than one round.
        return new TwoReplicas(Seeds.seed(9), method, 0.2, 120, 0.2);
    }

    /** Steps of {@link TwoReplicas#scriptedStep} after which nothing is left to be said. */
    private static int stepsToTheEnd(DifferenceMethod method) throws Exception {
        TwoReplicas world = small(method);
        int steps = 0;
        while (world.a.unsettled() + world.b.unsettled() > 0 || steps < 8) {
            world.scriptedStep(steps++);
            assertThat(steps).isLessThan(1000);
        }
        world.checkUnion();
        return steps;
    }

    @ParameterizedTest
    @EnumSource
    void eitherReplicaMayBeKilledAtEachStep(DifferenceMethod method) throws Exception {
        int steps = stepsToTheEnd(method);
        assertThat(steps).as("steps of several rounds").isGreaterThan(32);
        for (int death = 0; death < steps; death++) {
            for (boolean first : new boolean[] {true, false}) {
                TwoReplicas world = small(method);
                for (int step = 0; step <= death; step++) {
                    world.scriptedStep(step);
                }
                (first ? world.a : world.b).kill();
                world.calm();
                world.checkUnion();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachMessageMayBeLostOrTwiceOrDamagedOrOfAnotherVersion(TwoReplicas.OneFault fault)
            throws Exception {
        eachMessageMayBe(fault, DifferenceMethod.QUERY);
        eachMessageMayBe(fault, DifferenceMethod.RATELESS);
    }

    private static void eachMessageMayBe(TwoReplicas.OneFault fault, DifferenceMethod method)
            throws Exception {
        TwoReplicas good = small(method);
        good.calm();
        assertThat(good.messages).isGreaterThan(6 * TwoReplicas.WINDOWS);
        for (int message = 0; message < good.messages; message++) {
            TwoReplicas world = small(method);
            world.fault = fault;
            world.faultyMessage = message;
            world.calm();
            world.checkUnion();
            int refused = world.a.refusals() + world.b.refusals();
            assertThat(refused)
                    .as("refusals of %s", fault)
                    .isEqualTo(fault == TwoReplicas.OneFault.LOST ? 0 : 1);
        }
    }

    @Test
    void aPeerThatNeverAnswersChangesNothing() throws Exception {
        TwoReplicas world = small(DifferenceMethod.QUERY);
        while (world.a.readRecord()) {}
        world.a.advanceWatermark(true);
        for (int waited = 0; waited <= 1 << 20; waited += 1 << 14) {
            world.a.beginCheckpoint(1 << 14);
            world.a.completeCheckpoint();
        }
        assertThat(world.a.reports())
                .hasSize(TwoReplicas.WINDOWS)
                .allSatisfy(
                        report -> assertThat(report.outcome()).isEqualTo(Outcome.TIMED_OUT.name()));
        assertThat(world.a.repairs()).isEmpty();
        assertThat(world.a.finals()).isEqualTo(TwoReplicas.multisets(world.inputA));
        assertThat(world.a.elementsKept()).isZero();
        assertThat(world.messages)
                .as("digests, ever more seldom")
                .isLessThan(TwoReplicas.WINDOWS * 66);
    }

    @ParameterizedTest
    @EnumSource
    void equalReplicasExchangeDigestsOnly(DifferenceMethod method) throws Exception {
        TwoReplicas world = new TwoReplicas(Seeds.seed(0), method, 1e-4, 100, 0);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports())
                .allSatisfy(
                        report -> {
                            assertThat(report.rounds()).isZero();
                            assertThat(report.filterBytes() + report.repairBytes()).isZero();
                            assertThat(report.digestBytes()).isPositive().isLessThan(300);
                        });
    }

    /** From nothing to everything, from one element on, and one side may have almost none. */
    @ParameterizedTest
    @EnumSource(DifferenceMethod.class)
    void anyPartOfAnyNumberOfElementsMayDiffer(DifferenceMethod method) throws Exception {
        for (int ids : new int[] {1, 2, 20, 1000}) {
            for (double faults : new double[] {0, 0.01, 0.1, 0.5}) {
                for (int leftToB : new int[] {Integer.MAX_VALUE, 1, 0}) {
                    TwoReplicas world = new TwoReplicas(Seeds.seed(ids), method, 1e-4, ids, faults);
                    List<Replica.Event> inputB = world.inputB;
                    inputB.subList(Math.min(leftToB, inputB.size()), inputB.size()).clear();
                    world.calm();
                    world.checkUnion();
                }
            }
        }
    }

    @Test
    void oneRoundIsEnoughWithGoodFilters() throws Exception {
        TwoReplicas world =
                new TwoReplicas(Seeds.seed(1), DifferenceMethod.QUERY, 1e-7, 2000, 0.05);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports())
                .allSatisfy(
                        report -> {
                            assertThat(report.rounds()).isEqualTo(1);
                            assertThat(report.repairedFirst()).isPositive();
                            assertThat(report.repairedSecond() + report.repairedLater()).isZero();
                        });
    }

    /** Symbols tell the difference exactly, however bad the filters of the peer are. */
    @Test
    void theFirstCodedSymbolsFindEverything() throws Exception {
        TwoReplicas world =
                new TwoReplicas(Seeds.seed(1), DifferenceMethod.RATELESS, 0.25, 2000, 0.02);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports())
                .allSatisfy(
                        report -> {
                            assertThat(report.fallback()).isEqualTo(Fallback.NONE.name());
                            assertThat(report.repairedFirst()).isPositive();
                            assertThat(report.repairedSecond() + report.repairedLater()).isZero();
                        });
    }

    /** More symbols than fit into a message would be needed. */
    @Test
    void tooManyDifferencesForSymbolsAreFoundByFilters() throws Exception {
        TwoReplicas world =
                new TwoReplicas(Seeds.seed(1), DifferenceMethod.RATELESS, 1e-4, 2000, 0.4);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports())
                .allSatisfy(
                        report ->
                                assertThat(report.fallback())
                                        .isEqualTo(Fallback.TOO_MANY_DIFFERENCES.name()));
    }

    private static Message contradicted(Message message) {
        return new Message(
                message.head(), new Message.Shortage(message.shortage().symbols(), null));
    }

    @Test
    void contradictorySymbolsAreFollowedByFiltersAndTheReasonIsReported() throws Exception {
        TwoReplicas world =
                new TwoReplicas(Seeds.seed(1), DifferenceMethod.RATELESS, 1e-4, 300, 0.3);
        world.change = changing(MessageKind.SHORTAGE, ReplicasTest::contradicted);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports())
                .allSatisfy(
                        report ->
                                assertThat(report.fallback())
                                        .isEqualTo(Fallback.CONTRADICTORY_SYMBOLS.name()));
    }

    private static UnaryOperator<byte[]> changing(
            MessageKind kind, Function<Message, Message> change) {
        return bytes -> {
            try {
                Message message = MessageFormat.read(bytes, "a message");
                return message.kind() == kind ? MessageFormat.write(change.apply(message)) : bytes;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Of one element that nobody has, in as many copies as the head says. */
    private static Message lie(Message message) {
        CodedSymbols symbols = message.symbols();
        SymbolEncoder encoder =
                new SymbolEncoder(
                        visitor -> visitor.element(1, message.head().totals().copies()),
                        symbols.key());
        return new Message(message.head(), encoder.next(symbols.size()));
    }

    /** A sketch that says that almost nothing, or almost everything, differs. */
    private static Message lie(Message message, int elements) {
        Message.Shortage shortage = message.shortage();
        SplittableRandom random = new SplittableRandom(elements);
        DifferenceSketch sketch =
                DifferenceSketch.of(
                        visitor -> random.longs(elements).forEach(hash -> visitor.element(hash, 1)),
                        elements,
                        new ExchangeKey(1, 2));
        return new Message(message.head(), new Message.Shortage(shortage.symbols(), sketch));
    }

    @ParameterizedTest
    @EnumSource(names = {"RATELESS", "AUTO"})
    void madeUpSymbolsAreFollowedByFiltersAndTheReasonIsReported(DifferenceMethod method)
            throws Exception {
        TwoReplicas world = new TwoReplicas(Seeds.seed(1), method, 1e-4, 2_000, 0.3);
        world.change = changing(MessageKind.SYMBOLS, ReplicasTest::lie);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports())
                .allSatisfy(
                        report ->
                                assertThat(report.fallback())
                                        .isEqualTo(Fallback.TOO_MANY_DIFFERENCES.name()));
    }

    /** Symbols that suffice are found anyhow, and those in vain take no more than is allowed. */
    @ParameterizedTest
    @EnumSource(names = {"RATELESS", "AUTO"})
    void madeUpSketchesCostBytesThatHaveABound(DifferenceMethod method) throws Exception {
        for (int elements : new int[] {0, 300, 1_000_000}) {
            TwoReplicas world = new TwoReplicas(Seeds.seed(1), method, 1e-4, 2_000, 0.03);
            world.change = changing(MessageKind.SHORTAGE, message -> lie(message, elements));
            world.calm();
            world.checkUnion();
            assertThat(world.a.reports())
                    .allSatisfy(
                            report ->
                                    assertThat(report.filterBytes())
                                            .isLessThan(3L * (4_096 + 2_000 * 4)));
        }
    }

    @Test
    void symbolsThatAreReplayedLaterChangeNothing() throws Exception {
        TwoReplicas world =
                new TwoReplicas(Seeds.seed(1), DifferenceMethod.RATELESS, 1e-4, 500, 0.1);
        List<byte[]> symbols = new ArrayList<>();
        world.change =
                changing(
                        MessageKind.SYMBOLS,
                        message -> {
                            symbols.add(MessageFormat.write(message));
                            return message;
                        });
        world.calm();
        world.checkUnion();
        assertThat(symbols).hasSizeGreaterThan(2 * TwoReplicas.WINDOWS);
        int sent = world.messages;
        for (byte[] message : symbols) {
            world.toA.add(message);
            world.toB.add(message);
        }
        world.calm();
        world.checkUnion();
        assertThat(world.a.refusals() + world.b.refusals()).isEqualTo(2 * symbols.size());
        assertThat(world.messages).isEqualTo(sent);
    }

    /** In bytes of questions: symbols if little differs, filters if much does. */
    @Test
    void theAutomaticChoiceTakesAboutAsManyBytesAsTheBestMethod() throws Exception {
        for (double faults : new double[] {0.002, 0.3}) {
            Map<DifferenceMethod, Long> bytes = new EnumMap<>(DifferenceMethod.class);
            for (DifferenceMethod method : DifferenceMethod.values()) {
                TwoReplicas world = new TwoReplicas(Seeds.seed(6), method, 1e-4, 2000, faults);
                world.calm();
                world.checkUnion();
                bytes.put(method, world.a.reports().stream().mapToLong(WindowReport::bytes).sum());
            }
            long best = bytes.values().stream().mapToLong(Long::longValue).min().orElseThrow();
            assertThat(bytes.get(DifferenceMethod.AUTO))
                    .as("%s", bytes)
                    .isLessThanOrEqualTo(best + best / 10);
        }
    }

    @Test
    void laterRoundsFindWhatBadFiltersHide() throws Exception {
        TwoReplicas world = new TwoReplicas(Seeds.seed(2), DifferenceMethod.QUERY, 0.25, 2000, 0.2);
        world.calm();
        world.checkUnion();
        assertThat(world.a.reports().stream().mapToLong(WindowReport::repairedSecond).sum())
                .isPositive();
    }

    @Test
    void aRestartPublishesTheSameBytesAgain() throws Exception {
        TwoReplicas world = new TwoReplicas(Seeds.seed(3), DifferenceMethod.QUERY, 1e-4, 50, 0.2);
        Replica a = world.a;
        while (a.readRecord()) {}
        a.advanceWatermark(true);
        a.beginCheckpoint(1);
        a.completeCheckpoint();
        List<byte[]> first = new ArrayList<>(world.toB);
        assertThat(first).hasSize(TwoReplicas.WINDOWS);
        a.kill();
        a.beginCheckpoint(1);
        a.completeCheckpoint();
        assertThat(world.toB.subList(TwoReplicas.WINDOWS, 2 * TwoReplicas.WINDOWS))
                .containsExactlyElementsOf(first);
    }

    @Test
    void nothingIsPublishedForAFailedCheckpoint() throws Exception {
        TwoReplicas world = new TwoReplicas(Seeds.seed(4), DifferenceMethod.QUERY, 1e-4, 50, 0.2);
        Replica a = world.a;
        while (a.readRecord()) {}
        a.advanceWatermark(true);
        a.beginCheckpoint(1);
        a.failCheckpoint();
        a.completeCheckpoint();
        assertThat(world.toB).isEmpty();
        a.kill();
        assertThat(a.hasReadAll()).isFalse();
    }

    private static Message fromB(MessageKind kind, Setup setup, Message.Repair repair) {
        Message.Head head =
                new Message.Head(
                        kind,
                        Hashing.hash("b"),
                        Hashing.hash("a"),
                        5,
                        setup,
                        0,
                        0,
                        kind == MessageKind.DIGEST ? 1 : 2,
                        false,
                        Phase.EXCHANGING,
                        0,
                        new Totals(2, Long.MAX_VALUE, 9));
        return new Message(head, null, repair);
    }

    @Test
    void aRepairOfMoreCopiesThanCanBeCountedIsRefusedAndTheCheckpointIsReadAgain()
            throws Exception {
        TwoReplicas world = new TwoReplicas(Seeds.seed(5), DifferenceMethod.QUERY, 1e-4, 50, 0.2);
        Replica a = world.a;
        while (a.readRecord()) {}
        a.advanceWatermark(true);
        a.beginCheckpoint(1);
        a.completeCheckpoint();
        Setup setup = MessageFormat.read(world.toB.get(0), "a digest").head().setup();
        ElementBatch batch = new ElementBatch();
        for (long id = 1; id <= 2; id++) {
            batch.add(ByteBuffer.allocate(48).putLong(-id).array(), Long.MAX_VALUE);
        }
        world.toA.add(MessageFormat.write(fromB(MessageKind.DIGEST, setup, null)));
        world.toA.add(
                MessageFormat.write(
                        fromB(MessageKind.REPAIR, setup, new Message.Repair(1, 0, 1, batch))));
        while (a.readMessage()) {}
        assertThat(a.refusals()).isEqualTo(1);
        a.beginCheckpoint(1);
        a.completeCheckpoint();
        a.kill();
        assertThat(a.repairs()).isEmpty();
    }
}
