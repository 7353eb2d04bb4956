/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * Arithmetic of plain Bloom filters: false-positive probability, bits per key and number of
 * positions per key, each from the others. Pure functions, in the limit of many keys: p = (1 -
 * e^(-k/b))^k with k positions and b bits per key.
 */
public final class FilterSizing {

    private FilterSizing() {}

    /** False-positive probability with {@code bitsPerKey > 0} and {@code probes >= 1} positions. */
    public static double fpp(double bitsPerKey, int probes) {
        checkPositive("bitsPerKey", bitsPerKey);
        checkProbes(probes);
        return Math.pow(-Math.expm1(-probes / bitsPerKey), probes);
    }

    /** Bits per key that give {@code fpp}, in (0, 1), with {@code probes >= 1} positions. */
    public static double bitsPerKey(double fpp, int probes) {
        checkFpp(fpp);
        checkProbes(probes);
        return -probes / Math.log1p(-Math.pow(fpp, 1.0 / probes));
    }

    /** The number of positions that needs the fewest bits for {@code fpp}: about log2(1/fpp). */
    public static int optimalProbes(double fpp) {
        checkFpp(fpp);
        int floor = Math.max(1, (int) Math.floor(-Math.log(fpp) / Math.log(2)));
        return bitsPerKey(fpp, floor) <= bitsPerKey(fpp, floor + 1) ? floor : floor + 1;
    }

    /**
     * The smallest number of positions that needs at most {@code slack} times the fewest bits: each
     * position is a cache miss, and the optimum is flat.
     *
     * @param slack at least 1, such as 1.05
     */
    public static int fewestProbes(double fpp, double slack) {
        if (!(slack >= 1)) {
            throw new IllegalArgumentException("slack must be at least 1, got " + slack);
        }
        int probes = optimalProbes(fpp);
        double most = slack * bitsPerKey(fpp, probes);
        while (probes > 1 && bitsPerKey(fpp, probes - 1) <= most) {
            probes--;
        }
        return probes;
    }

    private static void checkFpp(double fpp) {
        if (!(fpp > 0 && fpp < 1)) {
            throw new IllegalArgumentException("fpp must be between 0 and 1, got " + fpp);
        }
    }

    private static void checkPositive(String name, double value) {
        if (!(value > 0)) {
            throw new IllegalArgumentException(name + " must be positive, got " + value);
        }
    }

    private static void checkProbes(int probes) {
        if (probes < 1) {
            throw new IllegalArgumentException("probes must be at least 1, got " + probes);
        }
    }
}
