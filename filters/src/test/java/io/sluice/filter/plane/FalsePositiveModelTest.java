/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class FalsePositiveModelTest {

    private static final Percentage ONE_PERCENT = Percentage.withPercentage(1);

    @Test
    void oneFilterIsTheTextbookFormula() {
        assertThat(FalsePositiveModel.bloom(150, 6250, 5)).isCloseTo(1.85e-5, within(2e-6));
        assertThat(FalsePositiveModel.bloom(0, 6250, 5)).isZero();
        assertThat(FalsePositiveModel.bloom(1e9, 6250, 5)).isCloseTo(1, within(1e-9));
    }

    /** Closed forms and an independent simulation at 300 ids in two slices, m = 6250, k = 5. */
    @Test
    void agreesWithTheKnownTransient() {
        double[] slices = {150, 150, 0};
        assertThat(FalsePositiveModel.simple(slices, 6250, 5)).isCloseTo(4.42e-4, ONE_PERCENT);
        double pairs = FalsePositiveModel.neighbourPairs(slices, 6250, 5);
        assertThat(1 - pairs / 4.42e-4).isBetween(0.90, 0.93);
    }

    /** At 30 ids/s, t = 5 s: 3, 6, 12 and 24 filters, by an independent simulation. */
    @Test
    void moreFiltersRaiseTheProbabilityAtAConstantRate() {
        double previous = 0;
        for (int filters : new int[] {3, 6, 12, 24}) {
            double[] slices = new double[filters];
            Arrays.fill(slices, 150);
            slices[0] = 75;
            double p = FalsePositiveModel.neighbourPairs(slices, 6250, 5);
            assertThat(p).isBetween(4e-4, 1.2e-3).isGreaterThan(previous);
            previous = p;
        }
    }

    @Test
    void slicesAreNeverWorseThanPairs() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            double[] slices = new double[random.nextInt(2, 30)];
            for (int j = 0; j < slices.length; j++) {
                slices[j] = random.nextInt(4) == 0 ? 0 : random.nextInt(2_000);
            }
            int k = random.nextInt(1, 20);
            double m = random.nextInt(100, 100_000);
            assertThat(FalsePositiveModel.slices(slices, m, k))
                    .isLessThanOrEqualTo(
                            FalsePositiveModel.neighbourPairs(slices, m, k) * (1 + 1e-9) + 1e-15);
        }
    }

    @Test
    void aPairIsTheSharedSliceOrBothOthers() {
        double m = 1000;
        double b = FalsePositiveModel.fill(50, m, 3);
        double a = FalsePositiveModel.fill(70, m, 3);
        double c = FalsePositiveModel.fill(90, m, 3);
        assertThat(FalsePositiveModel.pair(70, 50, 90, m, 3))
                .isCloseTo(Math.pow(b + (1 - b) * a * c, 3), within(1e-12));
    }

    @Test
    void aBlockedPlaneWithManyIdsIsFull() {
        assertThat(FalsePositiveModel.blocked(1e9, 6400, 64, 2, 4)).isEqualTo(1);
        assertThat(FalsePositiveModel.blocked(0, 6400, 64, 2, 4)).isZero();
    }
}
