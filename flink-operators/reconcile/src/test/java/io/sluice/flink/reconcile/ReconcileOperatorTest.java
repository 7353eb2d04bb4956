/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.Backends;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.element.GroupKeys;
import io.sluice.flink.reconcile.message.Setup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The operator in harnesses: what it publishes and when, what it refuses, restores, and rescaling.
 */
class ReconcileOperatorTest {

    private static final long WINDOW = 1000;
    private static final long TTL = 100_000;
    private static final int GROUPS = 8;
    private static final int IDS = 400;

    private OperatorReplica east;
    private OperatorReplica west;
    private final Map<Long, Map<String, Long>> seenEast = new TreeMap<>();
    private final Map<Long, Map<String, Long>> seenWest = new TreeMap<>();
    private final SplittableRandom random = Seeds.random();

    private static ReconcileSettings settings(String replica, DifferenceMethod method) {
        return new ReconcileSettings(
                new Setup(WINDOW, GROUPS, 2, 5),
                replica,
                replica.equals("west") ? "east" : "west",
                method,
                1e-6,
                8,
                TTL,
                0,
                1000,
                100_000,
                IDS * 2,
                2,
                100,
                3_600_000,
                false);
    }

    private static OperatorReplica replica(String name, Backends backend) {
        return new OperatorReplica(settings(name, DifferenceMethod.QUERY), backend);
    }

    @BeforeEach
    void startReplicas() throws Exception {
        east = replica("east", Backends.HASHMAP);
        west = replica("west", Backends.HASHMAP);
        east.start(1);
        west.start(1);
    }

    @AfterEach
    void closeReplicas() throws Exception {
        east.close();
        west.close();
    }

    private void records(long window) throws Exception {
        for (int i = 0; i < IDS; i++) {
            String id = "click-" + random.nextInt(2 * IDS);
            give(east, seenEast, id, window);
            give(west, seenWest, id, window);
        }
    }

    private void give(
            OperatorReplica replica, Map<Long, Map<String, Long>> seen, String id, long window)
            throws Exception {
        double fate = random.nextDouble();
        for (int copies = fate < 0.1 ? 0 : fate > 0.9 ? 2 : 1; copies > 0; copies--) {
            replica.record(id, window + random.nextLong(WINDOW));
            seen.computeIfAbsent(window, w -> new HashMap<>()).merge(id, 1L, Long::sum);
        }
    }

    private Map<Long, Map<String, Long>> union() {
        Map<Long, Map<String, Long>> union = new TreeMap<>();
        for (Map<Long, Map<String, Long>> seen : List.of(seenEast, seenWest)) {
            seen.forEach(
                    (window, elements) ->
                            elements.forEach(
                                    (id, copies) ->
                                            union.computeIfAbsent(window, w -> new HashMap<>())
                                                    .merge(id, copies, Math::max)));
        }
        return union;
    }

    /** Rounds of checkpoints, and of delivering what they publish. */
    private void exchange(int checkpoints) throws Exception {
        for (int i = 0; i < checkpoints; i++) {
            east.pass(500);
            west.pass(500);
            west.receive(east.checkpoint());
            east.receive(west.checkpoint());
        }
    }

    private void bothHaveTheUnion() {
        Map<Long, Map<String, Long>> union = union();
        assertThat(east.elements()).isEqualTo(union);
        assertThat(west.elements()).isEqualTo(union);
        for (OperatorReplica replica : List.of(east, west)) {
            assertThat(replica.reports())
                    .hasSize(GROUPS * union.size())
                    .allSatisfy(r -> assertThat(r.outcome()).isEqualTo(Outcome.AGREED.name()));
        }
        repairsComplete(seenEast, east.repairs(), union);
        repairsComplete(seenWest, west.repairs(), union);
    }

    private static void repairsComplete(
            Map<Long, Map<String, Long>> seen,
            Map<Long, Map<String, Long>> repairs,
            Map<Long, Map<String, Long>> union) {
        Map<Long, Map<String, Long>> sum = new TreeMap<>();
        seen.forEach((window, elements) -> sum.put(window, new HashMap<>(elements)));
        repairs.forEach(
                (window, elements) ->
                        elements.forEach(
                                (id, copies) -> sum.get(window).merge(id, copies, Long::sum)));
        assertThat(sum).isEqualTo(union);
    }

    @ParameterizedTest
    @EnumSource
    void bothEndWithTheUnion(DifferenceMethod method) throws Exception {
        closeReplicas();
        east = new OperatorReplica(settings("east", method), Backends.ROCKSDB);
        west = replica("west", Backends.HASHMAP);
        east.start(1);
        west.start(2);
        records(0);
        records(WINDOW);
        east.watermark(2 * WINDOW);
        west.watermark(2 * WINDOW);
        exchange(6);
        bothHaveTheUnion();
    }

