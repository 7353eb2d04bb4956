/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.flink.Backends;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.Setup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two replicas do at the edges: drains, wild times, another setup, lost state, no room. */
class ReconcileEdgesTest {

    private static final long WINDOW = 1000;
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long TTL = 100_000;
    private static final long YEARS = Duration.ofDays(30 * 365).toMillis();
    private static final Setup SETUP = new Setup(WINDOW, 4, 2, 5);

    private OperatorReplica east;
    private OperatorReplica west;

    private static ReconcileSettings settings(
            Setup setup, String replica, String peer, int windows, boolean resetClock) {
        return settings(setup, replica, peer, 0, windows, resetClock);
    }

    private static ReconcileSettings settings(
            Setup setup,
            String replica,
            String peer,
            long resume,
            int windows,
            boolean resetClock) {
        return new ReconcileSettings(
                setup,
                replica,
                peer,
                DifferenceMethod.QUERY,
                1e-6,
                8,
                TTL,
                resume,
                1000,
                4096,
                1_000,
                4,
                windows,
                HOUR,
                resetClock);
    }

    private static ReconcileSettings settings(Setup setup, String replica) {
        return settings(setup, replica, replica.equals("east") ? "west" : "east", 100, false);
    }

    private void start(Setup setup) throws Exception {
        close();
        east = new OperatorReplica(settings(setup, "east"), Backends.HASHMAP);
        west = new OperatorReplica(settings(setup, "west"), Backends.HASHMAP);
        east.start(1);
        west.start(1);
    }

    @BeforeEach
    void start() throws Exception {
        start(SETUP);
    }

    @AfterEach
    void close() throws Exception {
        if (east != null) {
            east.close();
            west.close();
        }
    }

    private void exchange(int checkpoints) throws Exception {
        for (int i = 0; i < checkpoints; i++) {
            east.pass(1500);
            west.pass(1500);
            west.receive(east.checkpoint());
            east.receive(west.checkpoint());
        }
    }

    /** Each once. */
    private static List<String> outcomes(OperatorReplica replica, long window) {
        return allOutcomes(replica, window).stream().distinct().toList();
    }

    /** Sum over all its key groups. */
    private static List<String> allOutcomes(OperatorReplica replica, long window) {
        return replica.reports().stream()
                .filter(report -> report.window() == window)
                .map(WindowReport::outcome)
                .toList();
    }

    @Test
    void afterADrainNothingIsLateAndTheExchangeGoesOn() throws Exception {
        east.record("a", 10);
        east.record("b", WINDOW + 10);
        east.watermark(WINDOW);
        east.checkpoint();
        east.drain();
        assertThat(outcomes(east, 0)).containsExactly(Outcome.UNFINISHED.name());
        assertThat(outcomes(east, WINDOW)).containsExactly(Outcome.UNFINISHED.name());
        assertThat(east.forwarded()).isEqualTo(Long.MAX_VALUE);

        east.start(2);
        east.record("c", WINDOW + 20);
        east.record("d", 5 * WINDOW);
        assertThat(east.lateRecords()).as("not late before, nor now").isZero();
        east.record("too late", 20);
        assertThat(east.lateRecords()).as("late before, and now").isEqualTo(1);
        west.record("e", WINDOW + 30);
        west.record("f", 30);
        east.watermark(6 * WINDOW);
        west.watermark(6 * WINDOW);
        exchange(6);
        Map<Long, Map<String, Long>> union =
                Map.of(
                        0L,
                        Map.of("a", 1L, "f", 1L),
                        WINDOW,
                        Map.of("b", 1L, "c", 1L, "e", 1L),
                        5 * WINDOW,
                        Map.of("d", 1L));
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
        assertThat(outcomes(east, WINDOW))
                .containsExactly(Outcome.UNFINISHED.name(), Outcome.AGREED.name());
    }

