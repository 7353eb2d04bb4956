/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.SharedSlots;
import io.sluice.filter.hash.Unmixed;
import io.sluice.flink.flow.ConnectionMachine;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.FlowTracker;
import io.sluice.flink.flow.IdleClass;
import io.sluice.flink.flow.TcpFlags;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Small tables, in which runs of slots often wrap around the end, compared with a map. */
class ExactStoreTest {

    private static final FlowTimeouts TIMEOUTS =
            new FlowTimeouts(
                    Duration.ofMillis(100), Duration.ofMillis(400), Duration.ofMillis(50), 2);

    private static FlowTracker tracker(StoreMemory memory, Set<Long> gone) {
        return tracker(new ExactStore(TIMEOUTS.states(), memory), gone);
    }

    private static FlowTracker tracker(ExactStore store, Set<Long> gone) {
        return new FlowTracker(
                new ConnectionMachine(true),
                store,
                new FlowCounts(),
                (flow, state, millis, totals) -> assertThat(gone.add(flow)).isTrue());
    }

    private static long over(long millis) {
        long slice = TIMEOUTS.sliceMillis(IdleClass.OPENING);
        return (Math.floorDiv(millis, slice) + TIMEOUTS.slices() + 1) * slice;
    }

    @Test
    void everyFlowThatHasTimedOutIsLetGoAlsoWhereARunOfSlotsGoesRoundTheEnd() {
        SplittableRandom random = new SplittableRandom(1);
        for (int history = 0; history < 20_000; history++) {
            Set<Long> gone = new HashSet<>();
            FlowTracker tracker = tracker(StoreMemory.unlimited(), gone);
            Map<Long, Long> last = new HashMap<>();
            for (int i = 0; i < 12; i++) {
                long flow = random.nextLong();
                long millis = random.nextLong(300);
                last.put(flow, millis);
                tracker.follow(flow, true, TcpFlags.SYN, millis);
            }
            Set<Long> expected = new HashSet<>();
            for (long watermark = 50; watermark <= 600; watermark += 50) {
                tracker.advance(watermark);
                long now = watermark;
                last.forEach(
                        (flow, millis) -> {
                            if (over(millis) <= now) {
                                expected.add(flow);
                            }
                        });
                assertThat(gone).as("history %s at %s", history, now).isEqualTo(expected);
            }
            assertThat(tracker.store().machines()).isZero();
        }
    }

    @Test
    void aPacketOfLongAgoMovesNoTimeOfTheOnlyOtherFlow() {
        long year = Duration.ofDays(365).toMillis();
        for (int years = 1; years <= 50; years++) {
            for (boolean isOldFirst : new boolean[] {true, false}) {
                Map<Long, Long> over = new HashMap<>();
                FlowTracker tracker =
                        new FlowTracker(
                                new ConnectionMachine(true),
                                new ExactStore(TIMEOUTS.states(), StoreMemory.unlimited()),
                                new FlowCounts(),
                                (flow, state, millis, totals) -> over.put(flow, millis));
                long now = 60 * year;
                if (isOldFirst) {
                    tracker.follow(1, true, TcpFlags.SYN, now - years * year);
                }
                tracker.follow(2, true, TcpFlags.SYN, now);
                if (!isOldFirst) {
                    tracker.follow(1, true, TcpFlags.SYN, now - years * year);
                }
                tracker.advance(now + 1, now + year);
                assertThat(over).as("%s years ago", years).doesNotContainKey(2L);
                tracker.advance(over(now), now + year);
                assertThat(over).as("%s years ago", years).containsEntry(2L, over(now));
            }
        }
    }

