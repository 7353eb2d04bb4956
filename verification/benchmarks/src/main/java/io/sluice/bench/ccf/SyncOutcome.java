/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.ccf.MultisetPair.Side;

/**
 * The state of two sides after one round.
 *
 * @param union elements of both together
 * @param equal elements with equal multiplicities on both sides
 * @param right equal elements that have the larger of their two initial multiplicities
 * @param sent elements that were sent, both directions together
 */
public record SyncOutcome(int union, int equal, int right, long sent) {

    public static SyncOutcome of(MultisetPair pair, long[] a, long[] b, long sent) {
        long[] beforeA = pair.copies(Side.A);
        long[] beforeB = pair.copies(Side.B);
        int equal = 0;
        int right = 0;
        for (int i = 0; i < pair.size(); i++) {
            if (a[i] == b[i]) {
                equal++;
                right += a[i] == Math.max(beforeA[i], beforeB[i]) ? 1 : 0;
            }
        }
        return new SyncOutcome(pair.size(), equal, right, sent);
    }

    /** The paper's accuracy, equation 11 as far as it is legible. */
    public double equalShare() {
        return (double) equal / union;
    }

    public double rightShare() {
        return (double) right / union;
    }
}
