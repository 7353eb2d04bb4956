/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice bench}, for the list of commands only: the benchmarks are an application of their
 * own, so that nothing else carries their dependencies, and the script {@code sluice} starts it.
 */
@Command(
        name = "bench",
        description = "Reproduces the figures of the documentation: see 'sluice bench --help'.")
final class BenchmarksCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "the benchmarks are not in this class path: run './sluice bench --help' in a"
                        + " checkout");
    }
}
