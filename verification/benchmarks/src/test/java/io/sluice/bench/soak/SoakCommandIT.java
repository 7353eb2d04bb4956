/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import io.sluice.papers.figure.Table;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SoakCommandIT extends ReportTestCase {
    /** Growth is not judged in a run that ends before everything is warm; the counts are. */
    @Test
    void aShortRunWithFailuresCountsEveryRecordOnce() throws Exception {
        assertThat(run(new SoakCommand(), "--minutes", "0.3", "--ids", "100000")).isZero();
        Map<String, Double> figures = figures("soak");
        assertThat(figures.get("soak.ids")).isGreaterThanOrEqualTo(100_000);
        assertThat(figures.get("soak.window.failures")).isPositive();
        assertThat(figures.get("soak.state.failures")).isPositive();
        Table samples = Table.parse(Files.readAllLines(directory.resolve("soak.csv")));
        for (SoakSeries series : SoakSeries.values()) {
            if (!series.maybeUnknown()) {
                assertThat(values(samples, series)).as(series.id()).anyMatch(value -> value > 0);
            }
        }
    }

    /** Without those of samples between two attempts of a job. */
    private static List<Double> values(Table samples, SoakSeries series) {
        List<Double> values = new ArrayList<>();
        for (int row = 0; row < samples.size(); row++) {
            String text = samples.text(row, series.id());
            if (!text.isEmpty()) {
                values.add(Double.parseDouble(text));
            }
        }
        return values;
    }

    @Test
    void aNegativeLengthIsRefused() {
        assertThatThrownBy(() -> run(new SoakCommand(), "--ids", "-1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--ids");
    }
}
