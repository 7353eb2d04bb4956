/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.Comparison;
import io.sluice.inspect.Comparison.Change;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice diff}. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Tells in what two checkpoints or savepoints differ, by their metadata and the"
                        + " beginnings of files: operators, parallelism, options, ids, sizes.")
final class DiffCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "BEFORE", description = InspectCommand.LOCATION)
    private String before;

    @Parameters(index = "1", paramLabel = "AFTER", description = "The same.")
    private String after;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Comparison found = Comparison.of(InspectCommand.read(before), InspectCommand.read(after));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Numbers.json(found));
        } else if (found.same()) {
            out.println("no difference in what their metadata say");
        } else {
            found.changes().forEach(change -> out.println(line(change)));
        }
        out.flush();
        return Failures.OK;
    }

    private static String line(Change change) {
        String where =
                change.operator() == null
                        ? "all"
                        : change.state() == null
                                ? "operator " + change.operator()
                                : "operator " + change.operator() + ", state " + change.state();
        return switch (change.kind()) {
            case OPERATOR_ADDED, STATE_ADDED -> "+ " + where;
            case OPERATOR_REMOVED, STATE_REMOVED -> "- " + where;
            case CHANGED ->
                    "  "
                            + where
                            + ": "
                            + Numbers.words(change.what())
                            + " "
                            + told(change.what(), change.before())
                            + " -> "
                            + told(change.what(), change.after());
        };
    }

    private static String told(String what, Object value) {
        return value == null ? "none" : Numbers.fact(what, value);
    }
}
