/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/**
 * The SplitMix64 generator (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * OOPSLA 2014). Written out here, rather than taken from the JDK, because captures, faults and flow
 * ids must be the same on every version of every JDK. Not thread-safe.
 */
public final class SplitMix64 {
    /** The odd constant of the sequence: 2^64 divided by the golden ratio. */
    public static final long GAMMA = 0x9E3779B97F4A7C15L;

    private static final double DOUBLE_UNIT = 0x1.0p-53;

    private long state;

    /** A generator whose sequence depends only on {@code seed}. */
    public SplitMix64(long seed) {
        state = seed;
    }

    /** The finalizer: a bijection of 64 bits in which every bit of input moves every bit. */
    public static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Restarts as {@code new SplitMix64(seed)} would. */
    public void reseed(long seed) {
        state = seed;
    }

    /** 64 uniform bits. */
    public long nextLong() {
        state += GAMMA;
        return mix(state);
    }

    /** Uniform in [0, bound), with a bias of at most bound / 2^32. */
    public int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Uniform in [0, 1). */
    public double nextDouble() {
        return (nextLong() >>> 11) * DOUBLE_UNIT;
    }

    /**
     * Exponentially distributed with mean 1. {@code StrictMath}, so that it is bit for bit the same
     * everywhere.
     */
    public double nextExponential() {
        return -StrictMath.log(1.0 - nextDouble());
    }
}
