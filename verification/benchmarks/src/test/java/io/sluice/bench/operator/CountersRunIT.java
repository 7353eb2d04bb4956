/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.operator.CountersRun.Counters;
import io.sluice.bench.operator.CountersRun.Engine;
import io.sluice.bench.operator.CountersRun.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CountersRunIT {
    private static final long RECORDS = 60_000;

    @TempDir Path checkpoints;

    /** Compared engines must do the same work, or their speed is meaningless. */
    @ParameterizedTest
    @EnumSource(Engine.class)
    void everyEngineCountsWhatItShould(Engine engine) throws Exception {
        for (Counters counters : Counters.values()) {
            Result result = CountersRun.run(engine, counters, RECORDS, checkpoints);
            boolean counts = engine != Engine.NOOP;
            long expected = counts ? CountersRun.distinct(RECORDS) : RECORDS;
            long missed = counts ? 20 : 0; // configured: 1e-4 of 30,000
            assertThat(result.counted()).as("%s", counters).isBetween(expected - missed, expected);
            assertThat(result.operationsPerSecond()).isPositive();
        }
    }
}