    @Test
    void theEndOfTheRecordsAloneClosesAllWindowsAndTheLastExchangesGoOn() throws Exception {
        for (OperatorReplica replica : List.of(east, west)) {
            replica.record("a", 10);
            replica.record("b", 7 * WINDOW);
            replica.watermark(WINDOW);
        }
        east.record("only here", 7 * WINDOW + 1);
        east.watermark(Long.MAX_VALUE);
        west.watermark(Long.MAX_VALUE);
        exchange(6);
        assertThat(east.forwarded()).as("repairs may come").isEqualTo(WINDOW);
        Map<Long, Map<String, Long>> union =
                Map.of(0L, Map.of("a", 1L), 7 * WINDOW, Map.of("b", 1L, "only here", 1L));
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
        east.endMessages();
        assertThat(east.forwarded()).isEqualTo(Long.MAX_VALUE);
        east.checkpoint();
        assertThat(outcomes(east, 7 * WINDOW)).containsExactly(Outcome.AGREED.name());
    }

    @Test
    void anExchangeThatTheEndOfBothInputsCutsOffIsReported() throws Exception {
        east.record("a", 10);
        east.watermark(WINDOW);
        east.checkpoint();
        east.endMessages();
        east.watermark(Long.MAX_VALUE);
        east.checkpoint();
        assertThat(outcomes(east, 0)).containsExactly(Outcome.UNFINISHED.name());
    }

    @Test
    void aWatermarkThatRanAwayClosesNothingAndARestoreGoesOnAtTheRightTime() throws Exception {
        for (OperatorReplica replica : List.of(east, west)) {
            replica.record("a", 10);
            replica.watermark(500);
            replica.watermark(YEARS);
            assertThat(replica.forwarded()).isEqualTo(500);
            replica.record("b", 20);
            replica.record("c", 3 * WINDOW);
            assertThat(replica.lateRecords()).isZero();
        }
        exchange(2);
        assertThat(east.reports()).isEmpty();
        east.start(1);
        west.start(2);
        for (OperatorReplica replica : List.of(east, west)) {
            replica.record("d", 3 * WINDOW);
            assertThat(replica.lateRecords()).isZero();
            replica.watermark(4 * WINDOW);
        }
        exchange(3);
        Map<Long, Map<String, Long>> union =
                Map.of(0L, Map.of("a", 1L, "b", 1L), 3 * WINDOW, Map.of("c", 1L, "d", 1L));
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
    }

    @Test
    void aWatermarkAheadOfTheWallClockIsTakenWhenItIsNotAnyMore() throws Exception {
        east.record("a", 10);
        east.watermark(2 * HOUR);
        east.checkpoint();
        assertThat(east.forwarded()).isEqualTo(Long.MIN_VALUE);
        east.pass(HOUR);
        assertThat(east.checkpoint()).as("the window is closed").hasSize(1);
        assertThat(east.forwarded()).isEqualTo(2 * HOUR);
    }

    @Test
    void aRestoreWithResetClockTakesTheNextWatermarkForTheTime() throws Exception {
        east.record("a", 10);
        east.watermark(HOUR);
        east.checkpoint();
        east.start(1);
        east.record("b", 3 * WINDOW);
        assertThat(east.lateRecords()).as("the former clock").isEqualTo(1);
        east.start(1, settings(SETUP, "east", "west", 100, true));
        east.record("b", 3 * WINDOW);
        assertThat(east.lateRecords()).isZero();
        east.record("closed", 20);
        assertThat(east.lateRecords()).as("of a window that was closed").isEqualTo(1);
        assertThat(east.checkpoint()).as("what was published before, again").hasSize(1);
        east.watermark(4 * WINDOW);
        assertThat(east.checkpoint()).as("the window is closed").hasSize(1);
    }

