/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice counters top}. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Prints the counters with the largest committed values, or the largest in a"
                        + " checkpoint, the largest first. Reads the whole topic, and holds no more"
                        + " counters than it prints; only if a value went down it reads again, and"
                        + " holds all.")
final class CountersTopCommand implements Callable<Integer> {
    @Parameters(paramLabel = "N", description = "How many, at least 1.")
    private int most;

    @Mixin private CounterArguments where;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (most < 1) {
            throw new IllegalArgumentException("N must be at least 1, but is " + most);
        }
        PrintWriter err = spec.commandLine().getErr();
        where.print(
                where.open(err)
                        .top(
                                most,
                                why -> {
                                    err.printf(
                                            "sluice: %s, so the topic is read again, and all"
                                                    + " counters are held in memory%n",
                                            why);
                                    err.flush();
                                }),
                spec.commandLine().getOut());
        return Failures.OK;
    }
}
