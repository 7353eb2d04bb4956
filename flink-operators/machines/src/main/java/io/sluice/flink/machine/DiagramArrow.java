/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * An arrow of a diagram: all events that lead from one state to another, or the end of a machine.
 *
 * @param to {@link #END} where the machine ends
 * @param label the events and what they emit, or when the machine ends; may be empty
 */
record DiagramArrow(int from, int to, String label) {

    /** {@link #to}: the machine ends. */
    static final int END = -1;

    /** Returns the arrows of a machine, those of each state together. */
    static List<DiagramArrow> of(MachineDefinition machine) {
        List<DiagramArrow> arrows = new ArrayList<>();
        for (int from = 0; from < machine.states().size(); from++) {
            for (Map.Entry<Integer, String> next : labels(machine, from).entrySet()) {
                arrows.add(new DiagramArrow(from, next.getKey(), next.getValue()));
            }
            if (machine.isHeld(from)) {
                Duration time = machine.timeToLive(from).orElseThrow();
                arrows.add(new DiagramArrow(from, END, "after " + text(time)));
            } else if (machine.isTerminal(from)) {
                arrows.add(new DiagramArrow(from, END, ""));
            }
        }
        return arrows;
    }

    boolean isEnd() {
        return to == END;
    }

    /** Returns, by the state that they lead to, the events of a state with what they emit. */
    private static Map<Integer, String> labels(MachineDefinition machine, int from) {
        Map<Integer, StringJoiner> labels = new TreeMap<>();
        for (int event = 0; event < machine.events().size(); event++) {
            int to = machine.next(from, event);
            if (to != MachineDefinition.ILLEGAL) {
                String output = machine.output(from, event).map(its -> " / " + its).orElse("");
                labels.computeIfAbsent(to, absent -> new StringJoiner(", "))
                        .add(machine.events().get(event) + output);
            }
        }
        Map<Integer, String> texts = new TreeMap<>();
        labels.forEach((to, label) -> texts.put(to, label.toString()));
        return texts;
    }

    private static String text(Duration time) {
        String iso = time.toString().substring(2).toLowerCase(Locale.ROOT);
        return iso.replaceAll("(?<=[hms])(?=\\d)", " ");
    }
}
