/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench;

import io.sluice.bench.backend.BackendCommand;
import io.sluice.bench.cascade.CascadeCommand;
import io.sluice.bench.filters.FiltersCommand;
import io.sluice.bench.flows.BenchFlowsCommand;
import io.sluice.bench.jmh.JmhCommand;
import io.sluice.bench.kafka.KafkaCommand;
import io.sluice.bench.latency.LatencyCommand;
import io.sluice.bench.machine.BenchMachinesCommand;
import io.sluice.bench.operator.BenchCountersCommand;
import io.sluice.bench.operator.OperatorCommand;
import io.sluice.bench.overload.OverloadCommand;
import io.sluice.bench.reconcile.BenchReconcileCommand;
import io.sluice.bench.soak.SoakCommand;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command line of the benchmarks. Exit codes: 0 measured, and every check holds; 1 a check
 * failed; 2 bad usage or input.
 */
@Command(
        name = "sluice bench",
        mixinStandardHelpOptions = true,
        description = "Measures, and writes DIR/NAME.json, DIR/NAME.html and tables.",
        subcommands = {
            FiltersCommand.class,
            BenchFlowsCommand.class,
            BenchMachinesCommand.class,
            CascadeCommand.class,
            JmhCommand.class,
            BenchReconcileCommand.class,
            OperatorCommand.class,
            BenchCountersCommand.class,
            LatencyCommand.class,
            OverloadCommand.class,
            BackendCommand.class,
            KafkaCommand.class,
            SoakCommand.class
        })
public final class Bench implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    /** Runs without ending the process. */
    static int execute(String... arguments) {
        return new CommandLine(new Bench())
                .setExitCodeExceptionMapper(Bench::exitCode)
                .setExecutionExceptionHandler(Bench::explain)
                .execute(arguments);
    }

    private static int exitCode(Throwable failure) {
        return isInput(failure) ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
    }

    private static boolean isInput(Throwable failure) {
        return failure instanceof IllegalArgumentException
                || failure instanceof CommandLine.ParameterException
                || failure instanceof FileSystemException;
    }

    private static int explain(
            Exception failure, CommandLine command, CommandLine.ParseResult result)
            throws Exception {
        PrintWriter err = command.getErr();
        if (isInput(failure)) {
            err.println("sluice bench: " + describe(failure));
            return CommandLine.ExitCode.USAGE;
        }
        throw failure;
    }

    private static String describe(Exception failure) {
        return failure instanceof FileSystemException io
                ? "cannot use "
                        + io.getFile()
                        + " ("
                        + io.getClass().getSimpleName()
                        + "): name a directory that you may write with --out"
                : failure.getMessage();
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(),
                "name a benchmark: " + String.join(", ", spec.subcommands().keySet()));
    }
}
