/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice job}. */
@Command(
        name = "job",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a job in a Flink cluster inside this process, against any broker.",
            "For your own cluster, 'flink run' the job jar with the same options."
        },
        subcommands = {
            DedupCommand.class,
            CountersCommand.class,
            FlowsCommand.class,
            MachineJobCommand.class,
            ReconcileCommand.class
        })
final class JobCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(), "a job is missing: see 'sluice job --help'");
    }
}
