/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice chaos}, for the list of commands only: it is an application of its own, which the
 * script {@code sluice} starts.
 */
@Command(
        name = "chaos",
        description =
                "Beats a cluster up by seed, and checks its results: see 'sluice chaos --help'.")
final class ClusterChaosCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "chaos is not in this class path: run './sluice chaos --help' in a checkout");
    }
}
