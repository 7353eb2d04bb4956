/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.BenchReport;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A benchmark with two halves: the figures of a paper, compared with reference tables, and
 * throughput.
 */
public abstract class PaperCommand extends BenchCommand {
    private final String referenceFile;

    @Mixin private ReferenceOption reference;

    @Option(
            names = "--only",
            paramLabel = "PART",
            description = "Only one half: figures or" + " throughput.")
    private Part only;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Equal seeds, equal figures.")
    private long seed;

    /**
     * A command.
     *
     * @param referenceFile a table that must be in a directory of reference tables
     */
    protected PaperCommand(String referenceFile) {
        this.referenceFile = referenceFile;
    }

    /** One half of the benchmark. */
    enum Part {
        figures,
        throughput
    }

    @Override
    protected final void measure(BenchReport report) throws IOException {
        Optional<ReferenceTables> with = reference.find(referenceFile);
        if (only != Part.throughput) {
            ReferenceTables.tellIfMissing(with, report);
            figures(report, with, seed);
        }
        if (only != Part.figures) {
            throughput(report);
        }
    }

    /** Measures the paper's figures; the report's {@code quick} decides how long. */
    protected abstract void figures(
            BenchReport report, Optional<ReferenceTables> reference, long seed) throws IOException;

    protected abstract void throughput(BenchReport report) throws IOException;
}
