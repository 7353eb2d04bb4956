/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code sluice}. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        versionProvider = SluiceVersion.class,
        sortOptions = false,
        description = "Has this been seen before? Deduplication of streams with a stated error.",
        subcommands = {
            DemoCommand.class,
            GenerateCommand.class,
            CaptureFlowsCommand.class,
            ReplayCommand.class,
            JobCommand.class,
            CounterValuesCommand.class,
            MachineCommand.class,
            BrokerCommand.class,
            PlanCommand.class,
            InspectCommand.class,
            VerifyCommand.class,
            DiffCommand.class,
            StateReconcileCommand.class,
            BenchmarksCommand.class,
            ClusterChaosCommand.class,
            AutoComplete.GenerateCompletion.class,
            HelpCommand.class
        },
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  done; a verdict, if there is one, is ok",
            "  1  the run's own verdict failed, or the input could be read only in part",
            "  2  wrong usage, input or environment",
            "",
            "Completion for bash and zsh: source <(./sluice generate-completion)"
        })
public final class Sluice implements Callable<Integer> {
    @Spec private CommandSpec spec;

    private Sluice() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        Logging.intoOwnFile();
        System.exit(run(arguments));
    }

    /** Runs the command and returns its exit code. */
    public static int run(String... arguments) {
        return new CommandLine(new Sluice())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(Failures::onUsage)
                .setExecutionExceptionHandler(Failures::onExecution)
                .execute(arguments);
    }

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(), "a command is missing: see 'sluice --help'");
    }
}
