/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.capture.traffic.SplitMix64;

/**
 * A sequence of keys, the same for every structure: those of {@link Keys#key} in order, with
 * duplicates in between, for which each earlier key is equally likely.
 */
final class KeySource {
    private final long threshold;
    private long next;
    private long asked;

    /**
     * A sequence at its beginning.
     *
     * @param duplicates share of the keys that are duplicates, in [0, 1)
     */
    KeySource(double duplicates) {
        threshold = (long) (duplicates * 0x1p32);
    }

    /** Takes the next keys. */
    void fill(long... into) {
        for (int i = 0; i < into.length; i++) {
            long random = SplitMix64.mix(++asked * SplitMix64.GAMMA);
            boolean duplicate = (random >>> 32) < threshold && next > 0;
            into[i] =
                    Keys.key(
                            duplicate
                                    ? Math.multiplyHigh(SplitMix64.mix(random) >>> 1, 2 * next)
                                    : next++);
        }
    }

    /** Different keys so far. */
    long different() {
        return next;
    }
}
