/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchOptions;
import io.sluice.bench.run.ReferenceOption;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.bench.window.FilterCosts;
import io.sluice.bench.window.FilterRates;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench fbf}: the paper's figures 8 to 13, then throughput and memory. */
@Command(
        name = "fbf",
        mixinStandardHelpOptions = true,
        description = {
            "The forgetful Bloom filter alone: figures 8 to 13 of the paper, agreement with the"
                    + " reference tables, throughput beside its peers, memory, pauses."
        })
public final class FbfCommand implements Callable<Integer> {
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
        Optional<ReferenceTables> with = reference.find("fbf_fig8_fig9.csv");
        BenchReport report = options.report("fbf");
        if (only != Part.throughput) {
            FbfRun run =
                    options.quick()
                            ? new FbfRun(report, with, 12, 50_000, seed)
                            : new FbfRun(report, with, 16, 100_000, seed);
            figures(run);
        }
        if (only != Part.figures) {
            FilterRates.run(report);
            FilterCosts.run(report);
        }
        report.write();
        return report.ok() ? 0 : 1;
    }

    static void figures(FbfRun run) throws IOException {
        ReferenceTables.tellIfMissing(run.reference(), run.report());
        FigureEightNine.run(run);
        FigureTen.run(run);
        FigureEleven.run(run);
        FigureTwelve.run(run);
        FigureThirteen.run(run);
        FalseNegatives.run(run);
        ModelAgreement.run(run);
    }
}