    @Test
    void anEvictionLosesNoFlowWithoutAWordAndTakesTheOldestHandshakes() {
        SplittableRandom random = new SplittableRandom(2);
        for (int history = 0; history < 2_000; history++) {
            Set<Long> gone = new HashSet<>();
            StoreMemory memory = new StoreMemory(1, WhenFull.EVICT);
            FlowTracker tracker = tracker(memory, gone);
            List<Long> begun = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                long flow = random.nextLong();
                begun.add(flow);
                assertThat(tracker.follow(flow, true, TcpFlags.SYN, 2L * i)).isNotNegative();
                // 14 of 16 slots; for each new flow the oldest goes.
                assertThat(gone)
                        .containsExactlyInAnyOrderElementsOf(begun.subList(0, Math.max(0, i - 13)));
            }
            assertThat(tracker.store().machines()).isEqualTo(14);
            assertThat(memory.evicted()).isEqualTo(gone.size());
        }
    }

    /** What users see of a run on a capture: who timed out, who had to go, and who was left. */
    @Test
    void equalPacketsHaveEqualResultsInEqualOrder() {
        assertThat(results(3, 100_000)).isEqualTo(results(3, 100_000)).isNotEqualTo(results(4, 1));
    }

    private static List<Long> results(long seed, int packets) {
        SplittableRandom random = new SplittableRandom(seed);
        StoreMemory memory = new StoreMemory(1 << 14, WhenFull.EVICT);
        List<Long> gone = new ArrayList<>();
        FlowTracker tracker =
                new FlowTracker(
                        new ConnectionMachine(true),
                        new ExactStore(TIMEOUTS.states(), memory),
                        new FlowCounts(),
                        (flow, state, millis, totals) -> gone.add(flow));
        for (int i = 0; i < packets; i++) {
            // Ten packets a millisecond, of about as many flows as there is room for.
            long flow = Hashing.mix(random.nextInt(2_000));
            tracker.follow(flow, true, TcpFlags.SYN, i / 10);
            if (i % 1_000 == 0) {
                tracker.advance(i / 10 - 20);
            }
        }
        tracker.forEachOpen((flow, state, millis, totals) -> gone.add(flow), (state, count) -> {});
        assertThat(memory.evicted() > 0).isEqualTo(packets > 1);
        return gone;
    }

    /** A full table of honest flows keeps its order, too, however long it is used. */
    @Test
    void chanceTakesNothingForAnAttack() {
        SplittableRandom random = new SplittableRandom(5);
        StoreMemory memory = memory(1 << 16);
        ExactStore store = new ExactStore(TIMEOUTS.states(), memory);
        FlowTracker tracker = tracker(store, new HashSet<>());
        for (int i = 0; i < 2_000_000; i++) {
            tracker.follow(random.nextLong(), true, TcpFlags.SYN, i / 1_000);
        }
        assertThat(memory.evicted()).isGreaterThan(1_000_000);
        assertThat(store.hasSecret()).isFalse();
    }

    /** So a flow that goes must not leave its neighbours more crowded than the others. */
    @ParameterizedTest
    @CsvSource({"11, 0", "11, 1000", "14, 0", "14, 1000", "16, 0", "16, 100000"})
    void norFlowsOfOneTimeThatMakeRoomForEachOther(int slotBits, int perMilli) {
        SplittableRandom random = new SplittableRandom(6);
        StoreMemory memory = memory(1 << slotBits);
        ExactStore store = new ExactStore(TIMEOUTS.states(), memory);
        FlowTracker tracker = tracker(store, new HashSet<>());
        int flows = 20 << slotBits;
        for (int i = 0; i < flows; i++) {
            long millis = perMilli == 0 ? 0 : i / perMilli;
            tracker.follow(random.nextLong(), true, TcpFlags.SYN, millis);
        }
        assertThat(memory.evicted()).isEqualTo(flows - store.machines());
        assertThat(store.machines()).isGreaterThan((1 << slotBits) * 3 / 4);
        assertThat(store.hasSecret()).isFalse();
    }

    /** Whoever sends packets can choose addresses until the hashes share a slot. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void flowsWhoseHashesWereChosenToShareASlotAreFollowedAtOnce() {
        Set<Long> gone = new HashSet<>();
        ExactStore store = new ExactStore(TIMEOUTS.states(), StoreMemory.unlimited());
        FlowTracker tracker = tracker(store, gone);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 400_000; i++) {
                tracker.follow(Unmixed.hash((long) i << 32), true, TcpFlags.SYN, round);
            }
            assertThat(store.machines()).isEqualTo(400_000);
        }
        assertThat(store.hasSecret()).isTrue();
        tracker.advance(over(1));
        assertThat(gone).hasSize(400_000);
        assertThat(store.machines()).isZero();
    }

    /** No search is long then, but removing one of the first passes all that follow it. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void flowsWhoseHashesWereChosenToFollowEachOtherAreFoundToHaveTimedOutAtOnce() {
        Set<Long> gone = new HashSet<>();
        ExactStore store = new ExactStore(TIMEOUTS.states(), StoreMemory.unlimited());
        FlowTracker tracker = tracker(store, gone);
        followEachOther(tracker, 400_000, 0);
        assertThat(store.hasSecret()).isFalse();
        Lookup flow = new Lookup();
        for (int i = 0; i < 200_000; i++) {
            assertThat(store.find(Unmixed.hash(i), over(0), flow, new Noted(gone)))
                    .isEqualTo(StateStore.ABSENT);
        }
        assertThat(store.hasSecret()).isTrue();
        assertThat(gone).hasSize(200_000);
        assertThat(store.machines()).isEqualTo(200_000);
    }

    /** Each is a little way from where it belongs: all that follow a removed one move up. */
    @Test
    void flowsThatWouldAllMoveUpAreLetGoFromAnotherOrder() {
        Set<Long> gone = new HashSet<>();
        ExactStore store = new ExactStore(TIMEOUTS.states(), StoreMemory.unlimited());
        FlowTracker tracker = tracker(store, gone);
        shareTheFirstSlot(tracker, 500);
        followEachOther(tracker, 100_000, 90);
        assertThat(store.hasSecret()).isFalse();
        tracker.advance(over(0));
        assertThat(store.hasSecret()).isTrue();
        assertThat(gone).hasSize(500);
        tracker.advance(over(90));
        assertThat(gone).hasSize(100_500);
    }

    @Test
    void flowsThatWouldAllMoveUpMakeRoomFromAnotherOrder() {
        Set<Long> gone = new HashSet<>();
        int slots = 1 << 17;
        int most = slots / 8 * 7;
        StoreMemory memory = memory(slots);
        ExactStore store = new ExactStore(TIMEOUTS.states(), memory);
        FlowTracker tracker = tracker(store, gone);
        shareTheFirstSlot(tracker, 500);
        followEachOther(tracker, most - 500, 90);
        assertThat(store.hasSecret()).isFalse();
        assertThat(gone).isEmpty();
        tracker.follow(-1, true, TcpFlags.SYN, 90);
        assertThat(store.hasSecret()).isTrue();
        int evicted = most / 16;
        assertThat(gone).hasSize(evicted);
        for (int i = 1; i <= 500; i++) {
            assertThat(gone).contains(Unmixed.hash((long) i << 32));
        }
        assertThat(store.machines()).isEqualTo(most - evicted + 1);
        assertThat(memory.evicted()).isEqualTo(evicted);
    }

    /** They are far apart in a large table, and share a slot in a small one. */
    @Test
    void flowsThatCrowdInATableThatShrinksAreSpreadInIt() {
        Set<Long> gone = new HashSet<>();
        ExactStore store = new ExactStore(TIMEOUTS.states(), StoreMemory.unlimited());
        FlowTracker tracker = tracker(store, gone);
        int flows = 3_000;
        for (int i = 0; i < 1_000_000; i++) {
            tracker.follow(Hashing.mix(i), true, TcpFlags.SYN, 0);
        }
        for (long i = 0; i < flows; i++) {
            tracker.follow(Unmixed.hash(i << 14), true, TcpFlags.SYN, 90);
        }
        assertThat(store.hasSecret()).isFalse();
        tracker.advance(over(0));
        assertThat(gone).hasSize(1_000_000);
        assertThat(store.hasSecret()).isTrue();
        assertThat(store.machines()).isEqualTo(flows);
        tracker.advance(over(90));
        assertThat(gone).hasSize(1_000_000 + flows);
    }

    private static void shareTheFirstSlot(FlowTracker tracker, int flows) {
        for (int i = 1; i <= flows; i++) {
            tracker.follow(Unmixed.hash((long) i << 32), true, TcpFlags.SYN, 0);
        }
    }

    private static void followEachOther(FlowTracker tracker, int flows, long millis) {
        for (int i = 0; i < flows; i++) {
            tracker.follow(Unmixed.hash(i), true, TcpFlags.SYN, millis);
        }
    }

    private static StoreMemory memory(int slots) {
        return new StoreMemory((long) slots * ExactStore.SLOT_BYTES, WhenFull.EVICT);
    }

    private record Noted(Set<Long> gone) implements ExpiryListener {
        @Override
        public void expired(long hash, int state, long millis) {
            assertThat(gone.add(hash)).isTrue();
        }

        @Override
        public void expired(int state, long count) {
            throw new AssertionError("this store knows each flow");
        }
    }

    /** A checkpoint can name any hashes; these took time in proportion to the square of them. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void storedFlowsThatSharedASlotAreReadAtOnce() throws IOException {
        int count = 400_000;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer slots = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(1 << 20);
        FilterWriter writer =
                new FilterWriter(
                        out,
                        ExactFormat.KIND,
                        ExactFormat.VERSION_2,
                        slots.flip(),
                        2L * Long.BYTES * count);
        for (int i = 0; i < count; i++) {
            long hash = SharedSlots.hash(i, 0x9E3779B97F4A7C15L);
            writer.words(new long[] {hash, 0}, 0, 2);
        }
        writer.finish();
        ExactStore read =
                ExactStore.readFrom(
                        new ByteArrayInputStream(out.toByteArray()),
                        "hostile",
                        TIMEOUTS.states(),
                        StoreMemory.unlimited());
        assertThat(read.machines()).isEqualTo(count);
    }
}
