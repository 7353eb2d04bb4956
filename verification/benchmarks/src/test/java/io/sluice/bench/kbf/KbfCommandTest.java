/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KbfCommandTest extends ReportTestCase {
    @Test
    void allTablesAndFiguresAreThere() throws IOException {
        BenchReport report = report("kbf");
        KbfCommand.tables(new KbfRun(report, Optional.empty(), 2_000, 500, 14, SEED));
        report.write();
        assertTables(
                "kbf_closed_form.csv",
                "kbf_paper_experiment.csv",
                "kbf_equal_memory.csv",
                "kbf_maplets.csv",
                "kbf_churn_tcp.csv",
                "kbf_dictionary.csv",
                "encodings_bits.csv",
                "encodings_uniqueness.csv",
                "encodings_greedy_size_per_P.csv");
        Map<String, Double> figures = figures("kbf");
        assertThat(figures.get("kbf.tcp.error64bits")).isLessThan(0.02);
        assertThat(figures.get("kbf.tcp.paperError64bits")).isBetween(0.5, 0.8);
        assertThat(figures.get("kbf.wrongOutputs")).isZero();
        assertThat(report.ok()).as("all checks, seed %d", SEED).isTrue();
    }

    /**
     * The comparison must notice our own formula when it is shifted: a comparison that cannot fail
     * is meaningless.
     */
    @Test
    void aReferenceThatDisagreesIsNoticed() throws IOException {
        for (boolean right : new boolean[] {true, false}) {
            Path tables = Files.createDirectory(directory.resolve("right is " + right));
            StringBuilder rows =
                    new StringBuilder(
                            "rho,k,paper_global_fail,"
                                    + "own_cell_fail_t2(c<=2;pair ambiguous only if single)\n");
            for (double rho : new double[] {1, 1.5, 2, 2.5, 3}) {
                for (int k = 4; k <= 20; k += 2) {
                    double ours = ClosedForm.ownCells(rho, k) * (right ? 1 : 1.01);
                    rows.append(rho + "," + k + "," + ClosedForm.paper(rho, k) + "," + ours + "\n");
                }
            }
            Files.writeString(tables.resolve("kbf_closed_form.csv"), rows);
            BenchReport report = report("kbf");
            Optional<ReferenceTables> reference =
                    ReferenceTables.find(tables, "kbf_closed_form.csv");
            ClosedForm.run(new KbfRun(report, reference, 2_000, 500, 14, SEED));
            assertThat(report.ok()).as("seed %d", SEED).isEqualTo(right);
        }
    }
}