    @Test
    void restartsAndRescalingOnTheWayChangeNothing() throws Exception {
        east.start(2);
        west.start(1);
        records(0);
        west.receive(east.checkpoint());
        east.start(3);
        east.watermark(WINDOW);
        records(WINDOW);
        west.watermark(2 * WINDOW);
        exchange(1);
        west.start(4);
        east.watermark(2 * WINDOW);
        exchange(1);
        east.start(1);
        exchange(2);
        west.start(2);
        exchange(10);
        bothHaveTheUnion();
    }

    @Test
    void nothingIsPublishedForAFailedCheckpoint() throws Exception {
        records(0);
        assertThat(east.checkpoint()).isEmpty();
        east.watermark(WINDOW);
        east.failCheckpoint();
        east.start(1);
        assertThat(east.checkpoint()).as("the window is open again").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void aRestartPublishesTheSameBytesAgain(Backends backend) throws Exception {
        east.close();
        east = replica("east", backend);
        east.start(1);
        records(0);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        List<byte[]> digests = east.checkpoint();
        assertThat(digests).hasSize(GROUPS);
        east.start(2);
        assertThat(east.checkpoint()).containsExactlyInAnyOrderElementsOf(digests);
        east.receive(west.checkpoint());
        List<byte[]> filters = east.checkpoint();
        east.start(3);
        assertThat(east.checkpoint()).containsExactlyInAnyOrderElementsOf(filters);
    }

    @Test
    void bytesDoNotDependOnTheStateBackendOrTheOrderOfRecords() throws Exception {
        OperatorReplica onRocksdb = replica("east", Backends.ROCKSDB);
        try {
            onRocksdb.start(1);
            west.record("only here", 1);
            west.watermark(WINDOW);
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < IDS; i++) {
                ids.add("id-" + i);
                east.record("id-" + i, 10);
            }
            for (int i = IDS - 1; i >= 0; i--) {
                onRocksdb.record(ids.get(i), 20);
            }
            for (OperatorReplica replica : List.of(east, onRocksdb)) {
                replica.watermark(WINDOW);
                assertThat(replica.checkpoint()).hasSize(GROUPS);
            }
            List<byte[]> digests = west.checkpoint();
            east.receive(digests);
            onRocksdb.receive(digests);
            List<byte[]> filters = east.checkpoint();
            assertThat(filters).isNotEmpty();
            assertThat(onRocksdb.checkpoint()).containsExactlyElementsOf(filters);
        } finally {
            onRocksdb.close();
        }
    }

    @Test
    void aPeerThatIsDownCostsOnlyTheDelay() throws Exception {
        records(0);
        east.watermark(WINDOW);
        List<byte[]> lost = east.checkpoint();
        assertThat(lost).hasSize(GROUPS);
        assertThat(east.checkpoint()).as("no retry yet").isEmpty();
        east.pass(1500);
        List<byte[]> retries = east.checkpoint();
        assertThat(retries).hasSize(GROUPS);
        assertThat(east.reports()).isEmpty();
        west.watermark(WINDOW);
        west.receive(retries);
        east.receive(west.checkpoint());
        exchange(6);
        bothHaveTheUnion();
    }

    @Test
    void aWallClockThatIsAheadForAMomentGivesNothingUp() throws Exception {
        records(0);
        east.watermark(WINDOW);
        List<byte[]> first = east.checkpoint();
        east.stepWallClock(10 * TTL);
        east.pass(1);
        assertThat(east.checkpoint()).as("it is not time to repeat anything").isEmpty();
        east.stepWallClock(0);
        assertThat(east.checkpoint()).isEmpty();
        assertThat(east.reports()).isEmpty();
        west.watermark(WINDOW);
        west.receive(first);
        east.receive(west.checkpoint());
        exchange(6);
        bothHaveTheUnion();
    }

    @Test
    void whatWaitsTooLongIsGivenUpAndForgotten() throws Exception {
        records(0);
        east.watermark(WINDOW);
        east.checkpoint();
        east.pass(TTL + 1);
        east.checkpoint();
        assertThat(east.reports())
                .hasSize(GROUPS)
                .allSatisfy(r -> assertThat(r.outcome()).isEqualTo(Outcome.TIMED_OUT.name()));
        assertThat(east.repairs()).isEmpty();
        assertThat(east.elements()).isEqualTo(seenEast);
        west.watermark(WINDOW);
        east.receive(west.checkpoint());
        assertThat(east.reports()).as("the window is over here").hasSize(GROUPS);
        west.receive(east.checkpoint());
        west.checkpoint();
        assertThat(west.reports())
                .hasSize(GROUPS)
                .allSatisfy(r -> assertThat(r.outcome()).isEqualTo(Outcome.PEER_GAVE_UP.name()));
    }

