/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.ccf.MultisetPair.Side;

/**
 * How two sides stand after one round.
 *
 * @param union elements of both together
 * @param equal elements with equal multiplicities on both sides
 * @param right of these, those that have the greater of the two multiplicities they began with
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

    /** The paper's accuracy, equation 11 as far as it can be read. */
    public double equalShare() {
        return (double) equal / union;
    }

    public double rightShare() {
        return (double) right / union;
    }
}
