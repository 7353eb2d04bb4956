/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.CascadeReport;
import io.sluice.inspect.FileReport;
import io.sluice.inspect.Inspection;
import io.sluice.inspect.Inspector;
import io.sluice.inspect.OperatorReport;
import io.sluice.inspect.Problem;
import io.sluice.inspect.StateReport;
import io.sluice.plan.HumanReadable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice inspect}. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Says what is in a checkpoint or savepoint: operators, key groups, generations,"
                        + " fill, predicted error, files and sizes. Reads metadata and headers"
                        + " only.")
final class InspectCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "CHECKPOINT",
            description =
                    "Its directory, its _metadata, or a directory of chk-..., of which the latest"
                            + " is taken. A path or a URI.")
    private String checkpoint;

    @Option(names = "--files", description = "List every file.")
    private boolean files;

    @Mixin private CheckpointArguments arguments;

    @Mixin private Json json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        Inspection inspection = Inspector.inspect(arguments.load(checkpoint, err));
        json.print(spec.commandLine().getOut(), inspection, this::print);
        return inspection.problems().isEmpty() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private void print(Inspection inspection, PrintWriter out) {
        out.printf(
                "%s %d, %s in %,d files: %s%n",
                inspection.kind(),
                inspection.checkpointId(),
                HumanReadable.bytes((double) inspection.bytes()),
                inspection.files(),
                inspection.path());
        inspection.operators().forEach(operator -> print(operator, out));
        for (Problem problem : inspection.problems()) {
            out.printf("PROBLEM %s%n", problem);
        }
    }

    private void print(OperatorReport operator, PrintWriter out) {
        out.printf(
                "%n%s%s  parallelism %d of %d, %s%s%n",
                operator.title(),
                operator.name() == null || operator.name().equals(operator.title())
                        ? ""
                        : " (" + operator.name() + ")",
                operator.parallelism(),
                operator.maxParallelism(),
                HumanReadable.bytes((double) operator.bytes()),
                operator.finished() ? ", finished" : "");
        for (StateReport state : operator.states()) {
            out.printf("  %s%n", state.state());
            state.facts()
                    .forEach(
                            (name, value) ->
                                    out.printf(
                                            Locale.ROOT,
                                            "    %-28s %s%n",
                                            name,
                                            FieldText.of(name, value)));
            if (state instanceof CascadeReport cascade) {
                cascade.generations().forEach(each -> out.printf("      %s%n", each));
            }
        }
        if (files) {
            for (FileReport file : operator.files()) {
                out.printf(
                        "  %12s  subtask %d, %s  %s%n",
                        HumanReadable.bytes((double) file.bytes()),
                        file.subtask(),
                        file.role(),
                        file.file());
            }
        }
    }
}
