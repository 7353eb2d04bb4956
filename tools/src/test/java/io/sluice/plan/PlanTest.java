/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.window.MemoryBudget;
import io.sluice.filter.window.OverflowPolicy;
import io.sluice.filter.window.WindowedFilter;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import java.time.Duration;
import java.util.Random;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;

/** Plans agree with their inverses, and with what is really allocated. */
class PlanTest {
    private static final long SEED = Long.getLong("test.seed", 20261125L);
    private static final int TRIALS = 300;
    private static final long MEBIBYTE = 1 << 20;

    private static WindowSettings settings(
            Duration window, double fpp, long idsPerSecond, MemorySize memory) {
        return new WindowSettings(
                window,
                fpp,
                idsPerSecond,
                memory,
                OverflowPolicy.FORGET_OLDEST,
                TimeDomain.EVENT,
                false,
                0,
                null,
                false,
                null,
                null);
    }

    private static WindowPlan plan(
            WindowSettings settings, int parallelism, int maxParallelism, Find find) {
        return WindowPlan.find(
                settings, parallelism, maxParallelism, find, 0, WindowPlan.CORE_NANOS_PER_RECORD);
    }

    private static final class Trial {
        final Duration window;
        final double fpp;
        final long rate;
        final int parallelism;
        final int maxParallelism;

        Trial(Random random) {
            window = Duration.ofMillis((long) Math.pow(10, 3 + 6 * random.nextDouble()));
            fpp = Math.pow(10, -1 - 10 * random.nextDouble());
            rate = (long) Math.pow(10, 5 * random.nextDouble());
            maxParallelism = 1 << random.nextInt(16);
            parallelism = 1 + random.nextInt(Math.min(64, maxParallelism));
        }

        WindowSettings with(long memory) {
            return settings(window, fpp, rate, new MemorySize(memory));
        }
    }

    @Test
    void theMemoryThatIsFoundSufficesAndAMebibyteLessDoesNot() {
        Random random = new Random(SEED);
        for (int i = 0; i < TRIALS; i++) {
            Trial trial = new Trial(random);
            WindowPlan found =
                    plan(
                            trial.with(MEBIBYTE),
                            trial.parallelism,
                            trial.maxParallelism,
                            Find.MEMORY);

            assertThat(found.fits()).isTrue();
            assertThat(found.neededBytes()).isLessThanOrEqualTo(found.memoryBytes());
            if (found.memoryBytes() > MEBIBYTE) {
                WindowPlan less =
                        plan(
                                trial.with(found.memoryBytes() - MEBIBYTE),
                                trial.parallelism,
                                trial.maxParallelism,
                                Find.NOTHING);
                assertThat(less.fits()).as("%s", found).isFalse();
            }
        }
    }

    @Test
    void theWindowAndTheRateThatAreFoundFit() {
        Random random = new Random(SEED);
        for (int i = 0; i < TRIALS; i++) {
            Trial trial = new Trial(random);
            WindowPlan memory =
                    plan(
                            trial.with(MEBIBYTE),
                            trial.parallelism,
                            trial.maxParallelism,
                            Find.MEMORY);
            WindowSettings given = trial.with(memory.memoryBytes());

            WindowPlan window = plan(given, trial.parallelism, trial.maxParallelism, Find.WINDOW);
            assertThat(window.windowMillis()).isGreaterThanOrEqualTo(trial.window.toMillis());
            assertThat(window.fits()).isTrue();

            WindowPlan rate = plan(given, trial.parallelism, trial.maxParallelism, Find.RATE);
            assertThat(rate.idsPerSecond()).isGreaterThanOrEqualTo(trial.rate);
            assertThat(rate.fits()).isTrue();
        }
    }

    @Test
    void whatIsPlannedIsWhatTheFiltersOfASubtaskTake() {
        WindowSettings given =
                settings(Duration.ofMinutes(10), 1e-6, 5_000, MemorySize.ofMebiBytes(512));
        WindowPlan found = plan(given, 1, 4, Find.NOTHING);

        MemoryBudget budget = new MemoryBudget(512 * MEBIBYTE, 4);
        long taken = 0;
        for (int keyGroup = 0; keyGroup < 4; keyGroup++) {
            WindowedFilter filter =
                    WindowedFilter.create(given.windowOptions(4), budget, Long.MIN_VALUE);
            taken += filter.sizeInBytes();
        }
        assertThat((double) taken)
                .isBetween(0.98 * found.neededBytes(), 1.02 * found.neededBytes());
    }

    @Test
    void keysForEverAndTheirMemoryAreInverse() {
        CascadePlan.Given given =
                new CascadePlan.Given(1e-6, 4, 128, null, null, CascadePlan.CORE_NANOS_PER_RECORD);
        for (long keys = 1_000; keys <= 10_000_000_000L; keys *= 10) {
            CascadePlan memory = CascadePlan.forKeys(given, keys, null);
            CascadePlan back = CascadePlan.forMemory(given, memory.managedBytes());

            assertThat(memory.fits()).isTrue();
            assertThat((double) back.keys()).isBetween(0.95 * keys, 1.10 * keys + 1_000);
        }
    }

    @Test
    void tooLittleIsRefused() {
        CascadePlan.Given given =
                new CascadePlan.Given(1e-6, 1, 128, null, null, CascadePlan.CORE_NANOS_PER_RECORD);
        assertThatThrownBy(given::keysAtTheRate)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give both, or the keys");
    }
}
