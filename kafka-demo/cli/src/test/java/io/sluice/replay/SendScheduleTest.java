/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.record.PacketRecord;
import io.sluice.record.TestRecords;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SendScheduleTest {
    private static final long MILLI = 1_000_000L;

    private record Send(long id, long due, long timestampNanos, SendKind kind) {}

    private static final Faults FAULTS =
            Faults.builder()
                    .seed(TestSeed.SEED)
                    .retryShare(0.2)
                    .maxRetries(3)
                    .retryDelay(Duration.ofMillis(100), Duration.ofMillis(400))
                    .window(Duration.ofMillis(500))
                    .beyondWindowShare(0.1)
                    .dropShare(0.05)
                    .reorder(0.1, Duration.ofMillis(50))
                    .build();

    @Test
    void sendsAreThoseOfAPlainSortedList() throws IOException {
        List<PacketRecord> operations = operations(20_000);
        List<Send> expected = new ArrayList<>();
        for (PacketRecord operation : operations) {
            long id = operation.operationId();
            if (FAULTS.isDropped(id)) {
                continue;
            }
            long first = operation.timestampNanos() + FAULTS.latenessNanos(id);
            expected.add(new Send(id, first, operation.timestampNanos(), SendKind.FIRST));
            for (int i = 0; i < FAULTS.retries(id); i++) {
                long due = first + FAULTS.retryDelayNanos(id, i, FAULTS.retries(id));
                boolean last = i == FAULTS.retries(id) - 1;
                expected.add(
                        new Send(
                                id,
                                due,
                                due,
                                last && FAULTS.isLastRetryBeyondWindow(id)
                                        ? SendKind.RETRY_BEYOND_WINDOW
                                        : SendKind.RETRY));
            }
        }
        expected.sort(Comparator.comparingLong(Send::due));

        List<Send> sends = run(operations, FAULTS);

        assertThat(sends).as(TestSeed.reproduce()).hasSameSizeAs(expected);
        for (int i = 0; i < sends.size(); i++) {
            Send send = sends.get(i);
            Send wanted = expected.get(i);
            assertThat(send)
                    .as("send %d; %s", i, TestSeed.reproduce())
                    .isEqualTo(new Send(wanted.id(), 0, wanted.timestampNanos(), wanted.kind()));
        }
    }

    @Test
    void theNumberOfSendsIsKnownFromTheIdAlone() throws IOException {
        Map<Long, Integer> counts = new HashMap<>();
        for (Send send : run(operations(20_000), FAULTS)) {
            counts.merge(send.id(), 1, Integer::sum);
        }

        for (long id = 0; id < 20_000; id++) {
            assertThat(counts.getOrDefault(id, 0)).isEqualTo(FAULTS.sends(id));
        }
    }

    @Test
    void retriesComeWithinTheWindowOfTheFirstSendUnlessTheyAreMarked() throws IOException {
        Map<Long, Long> first = new HashMap<>();
        for (Send send : run(operations(20_000), FAULTS)) {
            long millis = Math.floorDiv(send.timestampNanos(), MILLI);
            if (send.kind() == SendKind.FIRST) {
                first.put(send.id(), millis);
            } else {
                long delay = millis - first.get(send.id());
                if (send.kind() == SendKind.RETRY) {
                    assertThat(delay).as(TestSeed.reproduce()).isBetween(0L, 500L);
                } else {
                    assertThat(delay).as(TestSeed.reproduce()).isBetween(1000L, 1551L);
                }
            }
        }
    }

    @Test
    void sharesAreThoseAskedFor() {
        int n = 200_000;
        int retried = 0;
        int retries = 0;
        int dropped = 0;
        int late = 0;
        int beyond = 0;
        for (long id = 0; id < n; id++) {
            retried += FAULTS.retries(id) > 0 ? 1 : 0;
            retries += FAULTS.retries(id);
            dropped += FAULTS.isDropped(id) ? 1 : 0;
            late += FAULTS.latenessNanos(id) > 0 ? 1 : 0;
            beyond += FAULTS.isLastRetryBeyondWindow(id) ? 1 : 0;
        }

        assertShare(retried, n, 0.2);
        assertShare(dropped, n, 0.05);
        assertShare(late, n, 0.1);
        assertShare(beyond, n, 0.1);
        assertThat((double) retries / retried).isBetween(1.97, 2.03);
    }

    /** Within five standard deviations of a binomial count. */
    private static void assertShare(int count, int n, double share) {
        double deviation = Math.sqrt(n * share * (1 - share));
        assertThat((double) count)
                .as(TestSeed.reproduce())
                .isBetween(n * share - 5 * deviation, n * share + 5 * deviation);
    }

    @Test
    void changingOneShareLeavesTheOtherDecisions() {
        Faults more =
                Faults.builder()
                        .seed(FAULTS.seed())
                        .retryShare(0.2)
                        .retryDelay(Duration.ofMillis(100), Duration.ofMillis(400))
                        .window(Duration.ofMillis(500))
                        .dropShare(0.5)
                        .build();

        for (long id = 0; id < 1000; id++) {
            assertThat(more.retries(id)).isEqualTo(FAULTS.retries(id));
            assertThat(!FAULTS.isDropped(id) || more.isDropped(id)).isTrue();
        }
    }

    @Test
    void memoryHoldsOnlyWhatWaits() throws IOException {
        SendSchedule schedule = new SendSchedule(FAULTS, (operation, timestamp, kind) -> {});
        for (PacketRecord operation : operations(200_000)) {
            schedule.accept(operation);
        }

        // 0.4 retries an operation, one operation a millisecond, at most 1.55 s of waiting.
        assertThat(schedule.maxWaiting()).isLessThan(1600);
        schedule.finish();
        assertThat(schedule.waiting()).isZero();
    }

    @Test
    void aCaptureThatStepsBackDoesNotSendTheFutureEarly() throws IOException {
        List<PacketRecord> operations = operations(2_000);
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        for (PacketRecord operation : operations) {
            if (random.nextInt(10) == 0) {
                operation.shiftTime(-random.nextInt(1000) * MILLI);
            }
        }
        Map<Long, Integer> sent = new HashMap<>();
        for (Send send : run(operations, FAULTS)) {
            int before = sent.merge(send.id(), 1, Integer::sum) - 1;
            assertThat(before == 0)
                    .as(TestSeed.reproduce())
                    .isEqualTo(send.kind() == SendKind.FIRST);
        }
        assertThat(sent.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(2_000);
    }

    @Test
    void optionsThatContradictEachOtherAreRefused() {
        assertThatThrownBy(() -> Faults.builder().retryShare(1.5).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retryShare must be in [0, 1], not 1.5");
        assertThatThrownBy(() -> Faults.builder().window(Duration.ofSeconds(1)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("retryDelayMaxMillis (8000)")
                .hasMessageContaining("windowMillis (1000)");
    }

    private static List<PacketRecord> operations(int count) {
        List<PacketRecord> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            operations.add(TestRecords.operation(i, 1_000_000_000_000L + i * MILLI));
        }
        return operations;
    }

    private static List<Send> run(List<PacketRecord> operations, Faults faults) throws IOException {
        List<Send> sends = new ArrayList<>();
        SendSchedule schedule =
                new SendSchedule(
                        faults,
                        (operation, timestamp, kind) ->
                                sends.add(new Send(operation.operationId(), 0, timestamp, kind)));
        for (PacketRecord operation : operations) {
            schedule.accept(operation);
        }
        schedule.finish();
        return sends;
    }
}
