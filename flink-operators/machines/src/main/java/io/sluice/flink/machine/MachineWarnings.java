/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Finds what may be a mistake in a definition that works. */
final class MachineWarnings {

    private MachineWarnings() {}

    static List<String> of(MachineDefinition machine) {
        List<String> warnings = new ArrayList<>();
        for (int state = 0; state < machine.states().size(); state++) {
            if (!machine.isTerminal(state) && !isLeft(machine, state)) {
                warnings.add(
                        "no transition leaves state '"
                                + machine.states().get(state)
                                + "', so its machines end only when their time-to-live is over: add"
                                + " a transition, or make the state terminal.");
            }
        }
        for (int event = 0; event < machine.events().size(); event++) {
            if (!isLegal(machine, event)) {
                warnings.add(
                        "event '"
                                + machine.events().get(event)
                                + "' has no transition, so it is illegal in every state: add one,"
                                + " unless that is meant.");
            }
        }
        if (states(machine).noneMatch(machine::isTerminal)) {
            warnings.add(
                    "no state is terminal, so no machine finishes: make the state terminal in which"
                            + " a machine is to be reported, unless outputs and time-outs say"
                            + " enough.");
        }
        return warnings;
    }

    private static boolean isLeft(MachineDefinition machine, int state) {
        return events(machine)
                .map(event -> machine.next(state, event))
                .anyMatch(next -> next != MachineDefinition.ILLEGAL && next != state);
    }

    private static boolean isLegal(MachineDefinition machine, int event) {
        return states(machine)
                .anyMatch(state -> machine.next(state, event) != MachineDefinition.ILLEGAL);
    }

    private static IntStream states(MachineDefinition machine) {
        return IntStream.range(0, machine.states().size());
    }

    private static IntStream events(MachineDefinition machine) {
        return IntStream.range(0, machine.events().size());
    }
}