    @Test
    void anotherSetupIsRefusedAtTheStartWithTheOptionAndBothValues() throws Exception {
        east.record("a", 10);
        east.checkpoint();
        refused(settings(new Setup(2 * WINDOW, 4, 2, 5), "east"), "window = 1000 ms", "2000 ms");
        refused(settings(new Setup(WINDOW, 4, 2, 6), "east"), "seed = 5", "seed now is 6");
        refused(settings(new Setup(WINDOW, 8, 2, 5), "east"), "groups = 4", "groups now is 8");
        refused(settings(SETUP, "north"), "replica = east", "replica now is north");
        refused(settings(SETUP, "east", "north", 9, false), "peer = west", "peer now is north");
        east.start(1, settings(SETUP, "east"));
        east.watermark(WINDOW);
        assertThat(east.checkpoint()).as("set back, it goes on").hasSize(1);
    }

    private void refused(ReconcileSettings settings, String before, String now) {
        assertThatIllegalStateException()
                .isThrownBy(() -> east.start(1, settings))
                .withMessageContaining(before)
                .withMessageContaining(now)
                .withMessageContaining("new uid");
    }

    @Test
    void aYoungerWindowThatWasGivenUpFirstDoesNotKeepAnOlderOneFromAgreement() throws Exception {
        String hugeId = "x".repeat(5000);
        east.record(hugeId, WINDOW + 1);
        for (int window = 0; window < 2; window++) {
            east.record("only east", window * WINDOW);
            west.record("only west", window * WINDOW);
        }
        east.watermark(2 * WINDOW);
        east.checkpoint();
        west.watermark(2 * WINDOW);
        // What is said about the older window is lost at first.
        for (int i = 0; i < 4; i++) {
            east.receive(of(WINDOW, west.checkpoint()));
            west.receive(of(WINDOW, east.checkpoint()));
            east.pass(1500);
            west.pass(1500);
        }
        assertThat(outcomes(east, WINDOW)).contains(Outcome.TOO_LARGE.name());
        assertThat(outcomes(west, WINDOW)).contains(Outcome.PEER_GAVE_UP.name());
        exchange(8);
        assertThat(outcomes(east, 0)).containsExactly(Outcome.AGREED.name());
        assertThat(outcomes(west, 0)).containsExactly(Outcome.AGREED.name());
        assertThat(east.elements().get(0L)).isEqualTo(Map.of("only east", 1L, "only west", 1L));
    }

