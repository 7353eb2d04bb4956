/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StoreKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random events, compared with a plain map. */
class MachineRandomTest {

    private static final String[] TYPES = {
        "order", "pay", "cancel", "forget", "ship", "order", "ship", "nonsense"
    };
    private static final int EVENTS = 8_000;

    private final Orders orders = new Orders();
    private final MachineDefinition machine = orders.machine;

    @AfterEach
    void close() {
        orders.close();
    }

    /** A map from keys to states and times, by the rules in the documents. */
    private final class Model {
        private final Map<String, Integer> states = new HashMap<>();
        private final Map<String, Long> used = new HashMap<>();
        private final List<String> lines = new ArrayList<>();

        private boolean isTimed(String key, long millis) {
            Integer state = states.get(key);
            return state != null && millis >= over(state, used.get(key));
        }

        private long over(int state, long last) {
            long slice = machine.timeToLive(state).orElseThrow().toMillis();
            return (Math.floorDiv(last, slice) + 2) * slice;
        }

        private void timeOut(String key) {
            int state = states.remove(key);
            if (!machine.isTerminal(state)) {
                lines.add(
                        "TIMED_OUT "
                                + machine.states().get(state)
                                + " "
                                + over(state, used.get(key)));
            }
        }

        void event(Orders.Event event) {
            String key = event.order();
            if (isTimed(key, event.millis())) {
                timeOut(key);
            }
            int from = states.getOrDefault(key, machine.initial());
            int number = machine.event(event.type());
            int to = number < 0 ? MachineDefinition.ILLEGAL : machine.next(from, number);
            String line = key + " " + machine.states().get(from) + " " + event.type() + " ";
            if (to == MachineDefinition.ILLEGAL) {
                lines.add("ILLEGAL " + line + machine.states().get(from) + " " + event.millis());
                return;
            }
            String output = machine.output(from, number).map(its -> " " + its).orElse("");
            String kind =
                    machine.isTerminal(to) && !machine.isTerminal(from)
                            ? "FINISHED "
                            : output.isEmpty() ? "TRANSITION " : "OUTPUT ";
            lines.add(kind + line + machine.states().get(to) + output + " " + event.millis());
            boolean trails = from == to && machine.isTerminal(to);
            if (machine.isHeld(to)) {
                states.put(key, to);
                if (!trails) {
                    used.put(key, event.millis());
                }
            } else {
                states.remove(key);
            }
        }

        void end() {
            List.copyOf(states.keySet()).forEach(this::timeOut);
        }
    }

    private static List<Orders.Event> events(SplittableRandom random) {
        List<Orders.Event> events = new ArrayList<>();
        long millis = 0;
        for (int i = 0; i < EVENTS; i++) {
            millis += random.nextInt(40);
            events.add(
                    new Orders.Event(
                            "order " + random.nextInt(300),
                            TYPES[random.nextInt(TYPES.length)],
                            millis));
        }
        return events;
    }

    private List<String> run(List<Orders.Event> events) throws Exception {
        orders.emit(Kind.TRANSITION, Kind.OUTPUT, Kind.FINISHED, Kind.ILLEGAL, Kind.TIMED_OUT);
        List<String> lines = new ArrayList<>();
        int[] parallelisms = {1, 3, 2, 7, 32, 1};
        int part = events.size() / parallelisms.length + 1;
        for (int i = 0; i < parallelisms.length; i++) {
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
        List<Orders.Event> events = events(Seeds.random());
        Model model = new Model();
        events.forEach(model::event);
        model.end();
        assertThat(model.lines).anyMatch(line -> line.startsWith("TIMED_OUT paid"));
        assertThat(run(events)).containsExactlyInAnyOrderElementsOf(model.lines);
        assertThat(orders.stream.gaugeSum(MachineMetrics.EVENTS)).isEqualTo(EVENTS);
    }

    @ParameterizedTest
    @EnumSource(names = {"KBF", "FINGERPRINTS"})
    void filtersReportTheSameEndsUpToTheirError(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.options.set(MachineOptions.BITS_PER_MACHINE, 400.0);
        List<Orders.Event> events = events(Seeds.random());
        Model model = new Model();
        events.forEach(model::event);
        model.end();
        List<String> expected = new ArrayList<>(model.lines);
        expected.removeIf(line -> line.startsWith("TIMED_OUT"));
        List<String> lines = run(events);
        long timedOut = (long) model.lines.size() - expected.size();
        long lost = expected.stream().filter(line -> !lines.contains(line)).count();
        assertThat(lost).isLessThan(EVENTS / 100);
        assertThat(orders.stream.gaugeSum(MachineMetrics.TIMED_OUT))
                .isBetween(timedOut - EVENTS / 100, timedOut + EVENTS / 100);
    }
}
