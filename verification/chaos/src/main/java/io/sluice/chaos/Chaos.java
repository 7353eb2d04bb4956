/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import java.io.IOException;
import picocli.CommandLine;

/** The program behind {@code sluice chaos}. */
public final class Chaos {
    private static final int NOT_MADE = 2;

    private Chaos() {}

    /** Runs, and ends the process with the exit code. */
    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    /** Runs without ending the process. */
    static int execute(String... arguments) {
        return new CommandLine(new ChaosCommand())
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler(Chaos::explain)
                .execute(arguments);
    }

    private static int explain(
            Exception failure, CommandLine command, CommandLine.ParseResult result)
            throws Exception {
        if (failure instanceof IOException || failure instanceof IllegalArgumentException) {
            command.getErr().println("sluice chaos: " + failure.getMessage());
            return NOT_MADE;
        }
        failure.printStackTrace(command.getErr());
        return NOT_MADE;
    }
}
