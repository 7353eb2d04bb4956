/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.DashboardMetrics;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReconcileMetricsTest {
    @Test
    void theDashboardAsksForMetricsThatExist() throws IOException {
        DashboardMetrics metrics = new DashboardMetrics();
        var unused = new ReconcileMetrics(metrics);
        ReadMessages.counters(metrics);

        metrics.assertHaveAllOf("sluice-reconcile.json");
    }
}
