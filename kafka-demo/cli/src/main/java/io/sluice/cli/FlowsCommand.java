/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice job flows}. */
@Command(
        name = "flows",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Follows the TCP flows of packet records, and writes how each ended, and alerts."
                        + " Runs until interrupted, or, with --bounded, to the end of the topic.")
final class FlowsCommand implements Callable<Integer> {
    @Mixin private FlowsOptions options;

    @Mixin private LocalArguments local;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        return LocalJob.run(
                "sluice-flows",
                options,
                local,
                env -> FlowsJob.define(env, options),
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
