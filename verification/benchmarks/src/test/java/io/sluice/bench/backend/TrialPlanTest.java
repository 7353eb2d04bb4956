/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.backend.Trial.Api;
import io.sluice.bench.backend.Trial.IdKind;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TrialPlanTest {

    private static TrialPlan plan(boolean quick, Set<Engine> engines) {
        return new TrialPlan(quick, 800, 400, engines, EnumSet.allOf(Api.class));
    }

    @Test
    void aFullRoundComparesEveryEngineWithEverySortOfIdsAndParallelism() {
        TrialPlan plan = plan(false, EnumSet.allOf(Engine.class));
        List<Trial> trials = plan.oneRound();
        for (Engine engine : Engine.values()) {
            for (IdKind ids : IdKind.values()) {
                for (int parallelism : new int[] {1, 2}) {
                    int p = parallelism;
                    assertThat(trials)
                            .anyMatch(
                                    trial ->
                                            trial.engine() == engine
                                                    && trial.ids() == ids
                                                    && trial.api() == Api.DATASTREAM
                                                    && trial.parallelism() == p);
                }
            }
        }
        assertThat(trials).anyMatch(trial -> trial.api() == Api.SQL && trial.parallelism() == 1);
        for (Api api : Api.values()) {
            assertThat(trials).anyMatch(trial -> trial.api() == api);
        }
        assertThat(trials).noneMatch(trial -> trial.api().isSql() && trial.engine().isLimit());
        assertThat(trials).doesNotHaveDuplicates();
    }

    @Test
    void onlyTheEnginesThatWereAskedForTakePart() {
        TrialPlan plan = plan(true, EnumSet.of(Engine.HASHMAP));
        assertThat(plan.oneRound())
                .isNotEmpty()
                .allMatch(trial -> trial.engine() == Engine.HASHMAP && trial.records() <= 400);
        assertThat(plan.growing(1600, 3200, 4)).isEmpty();
    }

    @Test
    void onlyWhatWasAskedForIsMeasured() {
        TrialPlan plan =
                new TrialPlan(
                        true,
                        800,
                        400,
                        EnumSet.of(Engine.CASCADE, Engine.ROCKSDB),
                        EnumSet.of(Api.SQL_COUNT_DISTINCT));
        assertThat(plan.oneRound())
                .extracting(Trial::api)
                .containsExactly(Api.SQL_COUNT_DISTINCT, Api.SQL_COUNT_DISTINCT);
    }

    @Test
    void growingTrialsGrowToTheLargest() {
        TrialPlan plan = plan(false, EnumSet.of(Engine.ROCKSDB, Engine.CASCADE));
        assertThat(plan.growing(1600, 3200, 4))
                .extracting(Trial::records)
                .contains(100L, 1600L, 3200L)
                .hasSize(10);
    }

    @Test
    void onlyTheLargestGrowingTrialIsRestored() {
        TrialPlan plan = plan(false, EnumSet.of(Engine.CASCADE));
        assertThat(plan.growing(1600, 3200, 1))
                .allMatch(trial -> trial.restores() == (trial.records() == 3200))
                .hasSize(2);
        assertThat(plan.growing(1600, 3200, 0)).singleElement().matches(Trial::restores);
    }

    @Test
    void rocksDbWithMoreMemoryIsLeftOutOfAQuickRunUnlessItIsNamed() {
        assertThat(TrialPlan.usual(true))
                .contains(Engine.ROCKSDB, Engine.CASCADE_DEFAULT)
                .doesNotContain(Engine.ROCKSDB_1G, Engine.ROCKSDB_TUNED, Engine.CASCADE_4G);
        assertThat(TrialPlan.usual(false)).isEqualTo(EnumSet.allOf(Engine.class));
        TrialPlan plan = plan(true, EnumSet.of(Engine.ROCKSDB_TUNED));
        assertThat(plan.oneRound()).anyMatch(trial -> trial.engine() == Engine.ROCKSDB_TUNED);
    }

    @Test
    void theSlowestSecondLeavesOutTheFirstAndTheLast() {
        assertThat(secondsOf(1L, 100L, 50L, 150L, 2L).slowestSecondOverMean())
                .isEqualTo(OptionalDouble.of(0.5));
        assertThat(secondsOf(1L, 100L, 2L).slowestSecondOverMean()).isEmpty();
    }

    private static TrialResult secondsOf(Long... perSecond) {
        CheckpointCost cost = new CheckpointCost(1, 10, 10, 0, 0, 0);
        return new TrialResult(
                new Trial(Api.DATASTREAM, IdKind.LONG, 2, Engine.CASCADE, 1000, false),
                1,
                1,
                900,
                List.of(perSecond),
                List.of(cost),
                cost,
                cost,
                OptionalDouble.empty(),
                OptionalDouble.empty());
    }
}
