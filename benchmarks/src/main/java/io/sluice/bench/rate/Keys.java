/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.run.SplitMix;

/**
 * An endless sequence of well mixed 64-bit keys, computed in about a nanosecond so that reading
 * keys from memory does not compete with what is measured.
 *
 * @param present keys 0 to present - 1 are in the filter
 * @param hits how many of 256 keys of the sequence are among them; the others are new, and never
 *     repeat
 */
record Keys(long present, int hits) {
    private static final long ABSENT = 1L << 48;

    /** The key of number {@code n}: the one that {@link Contender#fill} inserts. */
    static long key(long n) {
        return SplitMix.mix((n + 1) * SplitMix.GAMMA);
    }

    long at(long i) {
        long random = SplitMix.mix(i ^ 0x5bd1e995L);
        if ((random & 0xff) < hits) {
            return key(Math.multiplyHigh(random >>> 1, 2 * present));
        }
        return key(ABSENT + i);
    }
}
