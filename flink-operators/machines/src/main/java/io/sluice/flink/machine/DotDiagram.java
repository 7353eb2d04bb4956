/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.util.ArrayList;
import java.util.List;

/** Draws a machine as a directed graph of Graphviz. Terminal states have two borders. */
final class DotDiagram {

    private DotDiagram() {}

    static String of(MachineDefinition machine) {
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "digraph " + quote(machine.name()) + " {",
                                "rankdir=LR;",
                                "node [shape=box, style=rounded];",
                                "begin [shape=point];",
                                "end [shape=doublecircle, label=\"\", width=0.1];"));
        for (int state = 0; state < machine.states().size(); state++) {
            String border = machine.isTerminal(state) ? ", peripheries=2" : "";
            lines.add("s" + state + label(machine.states().get(state), border));
        }
        lines.add("begin -> s" + machine.initial() + ";");
        for (DiagramArrow arrow : DiagramArrow.of(machine)) {
            String to = arrow.isEnd() ? "end" : "s" + arrow.to();
            lines.add("s" + arrow.from() + " -> " + to + label(arrow.label(), ""));
        }
        return String.join("\n    ", lines) + "\n}\n";
    }

    private static String label(String text, String others) {
        return " [label=" + quote(text) + others + "];";
    }

    /** Returns a string of the language; in a label, a backslash begins an escape. */
    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
