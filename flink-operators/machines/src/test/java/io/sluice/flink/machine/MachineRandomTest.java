/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.params.provider.EnumSource;

/** Random events, compared with a plain map. */
class MachineRandomTest {

    private static final int EVENTS = 8_000;

    private final Orders orders = new Orders();

    @AfterEach
    void close() {
        orders.close();
    }

    /** Options that may change at a restore. */
    private void changeWhatDoesNotMatter(SplittableRandom random) {
        WhenFull[] policies = WhenFull.values();
        orders.options.set(MachineOptions.EXPECTING, 1L << random.nextInt(8, 20));
        orders.options.set(MachineOptions.MEMORY, MemorySize.ofMebiBytes(random.nextInt(8, 500)));
        orders.options.set(MachineOptions.WHEN_FULL, policies[random.nextInt(policies.length)]);
        orders.options.set(MachineOptions.MAX_FUTURE, Duration.ofMinutes(random.nextInt(1, 500)));
        orders.options.set(MachineOptions.BITS_PER_MACHINE, 400.0 + random.nextInt(200));
    }

    private List<String> run(List<Orders.Event> events) throws Exception {
        orders.emit(Kind.TRANSITION, Kind.OUTPUT, Kind.FINISHED, Kind.ILLEGAL, Kind.TIMED_OUT);
        List<String> lines = new ArrayList<>();
        SplittableRandom random = Seeds.random();
        int[] parallelisms = {1, 3, 2, 7, 32, 1};
        int part = events.size() / parallelisms.length + 1;
        for (int i = 0; i < parallelisms.length; i++) {
            changeWhatDoesNotMatter(random);
            orders.start(parallelisms[i]);
            int from = Math.min(events.size(), i * part);
            int to = Math.min(events.size(), from + part);
            for (Orders.Event each : events.subList(from, to)) {
                lines.addAll(orders.advance(each.millis() - 1));
                lines.addAll(orders.process(each.order(), each.type(), each.millis()));
            }
            orders.stream.snapshot();
            // The failure undoes what comes after the snapshot.
            for (Orders.Event each : events.subList(to, Math.min(events.size(), to + 50))) {
                orders.process(each.order(), each.type(), each.millis());
            }
        }
        orders.start(2);
        lines.addAll(orders.advance(10_000_000));
        return lines;
    }

    @Test
    void theExactStoreReportsWhatAPlainMapDoesWhereverItFails() throws Exception {
        List<Orders.Event> events = Orders.events(Seeds.random(), EVENTS, 300);
        ExactOrders model = ExactOrders.of(events);
        assertThat(model.lines).anyMatch(line -> line.startsWith("TIMED_OUT paid"));
        assertThat(run(events)).containsExactlyInAnyOrderElementsOf(model.lines);
        assertThat(orders.stream.gaugeSum(MachineMetrics.EVENTS)).isEqualTo(EVENTS);
    }

    @ParameterizedTest
    @EnumSource(names = {"KBF", "FINGERPRINTS"})
    void filtersReportTheSameEndsUpToTheirError(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        List<Orders.Event> events = Orders.events(Seeds.random(), EVENTS, 300);
        ExactOrders model = ExactOrders.of(events);
        List<String> expected = model.linesOfEvents();
        List<String> lines = run(events);
        long timedOut = (long) model.lines.size() - expected.size();
        long lost = expected.stream().filter(line -> !lines.contains(line)).count();
        assertThat(lost).isLessThan(EVENTS / 100);
        assertThat(orders.stream.gaugeSum(MachineMetrics.TIMED_OUT))
                .isBetween(timedOut - EVENTS / 100, timedOut + EVENTS / 100);
    }
}
