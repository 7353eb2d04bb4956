/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.hash.SharedSlots;
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

/** Small tables, in which runs of slots often wrap around the end, compared with a map. */
class ExactFlowStoreTest {

    private static final FlowTimeouts TIMEOUTS =
            new FlowTimeouts(
                    Duration.ofMillis(100), Duration.ofMillis(400), Duration.ofMillis(50), 2);

    private static FlowTracker tracker(FlowMemory memory, Set<Long> gone) {
        return new FlowTracker(
                new ConnectionMachine(true),
                new ExactFlowStore(TIMEOUTS, memory),
                new FlowCounts(),
                (flow, state, millis) -> assertThat(gone.add(flow)).isTrue());
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
            FlowTracker tracker = tracker(FlowMemory.unlimited(), gone);
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
            assertThat(tracker.store().flows()).isZero();
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
                                new ExactFlowStore(TIMEOUTS, FlowMemory.unlimited()),
                                new FlowCounts(),
                                (flow, state, millis) -> over.put(flow, millis));
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
            FlowMemory memory = new FlowMemory(1, WhenFull.EVICT);
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
            assertThat(tracker.store().flows()).isEqualTo(14);
            assertThat(memory.evicted()).isEqualTo(gone.size());
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
                        ExactFlowFormat.KIND,
                        ExactFlowFormat.VERSION_2,
                        slots.flip(),
                        2L * Long.BYTES * count);
        for (int i = 0; i < count; i++) {
            long hash = SharedSlots.hash(i, 0x9E3779B97F4A7C15L);
            writer.words(new long[] {hash, FlowStates.SYN}, 0, 2);
        }
        writer.finish();
        ExactFlowStore read =
                ExactFlowStore.readFrom(
                        new ByteArrayInputStream(out.toByteArray()),
                        "hostile",
                        TIMEOUTS,
                        FlowMemory.unlimited());
        assertThat(read.flows()).isEqualTo(count);
    }
}
