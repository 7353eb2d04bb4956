/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchFlowsCommandTest extends ReportTestCase {

    @Test
    void everyTableAndFigureOfGeneratedFlowsIsThere() throws Exception {
        assertThat(
                        run(
                                new BenchFlowsCommand(),
                                "--only",
                                "choice,rates",
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
        assertTables("flows_store_choice.csv");
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
