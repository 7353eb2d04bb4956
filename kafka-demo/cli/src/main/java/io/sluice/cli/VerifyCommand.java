/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.FileCheck;
import io.sluice.inspect.ReadProgress;
import io.sluice.inspect.Verification;
import io.sluice.inspect.Verifier;
import io.sluice.plan.HumanReadable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice verify}. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Reads every byte of a checkpoint or savepoint and checks every checksum of"
                        + " Sluice's. Names damage by file and offset, and what has no checksum."
                        + " Exit code 1 if there is damage.")
final class VerifyCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "CHECKPOINT",
            description =
                    "Its directory, its _metadata, or a directory of chk-..., of which the latest"
                            + " is taken. A path or a URI.")
    private String checkpoint;

    @Mixin private CheckpointArguments arguments;

    @Mixin private Json json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        Verification verification =
                Verifier.verify(arguments.load(checkpoint, err), new Lines(err));
        json.print(spec.commandLine().getOut(), verification, VerifyCommand::print);
        return verification.ok() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private static void print(Verification verification, PrintWriter out) {
        verification.problems().forEach(problem -> out.printf("DAMAGED %s%n", problem));
        Map<String, long[]> unchecked = new TreeMap<>();
        for (FileCheck file : verification.files()) {
            if (file.problems().isEmpty() && file.checkedBytes() < file.bytes()) {
                long[] sums = unchecked.computeIfAbsent(what(file), role -> new long[2]);
                sums[0]++;
                sums[1] += file.bytes() - file.checkedBytes();
            }
        }
        unchecked.forEach(
                (role, sums) ->
                        out.printf(
                                "no checksum here: %s, %s in %,d files%n",
                                role, HumanReadable.bytes((double) sums[1]), sums[0]));
        out.printf(
                "%s: %s checked and right, %s read without a checksum, %s%n",
                verification.path(),
                HumanReadable.bytes((double) verification.checkedBytes()),
                HumanReadable.bytes((double) verification.uncheckedBytes()),
                verification.ok() ? "no damage found" : "DAMAGED");
    }

    /** The operator and, without the names of single files, what is in the file. */
    private static String what(FileCheck file) {
        String role = file.role().split(" ", 2)[0];
        boolean isOfBackend = role.equals("shared") || role.equals("private");
        return (file.operator().isEmpty() ? "" : file.operator() + ", ")
                + (isOfBackend ? role + " files of the backend" : file.role());
    }

    /** A line every two seconds. */
    private static final class Lines implements ReadProgress {
        private static final long LINE_NANOS = 2_000_000_000L;

        private final PrintWriter err;
        private final long began = System.nanoTime();
        private long last = began;

        Lines(PrintWriter err) {
            this.err = err;
        }

        @Override
        public void at(long read, long total) {
            long now = System.nanoTime();
            if (now - last < LINE_NANOS) {
                return;
            }
            last = now;
            err.printf(
                    "%s of %s read, %s/s%n",
                    HumanReadable.bytes((double) read),
                    HumanReadable.bytes((double) total),
                    HumanReadable.bytes(read * 1e9 / (now - began)));
            err.flush();
        }
    }
}
