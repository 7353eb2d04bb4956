/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice counters}. */
@Command(
        name = "counters",
        mixinStandardHelpOptions = true,
        description =
                "Reads counters from the topic that 'job counters' writes, or from a checkpoint.",
        subcommands = {CountersGetCommand.class, CountersTopCommand.class})
final class CounterValuesCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(), "'get' or 'top' is missing: see 'sluice counters --help'");
    }
}
