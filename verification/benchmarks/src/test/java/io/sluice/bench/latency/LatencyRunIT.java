/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.latency.LatencyRun.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LatencyRunIT {
    private static final long RECORDS = 10_000;
    private static final long WARM_UP = 4_000;

    @TempDir Path checkpoints;

    /** A record that is told to be another would have another's latency. */
    @ParameterizedTest
    @EnumSource(LatencyEngine.class)
    void everyEngineLetsEachRecordThroughAndTellsItsLatency(LatencyEngine engine) throws Exception {
        Result result = LatencyRun.run(engine, 20_000, RECORDS, WARM_UP, checkpoints);
        assertThat(result.passed()).isEqualTo(RECORDS);
        assertThat(result.latencies().getTotalCount()).isEqualTo(RECORDS - WARM_UP);
        assertThat(result.latencies().getMaxValue()).isPositive();
    }
}
