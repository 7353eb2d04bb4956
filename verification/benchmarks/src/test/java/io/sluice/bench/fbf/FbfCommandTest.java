/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FbfCommandTest extends ReportTestCase {
    @Test
    void allFiguresLeaveTablesPlotsAndNames() throws IOException {
        BenchReport report = report("fbf");
        FbfCommand.figures(new FbfRun(report, Optional.empty(), 4, 2_000, SEED));
        report.write();
        assertTables(
                "fbf_fig8_fig9.csv",
                "fbf_fig10.csv",
                "fbf_fig11_refresh_period.csv",
                "fbf_fig12_num_filters.csv",
                "fbf_fig13_adaptive.csv",
                "fbf_fig13_summary.csv",
                "fbf_false_negatives.csv");
        assertThat(Files.readString(directory.resolve("fbf.html")))
                .contains(
                        "Figure 8", "Figure 9", "Figure 10", "Figure 11", "Figure 12", "Figure 13");
        assertThat(figures("fbf")).containsKeys("fbf.falseNegatives", "fbf.fpp.measuredOverModel");
        assertThat(report.ok()).as("all checks, seed %d", SEED).isTrue();
    }

    /**
     * The comparison must notice our own tables when they are shifted: a comparison that cannot
     * fail is meaningless.
     */
    @Test
    void aReferenceThatDisagreesIsNoticed() throws IOException {
        Path right = Files.createDirectory(directory.resolve("right"));
        Path wrong = Files.createDirectory(directory.resolve("wrong"));
        String header =
                "model,m,eq3,exact_opt,exact_simple,mc_opt,mc_simple,queries\n"
                        + "twoPeriods,5000,0.0001049,0.0001049,0.00117,";
        Files.writeString(right.resolve("fbf_fig10.csv"), header + "0.0001047,0.00118,4000000\n");
        Files.writeString(wrong.resolve("fbf_fig10.csv"), header + "0.0001047,0.00418,4000000\n");
        for (Path tables : List.of(right, wrong)) {
            BenchReport report = report("fbf");
            Optional<ReferenceTables> reference = ReferenceTables.find(tables, "fbf_fig10.csv");
            FigureTen.run(new FbfRun(report, reference, 4, 10_000, SEED));
            assertThat(report.ok()).as("%s, seed %d", tables, SEED).isEqualTo(tables == right);
        }
    }
}
