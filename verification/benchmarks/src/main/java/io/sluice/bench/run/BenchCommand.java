/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.BenchReport;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A benchmark: measures, and writes what it found. Its name is that of its {@link Command}. */
public abstract class BenchCommand implements Callable<Integer> {
    @Option(
            names = "--quick",
            description = "Ends within 3 minutes: fewer probes, smaller filters, shorter jobs.")
    private boolean quick;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "sluice-out/bench",
            description = "Where the results go (default: ${DEFAULT-VALUE}).")
    private Path out;

    /** 0 if every check holds, else 1. */
    @Override
    public final Integer call() throws Exception {
        String name = getClass().getAnnotation(Command.class).name();
        BenchReport report = new BenchReport(name, out, quick, System.out);
        measure(report);
        report.write();
        return report.ok() ? 0 : 1;
    }

    /**
     * Adds figures and checks to {@code report}, whose {@code quick} decides how long.
     *
     * @throws IllegalArgumentException if an option makes no sense
     */
    protected abstract void measure(BenchReport report) throws Exception;
}
