/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.job.Monitor.Count;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MonitorTest {
    @Test
    void sumsGoOnWhenCountsBeginAgain() {
        Monitor.Sums sums = new Monitor.Sums();
        sums.take(Map.of(Count.COMPLETED, 3L, Count.FAILED, 1L));
        sums.take(Map.of(Count.COMPLETED, 5L, Count.FAILED, 1L));
        sums.take(Map.of(Count.COMPLETED, 1L, Count.FAILED, 0L));
        sums.take(Map.of(Count.COMPLETED, 2L, Count.FAILED, 2L));
        assertThat(sums.get(Count.COMPLETED)).isEqualTo(7);
        assertThat(sums.get(Count.FAILED)).isEqualTo(3);
        assertThat(sums.get(Count.RESTORED)).isZero();
    }
}
