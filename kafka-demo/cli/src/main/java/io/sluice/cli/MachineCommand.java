/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice machine}. */
@Command(
        name = "machine",
        mixinStandardHelpOptions = true,
        description = "Reads the file of a state machine, as 'job machine' does.",
        subcommands = {MachineCheckCommand.class})
final class MachineCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(), "'check' is missing: see 'sluice machine --help'");
    }
}
