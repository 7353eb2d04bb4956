/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.operator.DedupRun.Engine;
import io.sluice.bench.operator.DedupRun.Kind;
import io.sluice.bench.operator.DedupRun.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DedupRunIT {
    private static final long RECORDS = 50_000;

    @TempDir Path checkpoints;

    /** Compared engines must do the same work, or their speed is meaningless. */
    @ParameterizedTest
    @EnumSource(Engine.class)
    void everyEngineLetsTheRightRecordsPass(Engine engine) throws Exception {
        for (Kind kind : Kind.values()) {
            Result result = DedupRun.run(engine, kind, RECORDS, checkpoints);
            long expected = engine == Engine.NOOP ? RECORDS : Ids.distinct(RECORDS);
            long drops = engine == Engine.FILTER ? 20 : 0; // configured: 1e-4 of 45,000
            assertThat(result.passed()).as("%s", kind).isBetween(expected - drops, expected);
            assertThat(result.recordsPerSecond()).isPositive();
        }
    }

    /** A window that never ends would flatter the filter. */
    @Test
    void theFilterForgetsWhatHasLeftTheWindow() throws Exception {
        Ids ofAll = Ids.ofAll(RECORDS, 2);
        Result result = DedupRun.run(Engine.FILTER, Kind.LONG, RECORDS, ofAll, checkpoints);
        assertThat(result.passed()).isGreaterThan(Ids.distinct(RECORDS) + 500);
    }
}
