/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.BenchReport;
import io.sluice.papers.figure.Table;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SoakSamplesTest extends ReportTestCase {
    private final SoakSamples samples = new SoakSamples();

    private BenchReport longReport() throws Exception {
        return new BenchReport(
                "soak",
                directory,
                false,
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
    }

    /** Each series at 100, but for handles. */
    private void sample(int count, double handlesEach, SoakSeries... missing) {
        for (int i = 0; i < count; i++) {
            Map<SoakSeries, Double> sample = new EnumMap<>(SoakSeries.class);
            for (SoakSeries series : SoakSeries.values()) {
                sample.put(series, 100.0);
            }
            sample.put(SoakSeries.HANDLES, 100 + i * handlesEach);
            for (SoakSeries series : missing) {
                sample.remove(series);
            }
            samples.add(i, sample);
        }
    }

    private boolean holds(BenchReport report) throws Exception {
        samples.judge(report);
        return report.ok();
    }

    @Test
    void whatIsFlatHoldsAndHasARowForEachSeries() throws Exception {
        sample(60, 0);
        assertThat(holds(longReport())).isTrue();
        assertThat(Table.parse(Files.readAllLines(directory.resolve("soak-thirds.csv"))).size())
                .isEqualTo(SoakSeries.values().length);
    }

    @Test
    void oneSeriesThatGrowsFailsARunAndNotAQuickOne() throws Exception {
        sample(60, 1);
        assertThat(holds(longReport())).isFalse();
        assertThat(holds(report("soak"))).isTrue();
    }

    @Test
    void aRunThatIsTooShortToJudgeFailsAndAQuickOneDoesNot() throws Exception {
        sample(3 * Thirds.LEAST - 1, 0);
        assertThat(holds(longReport())).isFalse();
        assertThat(holds(report("soak"))).isTrue();
    }

    @Test
    void whatTheSystemDoesNotTellIsLeftOut() throws Exception {
        sample(60, 0, SoakSeries.RSS, SoakSeries.HANDLES);
        assertThat(holds(longReport())).isTrue();
    }

    @Test
    void anotherSeriesThatIsMissingFails() throws Exception {
        sample(60, 0, SoakSeries.METRICS);
        assertThat(holds(longReport())).isFalse();
    }
}
