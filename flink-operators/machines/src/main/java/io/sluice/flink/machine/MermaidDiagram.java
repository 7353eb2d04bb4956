/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.util.ArrayList;
import java.util.List;

/** Draws a machine as a state diagram of Mermaid. */
final class MermaidDiagram {

    private MermaidDiagram() {}

    static String of(MachineDefinition machine) {
        List<String> lines = new ArrayList<>(List.of("stateDiagram-v2"));
        for (int state = 0; state < machine.states().size(); state++) {
            lines.add("s" + state + " : " + escape(machine.states().get(state)));
        }
        lines.add("[*] --> s" + machine.initial());
        for (DiagramArrow arrow : DiagramArrow.of(machine)) {
            String from = "s" + arrow.from() + " --> ";
            lines.add(
                    arrow.isEnd()
                            ? from + "[*]" + label(arrow.label())
                            : from + "s" + arrow.to() + label(escape(arrow.label())));
        }
        return String.join("\n    ", lines) + "\n";
    }

    private static String label(String text) {
        return text.isEmpty() ? "" : " : " + text;
    }

    /** Returns a text without the characters that mean something to Mermaid. */
    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints()
                .forEach(
                        each -> {
                            if (Character.isLetterOrDigit(each) || " -_./,".indexOf(each) >= 0) {
                                escaped.appendCodePoint(each);
                            } else {
                                escaped.append('#').append(each).append(';');
                            }
                        });
        return escaped.toString();
    }
}