    @Test
    void timeThatTheJobIsDownDoesNotCount() throws Exception {
        records(0);
        east.watermark(WINDOW);
        east.checkpoint();
        east.close();
        east.pass(2 * TTL);
        east.start(1);
        east.checkpoint();
        assertThat(east.reports()).isEmpty();
    }

    @Test
    void theOldestWindowsGiveUpWhenTooManyElementsWait() throws Exception {
        // All of one key group: its bound is 2 * IDS elements.
        List<String> ids = new ArrayList<>();
        for (int i = 0; ids.size() < IDS; i++) {
            if (new Setup(WINDOW, GROUPS, 2, 5).groupOf(Hashing.hash("id-" + i)) == 3) {
                ids.add("id-" + i);
            }
        }
        for (int window = 0; window < 5; window++) {
            for (String id : ids) {
                east.record(id, window * WINDOW);
            }
        }
        east.watermark(5 * WINDOW);
        east.checkpoint();
        assertThat(east.reports())
                .extracting(WindowReport::window, WindowReport::outcome)
                .containsExactly(
                        tuple(0L, Outcome.NO_ROOM.name()),
                        tuple(WINDOW, Outcome.NO_ROOM.name()),
                        tuple(2 * WINDOW, Outcome.NO_ROOM.name()));
    }

    @Test
    void aReplicaThatLagsWindowsBehindCatchesUp() throws Exception {
        for (int window = 0; window < 2; window++) {
            records(window * WINDOW);
        }
        east.watermark(2 * WINDOW);
        exchange(3);
        assertThat(west.reports()).isEmpty();
        west.watermark(WINDOW);
        exchange(2);
        west.watermark(2 * WINDOW);
        east.pass(2000);
        exchange(6);
        bothHaveTheUnion();
    }

    @Test
    void lateRecordsChangeNothingAndAreCounted() throws Exception {
        records(0);
        east.watermark(WINDOW - 1);
        east.record("late", 5);
        assertThat(east.lateRecords()).isEqualTo(1);
        east.checkpoint();
        east.start(1);
        east.record("late", 5);
        assertThat(east.lateRecords()).as("after a restart, before a watermark").isEqualTo(1);
    }

    @Test
    void damagedForeignAndRepeatedMessagesChangeNothing() throws Exception {
        OperatorReplica foreign =
                new OperatorReplica(
                        new ReconcileSettings(
                                new Setup(WINDOW, GROUPS, 2, 6),
                                "other",
                                "west",
                                DifferenceMethod.QUERY,
                                1e-6,
                                8,
                                TTL,
                                0,
                                1000,
                                100_000,
                                IDS,
                                2,
                                100,
                                3_600_000,
                                false),
                        Backends.HASHMAP);
        try {
            foreign.start(1);
            foreign.record("nonsense", 1);
            records(0);
            for (OperatorReplica replica : List.of(east, west, foreign)) {
                replica.watermark(WINDOW);
            }
            List<byte[]> noise = foreign.checkpoint();
            for (int i = 0; i < 8; i++) {
                List<byte[]> toWest = east.checkpoint();
                List<byte[]> toEast = west.checkpoint();
                for (List<byte[]> messages : List.of(toWest, toEast)) {
                    for (byte[] message : List.copyOf(messages)) {
                        messages.add(message);
                        byte[] damaged = message.clone();
                        damaged[random.nextInt(damaged.length)] ^= 0x55;
                        messages.add(damaged);
                        noise.add(message);
                    }
                    messages.addAll(noise);
                }
                west.receive(toWest);
                east.receive(toEast);
            }
            bothHaveTheUnion();
        } finally {
            foreign.close();
        }
    }

    @Test
    void finishedWindowsLeaveNoElementsBehind() throws Exception {
        records(0);
        east.watermark(WINDOW);
        west.watermark(WINDOW);
        exchange(6);
        bothHaveTheUnion();
        assertThat(east.stateEntries()).as("clocks and exchanges").isEqualTo(2 * GROUPS);
        east.pass(TTL + 1);
        east.checkpoint();
        assertThat(east.stateEntries()).as("clocks").isEqualTo(GROUPS);
    }

    @Test
    void everyKeyGroupHasAKeyThatFlinkSendsThere() {
        for (int groups : new int[] {1, 2, 7, 128, 1000, Setup.MAX_GROUPS}) {
            Integer[] keys = GroupKeys.of(groups);
            for (int group = 0; group < groups; group++) {
                assertThat(KeyGroupRangeAssignment.assignToKeyGroup(keys[group], groups))
                        .isEqualTo(group);
            }
        }
    }
}
