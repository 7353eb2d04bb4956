/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.PaperCommand;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.bench.window.FilterCosts;
import io.sluice.bench.window.FilterRates;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;

/** {@code bench fbf}: the paper's figures 8 to 13, then throughput and memory. */
@Command(
        name = "fbf",
        mixinStandardHelpOptions = true,
        description = {
            "The forgetful Bloom filter alone: figures 8 to 13 of the paper, agreement with the"
                    + " reference tables, throughput beside its peers, memory, pauses."
        })
public final class FbfCommand extends PaperCommand {
    public FbfCommand() {
        super("fbf_fig8_fig9.csv");
    }

    @Override
    protected void figures(BenchReport report, Optional<ReferenceTables> reference, long seed)
            throws IOException {
        figures(
                report.quick()
                        ? new FbfRun(report, reference, 12, 50_000, seed)
                        : new FbfRun(report, reference, 16, 100_000, seed));
    }

    static void figures(FbfRun run) throws IOException {
        FigureEightNine.run(run);
        FigureTen.run(run);
        FigureEleven.run(run);
        FigureTwelve.run(run);
        FigureThirteen.run(run);
        FalseNegatives.run(run);
        ModelAgreement.run(run);
    }

    @Override
    protected void throughput(BenchReport report) throws IOException {
        FilterRates.run(report);
        FilterCosts.run(report);
    }
}
