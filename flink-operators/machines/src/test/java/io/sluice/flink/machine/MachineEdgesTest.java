/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Backlogs, wild times, full memory and extreme parallelisms. */
class MachineEdgesTest {

    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long YEAR = Duration.ofDays(365).toMillis();
    private static final long NOW = 56 * YEAR;

    private Orders orders = new Orders();

    @AfterEach
    void close() {
        orders.close();
    }

    /** All kinds, and stores that do not err with so few machines. */
    private void useAll(StoreKind store) {
        orders.options.set(MachineOptions.STORE, store);
        orders.options.set(MachineOptions.ERROR_PROBABILITY, 1e-9);
        orders.emit(
                Kind.TRANSITION,
                Kind.OUTPUT,
                Kind.FINISHED,
                Kind.ILLEGAL,
                Kind.AMBIGUOUS,
                Kind.TIMED_OUT);
    }

    private static void assertIs(StoreKind store, List<String> lines, ExactOrders exact) {
        assertThat(lines)
                .containsExactlyInAnyOrderElementsOf(
                        store == StoreKind.EXACT ? exact.lines : exact.linesOfEvents());
    }

    private static List<Orders.Event> shifted(List<Orders.Event> events, String prefix, long by) {
        return events.stream()
                .map(
                        each ->
                                new Orders.Event(
                                        prefix + each.order(), each.type(), each.millis() + by))
                .toList();
    }

