/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.PaperCommand;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;

/** {@code bench ccf}: the paper's occupancies, collisions and accuracy, then throughput. */
@Command(
        name = "ccf",
        mixinStandardHelpOptions = true,
        description = {
            "The counting cuckoo filter: occupancy, collided elements, accuracy and time of"
                    + " synchronisation as in the paper, agreement with the reference tables,"
                    + " throughput beside its peers."
        })
public final class CcfCommand extends PaperCommand {
    public CcfCommand() {
        super(CcfFigures.REFERENCE_FILE);
    }

    @Override
    protected void figures(BenchReport report, Optional<ReferenceTables> reference, long seed)
            throws IOException {
        CcfFigures.run(report, reference, seed);
    }

    @Override
    protected void throughput(BenchReport report) throws IOException {
        CcfRates.run(report);
    }
}
