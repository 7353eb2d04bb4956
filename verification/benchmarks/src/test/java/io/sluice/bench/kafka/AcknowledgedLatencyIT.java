/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.bench.report.BenchReport;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AcknowledgedLatencyIT extends ReportTestCase {
    @Test
    void eachOperationIsAcknowledgedOnceWithTheFilterAndWithout() throws Exception {
        BenchReport report = report("kafka");

        AcknowledgedLatency.run(report, directory, 2, 1);

        report.write();
        assertThat(report.ok()).isTrue();
        Map<String, Double> figures = figures("kafka");
        for (String filter : new String[] {"filter", "noFilter"}) {
            assertThat(figures.get("kafka.fig15.acknowledgedMedianMillis." + filter))
                    .isPositive()
                    .isLessThanOrEqualTo(
                            figures.get("kafka.fig15.acknowledgedP99Millis." + filter));
        }
        for (String percentile : new String[] {"Median", "P99"}) {
            String name = "kafka.fig15.acknowledged" + percentile;
            assertThat(figures.get(name + "RatioToNoFilter"))
                    .isEqualTo(
                            figures.get(name + "Millis.filter")
                                    / figures.get(name + "Millis.noFilter"));
        }
    }
}