    private static List<byte[]> of(long window, List<byte[]> messages) throws Exception {
        return messages.stream()
                .filter(
                        bytes -> {
                            try {
                                return MessageFormat.read(bytes, "test").head().window() == window;
                            } catch (java.io.IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        })
                .toList();
    }

    @Test
    void aWindowWhosePeerIsAwayIsSuspendedAndAgreesWhenThePeerIsBack() throws Exception {
        east.start(1, settings(SETUP, "east", "west", 10 * TTL, 100, false));
        west.start(1, settings(SETUP, "west", "east", 10 * TTL, 100, false));
        east.record("a", 10);
        east.watermark(WINDOW);
        east.pass(TTL + 1);
        east.checkpoint();
        assertThat(allOutcomes(east, 0)).containsExactly(Outcome.SUSPENDED.name());
        assertThat(east.elements()).as("nothing is final").isEmpty();

        east.start(2);
        east.pass(8 * TTL);
        east.checkpoint();
        west.record("b", 20);
        west.watermark(WINDOW);
        exchange(8);
        Map<Long, Map<String, Long>> union = Map.of(0L, Map.of("a", 1L, "b", 1L));
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
        assertThat(outcomes(east, 0))
                .containsExactly(Outcome.SUSPENDED.name(), Outcome.AGREED.name());
        assertThat(outcomes(west, 0)).containsExactly(Outcome.AGREED.name());
    }

    @Test
    void aSuspendedWindowIsGivenUpWhenThePeerStaysAway() throws Exception {
        east.start(1, settings(SETUP, "east", "west", 10 * TTL, 100, false));
        east.record("a", 10);
        east.watermark(WINDOW);
        for (int i = 0; i < 12; i++) {
            east.pass(TTL);
            east.checkpoint();
        }
        assertThat(allOutcomes(east, 0))
                .containsExactly(Outcome.SUSPENDED.name(), Outcome.TIMED_OUT.name());
        assertThat(east.elements()).isEqualTo(Map.of(0L, Map.of("a", 1L)));
    }

    @Test
    void bothEndWithTheLargerSumOfMultiplicities() throws Exception {
        east.record("a*3", 10);
        east.record("a*4", 20);
        east.record("b*1000000", 30);
        west.record("a*5", 10);
        west.record("c*9000000000000000", 10);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(6);
        Map<Long, Map<String, Long>> union =
                Map.of(0L, Map.of("a", 7L, "b", 1_000_000L, "c", 9_000_000_000_000_000L));
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
        assertThat(west.repairs()).isEqualTo(Map.of(0L, Map.of("a", 2L, "b", 1_000_000L)));
    }

    @Test
    void multiplicitiesThatArePowersOfTwoAreNotTakenForEqual() throws Exception {
        start(new Setup(WINDOW, 1, 2, 5));
        String copies = "*" + (1L << 62);
        for (int window = 0; window < 20; window++) {
            east.record("y" + window + copies, window * WINDOW);
            west.record("x" + window + copies, window * WINDOW);
        }
        east.watermark(20 * WINDOW);
        west.watermark(20 * WINDOW);
        exchange(1);
        assertThat(east.reports()).as("no two sides are equal").isEmpty();
        assertThat(west.reports()).isEmpty();
    }

    @Test
    void distinctIdsAgreeHoweverOftenEachSideSawThem() throws Exception {
        for (OperatorReplica replica : List.of(east, west)) {
            replica.distinct();
            replica.start(1);
        }
        east.record("a", 10);
        east.record("a", 20);
        east.record("b", 30);
        west.record("a", 10);
        west.record("c", 10);
        west.record("c", 10);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(6);
        Map<Long, Map<String, Long>> union = Map.of(0L, Map.of("a", 1L, "b", 1L, "c", 1L));
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
        assertThat(east.repairs()).isEqualTo(Map.of(0L, Map.of("c", 1L)));
        assertThat(west.repairs()).isEqualTo(Map.of(0L, Map.of("b", 1L)));
    }

    @Test
    void aRecordWithoutIdIsDiverted() throws Exception {
        east.record(OperatorReplica.NO_ID, 10);
        assertThat(east.lateRecords()).isEqualTo(1);
    }

    @Test
    void aRecordOfNoCopiesSaysNothingAndOneOfFewerIsDiverted() throws Exception {
        east.record("a*0", 10);
        assertThat(east.lateRecords()).isZero();
        east.record("b*-1", 10);
        assertThat(east.lateRecords()).isEqualTo(1);
        east.record("c", 10);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(6);
        assertThat(west.elements()).isEqualTo(Map.of(0L, Map.of("c", 1L)));
    }

    @Test
    void aRecordWithMoreCopiesThanCanBeCountedIsDivertedAndTheWindowDoesNotAgree()
            throws Exception {
        start(new Setup(WINDOW, 1, 2, 5));
        east.record("a*" + (Long.MAX_VALUE - 1), 10);
        east.record("b*2", 10);
        east.record("b*1", 10);
        assertThat(east.lateRecords()).isEqualTo(1);
        west.record("c", 10);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(8);
        assertThat(outcomes(east, 0)).as("there is no room for the peer's copies").isEmpty();
        east.pass(TTL);
        east.checkpoint();
        assertThat(outcomes(east, 0)).containsExactly(Outcome.TIMED_OUT.name());
    }

    @Test
    void whoAsksAboutAWindowThatIsOverGetsAFarewellThatEndsItsExchange() throws Exception {
        east.record("a", 10);
        west.record("a", 10);
        east.watermark(WINDOW);
        east.pass(TTL + 1);
        east.checkpoint();
        east.start(1);
        west.watermark(WINDOW);
        exchange(2);
        assertThat(outcomes(east, 0)).containsExactly(Outcome.TIMED_OUT.name());
        assertThat(outcomes(west, 0)).containsExactly(Outcome.PEER_GAVE_UP.name());
        assertThat(east.checkpoint()).as("a farewell is not answered").isEmpty();
    }

    @Test
    void aReplicaThatLostItsStateAgreesOnWhatHasNotEndedAndIsToldWhatHas() throws Exception {
        agreeOnTheFirstWindow();
        east.record("lost", WINDOW + 1);
        west.record("b", WINDOW + 2);
        east.watermark(2 * WINDOW);
        west.watermark(2 * WINDOW);
        west.receive(east.checkpoint());
        west.checkpoint();

        east.startWithoutState(1);
        east.record("a", 10);
        east.record("c", WINDOW + 3);
        east.watermark(2 * WINDOW);
        exchange(8);
        assertThat(allOutcomes(east, 0))
                .as("one copy of the two that were agreed on is gone")
                .containsExactly(Outcome.AGREED.name(), Outcome.PEER_GAVE_UP.name());
        assertThat(allOutcomes(west, 0)).containsExactly(Outcome.AGREED.name());
        assertThat(outcomes(east, WINDOW)).containsExactly(Outcome.AGREED.name());
        assertThat(outcomes(west, WINDOW)).containsExactly(Outcome.AGREED.name());
        assertThat(west.elements().get(WINDOW)).isEqualTo(Map.of("b", 1L, "c", 1L));
    }

    @Test
    void aReplicaThatLostItsStateAndHasTheSameAgainAgreesOnceMore() throws Exception {
        agreeOnTheFirstWindow();
        east.startWithoutState(1);
        east.record("a", 10);
        east.record("a", 10);
        east.watermark(WINDOW);
        exchange(8);
        assertThat(allOutcomes(east, 0))
                .containsExactly(Outcome.AGREED.name(), Outcome.AGREED.name());
        assertThat(allOutcomes(west, 0)).as("once").containsExactly(Outcome.AGREED.name());
        assertThat(east.repairs()).as("nothing was missing").isEmpty();
        east.pass(1500);
        west.pass(1500);
        assertThat(east.checkpoint()).as("nothing is left to say").isEmpty();
        assertThat(west.checkpoint()).isEmpty();
    }

    /** One element, with two copies on both sides. */
    private void agreeOnTheFirstWindow() throws Exception {
        for (OperatorReplica replica : List.of(east, west)) {
            replica.record("a", 10);
            replica.record("a", 10);
            replica.watermark(WINDOW);
        }
        exchange(4);
        assertThat(allOutcomes(east, 0)).containsExactly(Outcome.AGREED.name());
        assertThat(allOutcomes(west, 0)).containsExactly(Outcome.AGREED.name());
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE + 1})
    void aRecordWithAWildTimestampIsDivertedAndChangesNothing(long wild) throws Exception {
        east.record("wild", wild);
        east.record("a", 10);
        east.watermark(500);
        east.record("wild", wild);
        assertThat(east.lateRecords()).isEqualTo(2);
        east.watermark(WINDOW);
        west.record("a", 10);
        west.watermark(WINDOW);
        exchange(3);
        assertThat(east.elements()).isEqualTo(Map.of(0L, Map.of("a", 1L)));
        assertThat(east.stateEntries()).as("nothing of the wild ones").isEqualTo(4 + 1);
    }

