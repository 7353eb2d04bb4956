/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.CsvTable;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchFlowsCommandTest extends ReportTestCase {

    @Test
    void everyTableAndFigureOfGeneratedFlowsIsThere() throws Exception {
        assertThat(
                        run(
                                new BenchFlowsCommand(),
                                "--only",
                                "study,choice,rates",
                                "--flows",
                                "3000",
                                "--seed",
                                "" + SEED))
                .as("seed %d", SEED)
                .isZero();
        Map<String, Double> figures = figures("flows");
        assertThat(figures.get("flows.kbf.totalError")).isLessThan(0.02);
        assertThat(figures.get("flows.kbfPaper.totalError")).isBetween(0.05, 0.5);
        assertThat(figures.get("flows.maplet.totalError")).isLessThan(0.002);
        assertThat(figures.get("flows.packetsPerSecondPerCore")).isPositive();
        assertThat(figures.get("flows.kbf.bitsPerFlow")).isPositive();
        assertThat(figures).containsKeys("flows.exact.bitsPerFlow", "flows.sbf.totalError");
        assertTables("flows_operator_stores.csv", "flows_store_choice.csv");
        CsvTable study = CsvTable.read(directory.resolve("flows_case_study.csv"));
        assertThat(study.size()).isEqualTo(5 * 6);
        for (int i = 0; i < study.size(); i++) {
            if (study.text(i, "store").equals("exact map")) {
                assertThat(study.number(i, "total_error")).isZero();
            }
        }
    }

    /** The larger p, the fewer cells and the more errors; tags spare most of them. */
    @Test
    void errorsFallWithTheSizeAndWithTheCode() throws Exception {
        run(new BenchFlowsCommand(), "--only", "study", "--flows", "5000", "--seed", "" + SEED);
        CsvTable study = CsvTable.read(directory.resolve("flows_case_study.csv"));
        assertThat(error(study, "0.100000", "kBF of the paper"))
                .as("seed %d", SEED)
                .isGreaterThan(error(study, "0.0100000", "kBF of the paper"));
        assertThat(error(study, "0.100000", "kBF of the paper"))
                .as("seed %d", SEED)
                .isGreaterThan(error(study, "0.100000", "kBF product of 2 tag 2"));
    }

    private static double error(CsvTable study, String p, String store) {
        for (int i = 0; i < study.size(); i++) {
            if (study.text(i, "p").equals(p) && study.text(i, "store").equals(store)) {
                return study.number(i, "total_error");
            }
        }
        throw new AssertionError("no row of " + store + " at " + p);
    }

    @Test
    void whatCannotBeMeasuredIsRefused() {
        assertThatThrownBy(() -> run(new BenchFlowsCommand(), "--flows", "999"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--flows must be from 1000");
        assertThatThrownBy(() -> run(new BenchFlowsCommand(), "--captures", directory.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(CaptureTable.TRUTH);
    }
}
