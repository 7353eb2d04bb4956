/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.DashboardMetrics;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class AttackMetricsTest {
    @Test
    void theDashboardAsksForMetricsThatExist() throws IOException {
        DashboardMetrics metrics = new DashboardMetrics();
        var unused = new AttackMetrics(metrics);

        metrics.assertHaveAllOf("sluice-attacks.json");
    }
}