    /**
     * The watermark is that of the partition furthest behind, or does not come before the end.
     * Before the first one, fingerprints may time out later than by their own times.
     */
    @ParameterizedTest
    @CsvSource({"EXACT, true", "EXACT, false", "KBF, true", "KBF, false", "FINGERPRINTS, true"})
    void partitionsThatAreReadHoursApartAreFollowedByTheirOwnTimes(
            StoreKind store, boolean hasWatermarks) throws Exception {
        SplittableRandom random = Seeds.random();
        List<Orders.Event> behind = shifted(Orders.events(random, 3_000, 60), "a", NOW);
        List<Orders.Event> ahead = shifted(Orders.events(random, 3_000, 60), "b", NOW + 4 * HOUR);
        List<Orders.Event> arrived = new ArrayList<>();
        useAll(store);
        orders.options.set(MachineOptions.MAX_FUTURE, Duration.ofHours(5));
        orders.start(3);
        List<String> lines = new ArrayList<>();
        if (hasWatermarks) {
            lines.addAll(orders.advance(NOW - 1));
        }
        int a = 0;
        int b = 0;
        while (a < behind.size() || b < ahead.size()) {
            boolean isBehind = b == ahead.size() || (a < behind.size() && random.nextInt(3) == 0);
            Orders.Event next = isBehind ? behind.get(a++) : ahead.get(b++);
            arrived.add(next);
            lines.addAll(orders.process(next.order(), next.type(), next.millis()));
            if (hasWatermarks && a < behind.size()) {
                lines.addAll(orders.advance(behind.get(a).millis() - 1));
            }
        }
        lines.addAll(orders.advance(NOW + 12 * HOUR));
        assertIs(store, lines, ExactOrders.of(arrived));
        assertThat(orders.stream.counter(FollowingMetrics.LATE)).isZero();
        assertThat(orders.stream.counter(FollowingMetrics.FUTURE)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aKeyGroupWhoseFirstEventIsFarAheadOfTheWatermarkStillTellsTimesBehindItApart(
            StoreKind store) throws Exception {
        orders = new Orders(1);
        useAll(store);
        orders.start(1);
        orders.advance(NOW);
        orders.process("ahead", "order", NOW + HOUR / 2);
        orders.process("a", "order", NOW + 1);
        assertThat(orders.process("a", "cancel", NOW + 30_000))
                .endsWith("ILLEGAL a none cancel none " + (NOW + 30_000));
    }

    @Test
    void aWatermarkThatDoesNotComeIsShown() throws Exception {
        orders.start(1);
        for (int minute = 0; minute < 60; minute++) {
            orders.stream.processingTime(minute * 60_000L);
            orders.process("a", "order", NOW + minute);
        }
        assertThat(orders.stream.gaugeSum(FollowingMetrics.WATERMARK_STALLED)).isPositive();
        assertThat(orders.stream.counter(FollowingMetrics.LATE)).isZero();
        orders.advance(NOW);
        assertThat(orders.stream.gaugeSum(FollowingMetrics.WATERMARK_STALLED)).isZero();
    }

    /** The wild event is of a machine of its own, before the first watermark or in the middle. */
    @ParameterizedTest
    @CsvSource({
        "EXACT, 0",
        "EXACT, 700",
        "FINGERPRINTS, 0",
        "FINGERPRINTS, 700",
        "KBF, 0",
        "KBF, 700"
    })
    void oneEventYearsAheadChangesNothingForTheOthersAlsoAfterARestore(StoreKind store, int at)
            throws Exception {
        List<Orders.Event> events = shifted(Orders.events(Seeds.random(), 2_000, 60), "", NOW);
        useAll(store);
        orders.start(2);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (i == at) {
                assertThat(orders.process("wild", "order", NOW + 20 * YEAR)).hasSize(1);
                assertThat(orders.stream.counter(FollowingMetrics.FUTURE))
                        .isEqualTo(at == 0 ? 0 : 1);
            }
            if (i == 1_000) {
                orders.stream.snapshot();
                orders.start(3);
            }
            Orders.Event next = events.get(i);
            lines.addAll(orders.advance(next.millis() - 1));
            lines.addAll(orders.process(next.order(), next.type(), next.millis()));
        }
        long end = events.get(events.size() - 1).millis();
        lines.addAll(orders.advance(end + 60_000));
        assertIs(store, lines, ExactOrders.of(events));
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isEqualTo(1);
        // Held as if at the bound, an hour ahead of a watermark.
        assertThat(orders.advance(end + 2 * HOUR)).hasSize(store == StoreKind.EXACT ? 1 : 0);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void theNextRightWatermarkBringsEverythingBack(StoreKind store) throws Exception {
        useAll(store);
        orders.start(1);
        orders.advance(NOW);
        orders.process("a", "order", NOW + 1_000);
        // The watermark jumps, and every right event is late from here on.
        orders.advance(NOW + 12 * YEAR);
        assertThat(orders.process("a", "cancel", NOW + 2_000))
                .containsExactly("ILLEGAL a none cancel none " + (NOW + 2_000));
        for (int i = 0; i < 50; i++) {
            orders.process("order " + i, "order", NOW + 2_000);
            assertThat(orders.process("order " + i, "cancel", NOW + 3_000)).hasSize(1);
            orders.process("open " + i, "order", NOW + 3_000);
        }
        assertThat(orders.stream.counter(FollowingMetrics.LATE)).isEqualTo(151);
        orders.stream.snapshot();
        orders.start(1);
        orders.advance(NOW + 4_000);
        for (int i = 0; i < 50; i++) {
            assertThat(orders.process("open " + i, "pay", NOW + 5_000)).hasSize(1);
        }
        assertThat(orders.stream.counter(FollowingMetrics.LATE)).isZero();
        orders.advance(NOW + 2 * HOUR);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isZero();
    }

    /** Far more orders than fit are idle, then time out. */
    @ParameterizedTest
    @CsvSource({
        "EXACT, IGNORE",
        "EXACT, EVICT",
        "FINGERPRINTS, IGNORE",
        "FINGERPRINTS, EVICT",
        "KBF, IGNORE",
        "KBF, EVICT"
    })
    void atTheCapThePolicyDecidesAndCalmBringsEverythingBack(StoreKind store, WhenFull policy)
            throws Exception {
        int flood = 400_000;
        orders.options.set(MachineOptions.STORE, store);
        orders.options.set(MachineOptions.MEMORY, MemorySize.ofMebiBytes(1));
        orders.options.set(MachineOptions.WHEN_FULL, policy);
        orders.emit(Kind.FIRST).start(1);
        orders.advance(0);
        long first = 0;
        for (int i = 0; i < flood; i++) {
            first += orders.process("order " + i, "order", i / 100).size();
        }
        long without = orders.stream.gaugeSum(MachineMetrics.WITHOUT_ROOM);
        long evicted = orders.stream.gaugeSum(FollowingMetrics.EVICTED);
        assertThat(policy == WhenFull.EVICT ? evicted : without).isPositive();
        assertThat(policy == WhenFull.EVICT ? without : evicted).isZero();
        long began = orders.stream.gaugeSum(MachineMetrics.BEGAN);
        assertThat(first).isEqualTo(began);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES))
                .isEqualTo(began - orders.stream.gaugeSum(MachineMetrics.TIMED_OUT));
        // The exact sample has a part of its own.
        assertThat(orders.stream.gaugeSum(MachineMetrics.BYTES))
                .isLessThanOrEqualTo((1 << 20) + (store == StoreKind.EXACT ? 0 : 1 << 16));
        orders.advance(100_000);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isZero();
        for (int i = 0; i < 100; i++) {
            assertThat(orders.process("calm " + i, "order", 100_001)).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void underFailTheJobFailsAndTheLastCheckpointRestoresWithMoreMemory(StoreKind store)
            throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.options.set(MachineOptions.MEMORY, MemorySize.ofMebiBytes(1));
        orders.options.set(MachineOptions.WHEN_FULL, WhenFull.FAIL);
        orders.start(1);
        orders.process("a", "order", 1);
        orders.stream.snapshot();
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 1_000_000; i++) {
                                orders.process("order " + i, "order", 1);
                            }
                        })
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("allow more memory");
        orders.options.set(MachineOptions.MEMORY, MemorySize.ofMebiBytes(16));
        orders.start(1);
        assertThat(orders.process("a", "cancel", 2)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32_768})
    void theMaximumParallelismIsAnyThatFlinkTakes(int maxParallelism) throws Exception {
        for (StoreKind store : StoreKind.values()) {
            orders.close();
            orders = new Orders(maxParallelism);
            useAll(store);
            List<Orders.Event> events = Orders.events(Seeds.random(), 1_500, 60);
            List<String> lines = new ArrayList<>();
            int part = events.size() / 3;
            for (int i = 0; i < 3; i++) {
                orders.start(Math.min(maxParallelism, i + 1));
                for (Orders.Event each : events.subList(i * part, (i + 1) * part)) {
                    lines.addAll(orders.process(each.order(), each.type(), each.millis()));
                }
                lines.addAll(orders.advance(events.get((i + 1) * part - 1).millis() - 1));
                orders.stream.snapshot();
            }
            orders.start(1);
            lines.addAll(orders.advance(HOUR));
            assertIs(store, lines, ExactOrders.of(events));
        }
    }

    @Test
    void aKeyThatIsNullFailsTheJobAndTheMessageSaysWhatToDo() throws Exception {
        orders.start(1);
        assertThatThrownBy(() -> orders.process(null, "order", 1))
                .hasMessageContaining("must not be null: filter such records before");
    }
}
