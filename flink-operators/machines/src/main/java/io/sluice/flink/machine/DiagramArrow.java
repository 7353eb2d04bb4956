/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
            for (int to = 0; to < machine.states().size(); to++) {
                String label = label(machine, from, to);
                if (!label.isEmpty()) {
                    arrows.add(new DiagramArrow(from, to, label));
                }
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

    /** Returns the events that lead from one state to another, with what they emit. */
    private static String label(MachineDefinition machine, int from, int to) {
        List<String> labels = new ArrayList<>();
        for (int event = 0; event < machine.events().size(); event++) {
            if (machine.next(from, event) == to) {
                String output = machine.output(from, event).map(its -> " / " + its).orElse("");
                labels.add(machine.events().get(event) + output);
            }
        }
        return String.join(", ", labels);
    }

    private static String text(Duration time) {
        String iso = time.toString().substring(2).toLowerCase(Locale.ROOT);
        return iso.replaceAll("(?<=[hms])(?=\\d)", " ");
    }
}
