/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.machine.MachineDefinition;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Function;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice machine check}. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Reads the file of a state machine, in YAML or JSON, and prints its states, events"
                        + " and transitions, what may be a mistake, and how much memory its"
                        + " machines take. Exit code 1 if it is not a machine, with the line and"
                        + " the fix, or if the machines do not fit into --memory. Runs nothing.")
final class MachineCheckCommand implements Callable<Integer> {

    /** How a machine is drawn. */
    private enum Diagram {
        MERMAID(MachineDefinition::mermaid),
        DOT(MachineDefinition::dot);

        private final Function<MachineDefinition, String> drawn;

        Diagram(Function<MachineDefinition, String> drawn) {
            this.drawn = drawn;
        }
    }

    @Parameters(paramLabel = "FILE", description = "The file, in UTF-8.")
    private Path file;

    @Option(
            names = "--diagram",
            paramLabel = "LANGUAGE",
            description =
                    "Print only the diagram of the machine: 'mermaid' for Mermaid, or 'dot' for"
                            + " Graphviz. With --json it is a field of the object.")
    private @Nullable Diagram diagram;

    @Mixin private MachineMemoryArguments memory;

    @Mixin private Json json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        memory.check();
        MachineDefinition machine;
        try {
            machine = MachineDefinition.read(file);
        } catch (IllegalArgumentException e) {
            err.println("sluice: " + e.getMessage());
            err.flush();
            if (json.isWanted()) {
                json.print(out, CheckedMachine.refused(file, e.getMessage()), (unused, to) -> {});
            }
            return Failures.VERDICT_FAILED;
        }
        String drawn = diagram == null ? null : diagram.drawn.apply(machine);
        CheckedMachine checked = CheckedMachine.of(file, machine, drawn, memory.of(machine));
        json.print(out, checked, CheckedMachine::print);
        return checked.fits() ? Failures.OK : Failures.VERDICT_FAILED;
    }
}
