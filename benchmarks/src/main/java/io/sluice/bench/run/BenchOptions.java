/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.BenchReport;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options that every benchmark has. */
public final class BenchOptions {
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

    public boolean quick() {
        return quick;
    }

    /** Where the results go. */
    public Path out() {
        return out;
    }

    /** An empty report for the benchmark {@code name}; its directory exists. */
    public BenchReport report(String name) throws IOException {
        return new BenchReport(name, out, quick, System.out);
    }
}
