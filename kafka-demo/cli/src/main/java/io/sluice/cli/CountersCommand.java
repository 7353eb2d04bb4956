/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice job counters}. */
@Command(
        name = "counters",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Counts the records of topics per counter, as their fields say, or packet records"
                    + " per source or service; a record whose id already came within the window"
                    + " does not count again. Runs until interrupted, or, with --bounded, to the"
                    + " end of the topics.")
final class CountersCommand implements Callable<Integer> {
    @Mixin private CountersOptions options;

    @Mixin private LocalArguments local;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        return LocalJob.run(
                "sluice-counters",
                options,
                local,
                env -> CountersJob.define(env, options),
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
