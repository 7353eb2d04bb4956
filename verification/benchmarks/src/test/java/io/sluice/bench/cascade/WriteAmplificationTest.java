/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.math3.util.CombinatoricsUtils;
import org.junit.jupiter.api.Test;

class WriteAmplificationTest {
    private static double fewFiles(long buffers, int files) {
        return WriteAmplification.writes(buffers, t -> WriteAmplification.youngestOfFew(t, files));
    }

    private static double levels(long buffers, int fanOut) {
        return WriteAmplification.writes(
                buffers, t -> WriteAmplification.youngestOfLevels(t, fanOut));
    }

    /**
     * The schedule writes all of C(d + k, k) - 1 buffers k C(d + k, k + 1) times together; ours
     * writes a buffer again when it is merged immediately. It is not merged immediately if the
     * youngest file of the target is a single buffer.
     */
    @Test
    void fewFilesAgreesWithTheClosedForm() {
        for (int k = 2; k <= 5; k++) {
            for (int d = 1; d <= 6; d++) {
                long buffers = CombinatoricsUtils.binomialCoefficient(d + k, k) - 1;
                double all = (double) k * CombinatoricsUtils.binomialCoefficient(d + k, k + 1);
                double written = fewFiles(buffers, k) * buffers;
                assertThat(written)
                        .as("k %d d %d", k, d)
                        .isBetween(Math.max(all, (double) buffers), all + buffers);
                assertThat(written).isEqualTo(Math.rint(written), within(1e-6));
            }
        }
    }

    @Test
    void oneFileIsRewrittenEachTime() {
        // 1 + (2 + 3 + 4 + 5) / 5
        assertThat(fewFiles(5, 1)).isEqualTo(1 + 14.0 / 5, within(1e-12));
    }

    /**
     * 1 for the flush, (b - 1) / 2 for each level, 1 for the last merge, minus what is not merged.
     */
    @Test
    void levelsAgreeWithTheClosedForm() {
        for (int fanOut : new int[] {2, 4, 8}) {
            long buffers = 1;
            for (int level = 1; level <= 3; level++) {
                buffers *= fanOut;
                assertThat(levels(buffers, fanOut))
                        .as("fan-out %d level %d", fanOut, level)
                        .isEqualTo(1 + level * (fanOut - 1) / 2.0 + 1 - 1.0 / fanOut, within(1e-9));
            }
        }
    }
}