    @Test
    void aRecordDecadesAheadIsDivertedAndOneAnHourAheadIsNot() throws Exception {
        east.record("wild", YEARS);
        assertThat(east.lateRecords()).isEqualTo(1);
        east.record("a", HOUR);
        assertThat(east.lateRecords()).isEqualTo(1);
    }

    @Test
    void moreOpenWindowsThanAllowedDriveOutTheOnesFurthestAhead() throws Exception {
        start(new Setup(WINDOW, 1, 2, 5));
        east.start(1, settings(new Setup(WINDOW, 1, 2, 5), "east", "west", 4, false));
        for (int window = 20; window > 0; window--) {
            east.record("id", window * WINDOW);
        }
        east.record("id", 0);
        east.checkpoint();
        assertThat(east.reports())
                .hasSize(17)
                .allSatisfy(
                        report -> assertThat(report.outcome()).isEqualTo(Outcome.NO_ROOM.name()))
                .extracting(WindowReport::window)
                .doesNotContain(0L, WINDOW, 2 * WINDOW, 3 * WINDOW);
        assertThat(east.lateRecords()).isZero();
    }

    @Test
    void aPeerThatIsFarAheadTakesNoRoomFromTheWindowsThatComeNext() throws Exception {
        start(new Setup(WINDOW, 1, 2, 5));
        for (int window = 20; window >= 0; window--) {
            west.record("id", window * WINDOW);
        }
        west.watermark(30 * WINDOW);
        List<byte[]> ahead = west.checkpoint();
        java.util.Collections.reverse(ahead);
        east.receive(ahead);
        for (int window = 0; window < 3; window++) {
            east.record("id", window * WINDOW);
        }
        east.watermark(3 * WINDOW);
        east.checkpoint();
        assertThat(east.reports())
                .as("what the peer said is known")
                .extracting(WindowReport::window, WindowReport::outcome)
                .containsExactly(
                        tuple(0L, Outcome.AGREED.name()),
                        tuple(WINDOW, Outcome.AGREED.name()),
                        tuple(2 * WINDOW, Outcome.AGREED.name()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512})
    void oneKeyGroupAndManyReachTheUnion(int groups) throws Exception {
        reachTheUnion(groups);
    }

    /** Each checkpoint writes every key group of every state. */
    @Tag("long")
    @Test
    void theMostKeyGroupsThereCanBeReachTheUnion() throws Exception {
        reachTheUnion(Setup.MAX_GROUPS);
    }

    private void reachTheUnion(int groups) throws Exception {
        start(new Setup(WINDOW, groups, 2, 5));
        for (int i = 0; i < 20; i++) {
            (i % 3 == 0 ? east : west).record("id-" + i, 1);
        }
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(2);
        east.start(groups == 1 ? 1 : 3);
        exchange(4);
        assertThat(east.elements().get(0L)).hasSize(20).isEqualTo(west.elements().get(0L));
    }

    @Test
    void aTaskThatFailsHalfWayGoesOnFromItsCheckpointWithTheClockOfThen() throws Exception {
        east.record("a", 10);
        east.watermark(500);
        east.checkpoint();
        east.record("lost", 20);
        east.watermark(5 * WINDOW);
        east.failCheckpoint();
        east.start(2);
        east.record("b", 30);
        assertThat(east.lateRecords()).isZero();
        west.record("a", 10);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(5);
        assertThat(west.elements()).isEqualTo(Map.of(0L, Map.of("a", 1L, "b", 1L)));
        assertThat(east.elements()).isEqualTo(west.elements());
    }

    @Test
    void whatIsPutOutAfterARestartIsNotBehindTheWatermarkOfBefore() throws Exception {
        east.record("a", 10);
        east.watermark(9 * WINDOW);
        east.checkpoint();
        east.start(1);
        west.record("b", 10);
        west.watermark(WINDOW);
        for (int i = 0; i < 5; i++) {
            west.receive(east.checkpoint());
            east.receive(west.checkpoint());
            assertThat(east.earliestOutput()).isGreaterThan(9 * WINDOW);
            east.pass(1500);
            west.pass(1500);
        }
        east.checkpoint();
        assertThat(east.repairs()).isEqualTo(Map.of(0L, Map.of("b", 1L)));
    }
}
