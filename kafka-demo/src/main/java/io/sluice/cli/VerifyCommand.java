/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.FileCheck;
import io.sluice.inspect.Problem;
import io.sluice.inspect.StoredCheckpoint;
import io.sluice.inspect.Verification;
import io.sluice.inspect.Verifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice verify}. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Reads every byte of a checkpoint or savepoint and checks the checksums of what Sluice"
                    + " wrote; names damage by file and offset, and says what has no checksum.",
            "Exit code 1 if there is damage."
        })
final class VerifyCommand implements Callable<Integer> {
    private static final long PROGRESS_NANOS = 2_000_000_000L;

    @Parameters(paramLabel = "CHECKPOINT", description = InspectCommand.LOCATION)
    private String checkpoint;

    @Option(names = "--files", description = "List all files, not only damaged ones.")
    private boolean files;

    @Option(names = "--json", description = "Print one JSON object; it has the files always.")
    private boolean json;

    @Spec private CommandSpec spec;

    private long lastNanos = System.nanoTime();

    @Override
    public Integer call() throws IOException {
        StoredCheckpoint stored = InspectCommand.load(checkpoint);
        Verification result = Verifier.verify(stored, this::show);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Numbers.json(result));
        } else {
            print(result, out);
        }
        out.flush();
        return result.ok() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private void show(long read, long total) {
        long now = System.nanoTime();
        if (now - lastNanos >= PROGRESS_NANOS) {
            lastNanos = now;
            PrintWriter err = spec.commandLine().getErr();
            err.printf(
                    "%s of %s read, %.0f %%%n",
                    Numbers.bytes(read),
                    Numbers.bytes(total),
                    100.0 * Math.min(read, total) / Math.max(1, total));
            err.flush();
        }
    }

    private void print(Verification result, PrintWriter out) {
        if (files) {
            for (FileCheck file : result.files()) {
                out.printf(
                        "%-9s  %10s  %s  %s%n",
                        file.status().name().toLowerCase(Locale.ROOT),
                        Numbers.bytes(file.bytes()),
                        file.role(),
                        file.file());
            }
        }
        for (Problem problem : result.problems()) {
            spec.commandLine().getErr().println("sluice: " + problem);
        }
        out.printf(
                "%s: %s, %s read in %,d files; %s have right checksums, %s have none that is known"
                        + " here%n",
                result.path(),
                result.ok() ? "no damage found" : result.problems().size() + " problems",
                Numbers.bytes(result.bytes()),
                result.files().size(),
                Numbers.bytes(result.checkedBytes()),
                Numbers.bytes(result.uncheckedBytes()));
    }
}
