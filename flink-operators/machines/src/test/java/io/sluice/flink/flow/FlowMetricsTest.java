/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.DashboardMetrics;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FlowMetricsTest {
    @Test
    void theDashboardAsksForMetricsThatExist() throws IOException {
        DashboardMetrics metrics = new DashboardMetrics();
        var unused = new FlowMetrics(metrics, StoreMemory.unlimited());

        metrics.assertHaveAllOf("sluice-flows.json");
    }
}
