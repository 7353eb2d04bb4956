/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.CheckpointLocation;
import io.sluice.inspect.Inspection;
import io.sluice.inspect.Inspector;
import io.sluice.inspect.OperatorReport;
import io.sluice.inspect.Problem;
import io.sluice.inspect.StateReport;
import io.sluice.inspect.StoredCheckpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice inspect}. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Tells what is in a checkpoint or savepoint: operators, key groups, filters, how full"
                    + " they are, the error to expect, files and sizes. Reads the metadata and the"
                    + " beginnings of files, so a large one takes seconds.",
            "Exit code 1 if something could not be read."
        })
final class InspectCommand implements Callable<Integer> {
    @Parameters(paramLabel = "CHECKPOINT", description = LOCATION)
    private String checkpoint;

    @Option(names = "--files", description = "List the files too.")
    private boolean files;

    @Option(names = "--json", description = "Print one JSON object; it has the files always.")
    private boolean json;

    @Spec private CommandSpec spec;

    static final String LOCATION =
            "A directory with _metadata, that file, or a directory of chk-*, whose latest is taken;"
                    + " a path or a URI.";

    @Override
    public Integer call() throws IOException {
        Inspection found = read(checkpoint);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Numbers.json(found));
        } else {
            print(found, out);
        }
        out.flush();
        return found.problems().isEmpty() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    static Inspection read(String given) throws IOException {
        return Inspector.inspect(load(given));
    }

    static StoredCheckpoint load(String given) throws IOException {
        return StoredCheckpoint.load(
                CheckpointLocation.find(given), InspectCommand.class.getClassLoader());
    }

    private void print(Inspection found, PrintWriter out) {
        out.printf(
                "%s: %s %d, %s in %,d files%n",
                found.path(),
                found.kind(),
                found.checkpointId(),
                Numbers.bytes(found.bytes()),
                found.files());
        if (!found.alsoThere().isEmpty()) {
            out.printf("the latest; there are also %s%n", String.join(", ", found.alsoThere()));
        }
        for (OperatorReport operator : found.operators()) {
            print(operator, out);
        }
        for (Problem problem : found.problems()) {
            spec.commandLine().getErr().println("sluice: " + problem);
        }
    }

    private void print(OperatorReport operator, PrintWriter out) {
        out.println();
        out.printf(
                "operator %s%s: parallelism %d of at most %d, %s%s%n",
                operator.title(),
                operator.name() == null || operator.name().equals(operator.title())
                        ? ""
                        : " (" + operator.name() + ")",
                operator.parallelism(),
                operator.maxParallelism(),
                Numbers.bytes(operator.bytes()),
                operator.finished() ? ", finished" : "");
        for (StateReport state : operator.states()) {
            out.printf("  %s%n", state.state());
            state.facts()
                    .forEach(
                            (name, value) ->
                                    out.printf(
                                            "    %-30s %s%n",
                                            Numbers.words(name), Numbers.fact(name, value)));
        }
        if (files) {
            operator.files()
                    .forEach(
                            file ->
                                    out.printf(
                                            "  %10s  subtask %d  %s  %s%n",
                                            Numbers.bytes(file.bytes()),
                                            file.subtask(),
                                            file.role(),
                                            file.file()));
        }
    }
}
