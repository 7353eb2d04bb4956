/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.DashboardMetrics;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class DeduplicateMetricsTest {
    @Test
    void theDashboardAsksForMetricsThatExist() throws IOException {
        DashboardMetrics metrics = new DashboardMetrics();
        var unused = new DeduplicateMetrics(metrics);

        metrics.assertHaveAllOf("sluice-deduplication.json");
    }
}
