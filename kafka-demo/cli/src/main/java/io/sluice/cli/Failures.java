/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns a failure into one line on standard error and an exit code. */
final class Failures {
    static final int OK = CommandLine.ExitCode.OK;
    static final int VERDICT_FAILED = 1;

    /** The input is damaged; there are results of what could be read. */
    static final int READ_IN_PART = 1;

    static final int WRONG_USE = 2;

    private Failures() {}

    /** Handles options that cannot be understood. */
    static int onUsage(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        StringBuilder line = new StringBuilder("sluice: ").append(oneLine(e.getMessage()));
        if (e instanceof UnmatchedArgumentException unmatched) {
            unmatched.getSuggestions().stream()
                    .findFirst()
                    .ifPresent(guess -> line.append("; did you mean ").append(guess).append('?'));
        }
        if (line.indexOf("--help'") < 0) {
            line.append("; see '")
                    .append(command.getCommandSpec().qualifiedName())
                    .append(" --help'");
        }
        command.getErr().println(line);
        return WRONG_USE;
    }

    /** Handles input or environment that does not allow the run, and bugs. */
    static int onExecution(Exception e, CommandLine command, ParseResult parsed) {
        LoggerFactory.getLogger(Failures.class).error("The command failed", e);
        Throwable cause = e instanceof UncheckedIOException ? e.getCause() : e;
        boolean expected =
                cause instanceof IOException || cause instanceof IllegalArgumentException;
        String message =
                oneLine(
                        expected && cause.getMessage() != null
                                ? cause.getMessage()
                                : cause.toString());
        Path log = Logging.file();
        command.getErr()
                .println(
                        "sluice: "
                                + message
                                + (Files.exists(log) ? " [details: " + log + "]" : ""));
        return WRONG_USE;
    }

    private static String oneLine(String text) {
        return String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
