/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.machine.MachineJob;
import io.sluice.job.machine.MachineJobOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice job machine}. */
@Command(
        name = "machine",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Follows a state machine of your own for each key of a topic, as a file says:"
                    + " writes machines that have finished, and alerts of illegal events and"
                    + " time-outs. Runs until interrupted, or, with --bounded, to the end of the"
                    + " topics.")
final class MachineJobCommand implements Callable<Integer> {
    @Mixin private MachineJobOptions options;

    @Mixin private LocalArguments local;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        return LocalJob.run(
                "sluice-machine",
                options,
                local,
                env -> MachineJob.define(env, options),
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
