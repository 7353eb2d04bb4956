/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A map from keys to states and times, by the rules in the documents. */
final class ExactOrders {

    final List<String> lines = new ArrayList<>();
    private final MachineDefinition machine = Orders.definition().build();
    private final Map<String, Integer> states = new HashMap<>();
    private final Map<String, Long> used = new HashMap<>();

    /** Returns what all events lead to, and then that nothing comes any more. */
    static ExactOrders of(List<Orders.Event> events) {
        ExactOrders exact = new ExactOrders();
        events.forEach(exact::event);
        exact.end();
        return exact;
    }

    /** Returns all lines but those of machines that timed out. */
    List<String> linesOfEvents() {
        return lines.stream().filter(line -> !line.startsWith("TIMED_OUT")).toList();
    }

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
                    "TIMED_OUT " + machine.states().get(state) + " " + over(state, used.get(key)));
        }
    }

    private void event(Orders.Event event) {
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

    private void end() {
        List.copyOf(states.keySet()).forEach(this::timeOut);
    }
}
