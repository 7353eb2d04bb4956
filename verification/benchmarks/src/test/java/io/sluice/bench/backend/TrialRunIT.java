/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.backend.Trial.Api;
import io.sluice.bench.backend.Trial.IdKind;
import io.sluice.bench.operator.Ids;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TrialRunIT {
    private static final long RECORDS = 20_000;

    private static TrialResult run(
            Api api, IdKind ids, int parallelism, Engine engine, boolean restores)
            throws Exception {
        return TrialRun.run(
                new Trial(api, ids, parallelism, engine, RECORDS, restores),
                1,
                Duration.ofSeconds(10));
    }

    private static void assertWhole(TrialResult result) {
        Engine engine = result.trial().engine();
        long expected = engine == Engine.NOOP ? RECORDS : Ids.distinct(RECORDS);
        // At the configured 1e-4, 1.8 are dropped on average.
        long drops = engine.isCascade() ? 9 : (long) (engine.falsePositiveProbability() * RECORDS);
        assertThat(result.passed()).isBetween(expected - drops, expected);
        assertThat(result.recordsPerSecond()).isPositive();
        assertThat(result.full().stateBytes()).isPositive();
    }

    /** Compared engines must do the same work, or their speed is meaningless. */
    @ParameterizedTest
    @EnumSource
    void everyEngineLetsTheRightRecordsPass(Engine engine) throws Exception {
        assertWhole(run(Api.DATASTREAM, IdKind.LONG, 2, engine, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "CASCADE"})
    void sqlLetsTheRightRecordsPass(Engine engine) throws Exception {
        assertWhole(run(Api.SQL, IdKind.STRING36, 1, engine, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "CASCADE"})
    void sqlInEventTimeLetsTheRightRecordsPass(Engine engine) throws Exception {
        assertWhole(run(Api.SQL_ROWTIME, IdKind.LONG, 2, engine, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "CASCADE"})
    void theFunctionLetsTheRightRecordsPass(Engine engine) throws Exception {
        assertWhole(run(Api.SQL_PTF, IdKind.LONG, 2, engine, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "CASCADE"})
    void distinctValuesAreCounted(Engine engine) throws Exception {
        assertWhole(run(Api.SQL_COUNT_DISTINCT, IdKind.LONG, 2, engine, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "CASCADE"})
    void restoresAreTimed(Engine engine) throws Exception {
        TrialResult result = run(Api.DATASTREAM, IdKind.STRING36, 2, engine, true);
        assertWhole(result);
        assertThat(result.restoreSeconds()).isPresent();
        assertThat(result.rescaleSeconds()).isPresent();
    }
}
