/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.bench.run.ReferenceOption;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench qf}: the quotient filter alone. */
@Command(
        name = "qf",
        mixinStandardHelpOptions = true,
        description = {
            "The quotient filter alone: speed at loads 0.75 and 0.95 beside its peers, speed over"
                    + " load, merge and serialization, clusters and errors against reference"
                    + " tables."
        })
public final class QfCommand extends BenchCommand {
    private static final double[] LOADS = {0.75, 0.95};
    private static final int QUICK_SLOTS = 1 << 21;
    private static final int SLOTS = 1 << 24;
    private static final int MIN_SLOTS = 1 << 12;
    private static final int MAX_SLOTS = 1 << 26;

    @Mixin private ReferenceOption reference;

    @Option(
            names = "--only",
            paramLabel = "PART",
            split = ",",
            description = "Some of rates, curve, whole, agreement (default: all).")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = {
                "Slots of the timed filters, a power of two from 2^12 to 2^26 (default: 2^24; quick"
                        + " 2^21; with 2^26 the exact set beside it needs a heap of 4 GB)."
            })
    private Integer slots;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often everything is timed (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Seed of the agreement: equal seeds give equal figures.")
    private long seed;

    /** What is measured. */
    enum Part {
        rates,
        curve,
        whole,
        agreement
    }

    @Override
    protected void measure(BenchReport report) throws IOException {
        int size = slots != null ? slots : report.quick() ? QUICK_SLOTS : SLOTS;
        if (size < MIN_SLOTS || size > MAX_SLOTS || Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException(
                    "--slots must be a power of two from 2^12 to 2^26, got " + size);
        }
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be at least 1, got " + rounds);
        }
        Optional<ReferenceTables> tables = reference.find(ClusterAgreement.FILE);
        if (only.contains(Part.rates)) {
            for (double load : LOADS) {
                QuotientRates.run(report, size, rounds, load);
            }
        }
        if (only.contains(Part.curve)) {
            LoadCurve.run(report, size);
        }
        if (only.contains(Part.whole)) {
            for (double load : LOADS) {
                BulkRates.run(report, size, rounds, load);
            }
        }
        if (only.contains(Part.agreement)) {
            ReferenceTables.tellIfMissing(tables, report);
            ClusterAgreement.run(report, tables, seed);
            ErrorAgreement.run(report, tables, seed);
        }
    }
}
