/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchOptions;
import io.sluice.bench.run.ReferenceOption;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench ccf}: the paper's occupancies, collisions and accuracy, then throughput. */
@Command(
        name = "ccf",
        mixinStandardHelpOptions = true,
        description = {
            "The counting cuckoo filter: occupancy, collided elements, accuracy and time of"
                    + " synchronisation as in the paper, agreement with the reference tables,"
                    + " throughput beside its peers."
        })
public final class CcfCommand implements Callable<Integer> {
    @Mixin private BenchOptions options;

    @Mixin private ReferenceOption reference;

    @Option(names = "--only", paramLabel = "PART", description = "figures or throughput: one half.")
    private Part only;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Equal seeds, equal figures.")
    private long seed;

    /** One half of the benchmark. */
    enum Part {
        figures,
        throughput
    }

    @Override
    public Integer call() throws IOException {
        Optional<ReferenceTables> with = reference.find("ccf_sync_accuracy.csv");
        BenchReport report = options.report("ccf");
        if (only != Part.throughput) {
            figures(
                    options.quick()
                            ? new CcfRun(report, with, 2, 256_000, seed)
                            : new CcfRun(report, with, 6, 8_192_000, seed));
        }
        if (only != Part.figures) {
            CcfRates.run(report);
        }
        report.write();
        return report.ok() ? 0 : 1;
    }

    static void figures(CcfRun run) throws IOException {
        ReferenceTables.tellIfMissing(run.reference(), run.report());
        OccupancyTable.run(run);
        CollidedElements.run(run);
        SyncAccuracy.run(run);
        SyncTimes.run(run);
    }
}
