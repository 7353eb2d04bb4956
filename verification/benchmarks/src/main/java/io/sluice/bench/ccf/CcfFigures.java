/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.util.Optional;

/** The evaluation of the paper: its table of occupancies and its figures 4 and 5. */
public final class CcfFigures {
    /** A table to compare with. */
    public static final String REFERENCE_FILE = "ccf_sync_accuracy.csv";

    private CcfFigures() {}

    /** Measures; the report's {@code quick} decides how long. */
    public static void run(BenchReport report, Optional<ReferenceTables> reference, long seed)
            throws IOException {
        run(
                report.quick()
                        ? new CcfRun(report, reference, 2, 256_000, seed)
                        : new CcfRun(report, reference, 6, 8_192_000, seed));
    }

    static void run(CcfRun run) throws IOException {
        OccupancyTable.run(run);
        CollidedElements.run(run);
        SyncAccuracy.run(run);
        SyncTimes.run(run);
    }
}
