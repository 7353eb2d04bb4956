/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.capture.traffic.SplitMix64;

/**
 * An endless sequence of well mixed 64-bit keys, each computed in about a nanosecond, so that
 * reading keys from memory does not compete with the measured operation.
 *
 * @param present keys 0 to present - 1 are in the filter
 * @param hits how many of 256 keys of the sequence are among them; the others are new, and never
 *     repeat
 */
public record Keys(long present, int hits) {
    /** All keys of the sequence are in the filter. */
    public static final int ALL = 256;

    private static final long ABSENT = 1L << 48;

    /** Keys that were never added. */
    public static Keys absent() {
        return new Keys(1, 0);
    }

    /** Only added keys, if keys 0 to {@code present} - 1 were added. */
    public static Keys present(long present) {
        return new Keys(present, ALL);
    }

    /** Half of each, in random order. */
    public static Keys half(long present) {
        return new Keys(present, ALL / 2);
    }

    /**
     * How many keys of {@link #half} fill the other half of a structure for {@code capacity} keys.
     * About half of them are new; the number is reduced by six standard deviations, so that no
     * structure gets more than it is made for.
     */
    public static long halvesThatFill(long capacity) {
        return Math.max(1, (long) (capacity - 6 * Math.sqrt((double) capacity)));
    }

    /** Key number {@code n}, less than 2^48. */
    public static long key(long n) {
        return SplitMix64.mix((n + 1) * SplitMix64.GAMMA);
    }

    /** The key at position {@code i} of the sequence. */
    public long at(long i) {
        long random = SplitMix64.mix(i ^ 0x5bd1e995L);
        if ((random & 0xff) < hits) {
            return key(Math.multiplyHigh(random >>> 1, 2 * present));
        }
        return key(ABSENT + i);
    }
}
