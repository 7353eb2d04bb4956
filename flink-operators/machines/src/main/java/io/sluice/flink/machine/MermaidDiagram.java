/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws a machine as a state diagram of Mermaid. */
final class MermaidDiagram {

    private MermaidDiagram() {}

    static String of(MachineDefinition machine) {
        List<String> lines = new ArrayList<>(List.of("stateDiagram-v2"));
        int states = machine.states().size();
        for (int state = 0; state < states; state++) {
            lines.add("s" + state + " : " + escape(machine.states().get(state)));
        }
        lines.add("[*] --> s" + machine.initial());
        for (int from = 0; from < states; from++) {
            for (int to = 0; to < states; to++) {
                List<String> labels = labels(machine, from, to);
                if (!labels.isEmpty()) {
                    lines.add("s" + from + " --> s" + to + " : " + String.join(", ", labels));
                }
            }
            String end = "s" + from + " --> [*]";
            if (machine.isHeld(from)) {
                lines.add(end + " : " + text(machine.timeToLive(from).orElseThrow()));
            } else if (machine.isTerminal(from)) {
                lines.add(end);
            }
        }
        return String.join("\n    ", lines) + "\n";
    }

    /** Returns the events that lead from one state to another, with what they emit. */
    private static List<String> labels(MachineDefinition machine, int from, int to) {
        List<String> labels = new ArrayList<>();
        for (int event = 0; event < machine.events().size(); event++) {
            if (machine.next(from, event) == to) {
                String output = machine.output(from, event).map(its -> " / " + its).orElse("");
                labels.add(escape(machine.events().get(event) + output));
            }
        }
        return labels;
    }

    /** Returns a text without the characters that mean something to Mermaid. */
    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints()
                .forEach(
                        each -> {
                            if (Character.isLetterOrDigit(each) || " -_./".indexOf(each) >= 0) {
                                escaped.appendCodePoint(each);
                            } else {
                                escaped.append('#').append(each).append(';');
                            }
                        });
        return escaped.toString();
    }

    private static String text(Duration time) {
        String iso = time.toString().substring(2).toLowerCase(Locale.ROOT);
        return "after " + iso.replaceAll("(?<=[hms])(?=\\d)", " ");
    }
}
