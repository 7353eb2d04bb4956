/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.filter.quotient.FingerprintCursor;
import io.sluice.filter.quotient.QuotientFilter;

/**
 * Where fingerprints lie in the paper's layout, each in the slot of its quotient or behind its
 * predecessor. It follows from the sorted quotients alone, so a cursor is enough.
 */
final class SlotPicture {
    private long count;
    private long clusters;
    private long runs;
    private double clusterSquares;
    private double shifts;
    private long lastPlace = -1;
    private long lastQuotient = -1;
    private long clusterLength;

    SlotPicture(QuotientFilter filter) {
        FingerprintCursor cursor = filter.cursor();
        long[] batch = new long[1024];
        int n = cursor.next(batch);
        while (n > 0) {
            for (int i = 0; i < n; i++) {
                add(batch[i] >>> filter.remainderBits());
            }
            n = cursor.next(batch);
        }
        endCluster();
    }

    private void add(long quotient) {
        count++;
        runs += quotient == lastQuotient ? 0 : 1;
        long place = Math.max(lastPlace + 1, quotient);
        if (place == quotient && quotient != lastQuotient) {
            endCluster();
            clusters++;
        }
        clusterLength++;
        shifts += place - quotient;
        lastPlace = place;
        lastQuotient = quotient;
    }

    private void endCluster() {
        clusterSquares += (double) clusterLength * clusterLength;
        clusterLength = 0;
    }

    double meanCluster() {
        return (double) count / clusters;
    }

    /** The mean length of the cluster that a random fingerprint is in: what an operation meets. */
    double clusterOfAKey() {
        return clusterSquares / count;
    }

    double meanRun() {
        return (double) count / runs;
    }

    double meanShift() {
        return shifts / count;
    }
}
