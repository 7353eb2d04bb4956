/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.Comparison;
import io.sluice.inspect.Comparison.Change;
import io.sluice.inspect.Inspection;
import io.sluice.inspect.Inspector;
import io.sluice.inspect.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice diff}. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Says in what two checkpoints or savepoints differ: operators, parallelism, sizes,"
                        + " entries, generations, options. Reads metadata and headers only.")
final class DiffCommand implements Callable<Integer> {
    @Parameters(
            arity = "2",
            paramLabel = "CHECKPOINT",
            description = "The earlier and the later one, as for 'sluice inspect'.")
    private List<String> checkpoints;

    @Mixin private CheckpointArguments arguments;

    @Mixin private Json json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        Inspection before = Inspector.inspect(arguments.load(checkpoints.get(0), err));
        Inspection after = Inspector.inspect(arguments.load(checkpoints.get(1), err));
        json.print(spec.commandLine().getOut(), Comparison.of(before, after), DiffCommand::print);
        before.problems().forEach(problem -> warn(problem, err));
        after.problems().forEach(problem -> warn(problem, err));
        return before.problems().isEmpty() && after.problems().isEmpty()
                ? Failures.OK
                : Failures.VERDICT_FAILED;
    }

    private static void warn(Problem problem, PrintWriter err) {
        err.println("sluice: not compared: " + problem);
    }

    private static void print(Comparison comparison, PrintWriter out) {
        if (comparison.same()) {
            out.println("no difference in what metadata and headers say");
        }
        for (Change change : comparison.changes()) {
            StringBuilder line = new StringBuilder();
            line.append(change.operator() == null ? "checkpoint" : change.operator());
            if (change.state() != null) {
                line.append(", ").append(change.state());
            }
            switch (change.kind()) {
                case OPERATOR_ADDED, STATE_ADDED ->
                        line.append(": added, ").append(value("bytes", change.after()));
                case OPERATOR_REMOVED, STATE_REMOVED ->
                        line.append(": removed, ").append(value("bytes", change.before()));
                case CHANGED ->
                        line.append(": ")
                                .append(change.what())
                                .append(' ')
                                .append(value(change.what(), change.before()))
                                .append(" -> ")
                                .append(value(change.what(), change.after()));
            }
            out.println(line);
        }
    }

    private static String value(String field, Object value) {
        return value == null ? "none" : FieldText.of(field, value);
    }
}
