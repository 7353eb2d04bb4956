/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

/** The finalizer of SplitMix64 (Steele, Lea, Flood 2014): distinct inputs, well mixed outputs. */
public final class SplitMix {
    /** The odd constant of the generator's sequence, 2^64 divided by the golden ratio. */
    public static final long GAMMA = 0x9E3779B97F4A7C15L;

    private SplitMix() {}

    public static long mix(long z) {
        long x = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
