/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WriteFormulaTest {
    private static double binomial(int n, int k) {
        double result = 1;
        for (int i = 1; i <= k; i++) {
            result = result * (n - k + i) / i;
        }
        return result;
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
                long buffers = (long) binomial(d + k, k) - 1;
                double all = k * binomial(d + k, k + 1);
                double written = WriteFormula.fewFiles(buffers, k) * buffers;
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
        assertThat(WriteFormula.fewFiles(5, 1)).isEqualTo(1 + 14.0 / 5, within(1e-12));
    }

    /**
     * 1 for the flush, (b - 1) / 2 for each level, 1 for the last merge, minus what is not merged.
     */
    @Test
    void doublingAgreesWithTheClosedForm() {
        for (int fanOut : new int[] {2, 4, 8}) {
            long buffers = 1;
            for (int level = 1; level <= 3; level++) {
                buffers *= fanOut;
                assertThat(WriteFormula.doubling(buffers, fanOut))
                        .as("fan-out %d level %d", fanOut, level)
                        .isEqualTo(1 + level * (fanOut - 1) / 2.0 + 1 - 1.0 / fanOut, within(1e-9));
            }
        }
    }

    @Test
    void thePaperMergesTheBufferDirectly() {
        assertThat(WriteFormula.paper(64)).isEqualTo(4, within(1e-12));
        assertThat(WriteFormula.doubling(64, 2)).isEqualTo(4.5, within(1e-12));
    }
}
