/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/**
 * Draws ranks 0 to n-1, rank i with probability proportional to (i+1)^-s, in constant time and
 * memory: rejection-inversion (Hörmann, Derflinger: Rejection-inversion to generate variates from
 * monotone discrete distributions, ACM TOMACS 6, 1996).
 */
final class ZipfSampler {
    private static final double NEAR_ZERO = 1e-8;

    private final int n;
    private final double exponent;
    private final double integralOfFirst;
    private final double integralOfLast;
    private final double shortcut;

    ZipfSampler(int n, double exponent) {
        this.n = n;
        this.exponent = exponent;
        integralOfFirst = integral(1.5) - 1;
        integralOfLast = integral(n + 0.5);
        shortcut = 2 - inverseIntegral(integral(2.5) - density(2));
    }

    int next(SplitMix64 random) {
        while (true) {
            double u = integralOfLast + random.nextDouble() * (integralOfFirst - integralOfLast);
            double x = inverseIntegral(u);
            int rank = (int) Math.max(1, Math.min(n, x + 0.5));
            if (rank - x <= shortcut || u >= integral(rank + 0.5) - density(rank)) {
                return rank - 1;
            }
        }
    }

    private double density(double x) {
        return StrictMath.exp(-exponent * StrictMath.log(x));
    }

    /** An integral of the density: (x^(1-s) - 1) / (1 - s), or log x for s = 1. */
    private double integral(double x) {
        double log = StrictMath.log(x);
        return log * expm1Ratio((1 - exponent) * log);
    }

    private double inverseIntegral(double u) {
        double t = Math.max(-1, u * (1 - exponent));
        return StrictMath.exp(u * log1pRatio(t));
    }

    /** (e^x - 1) / x, continued to 0. */
    private static double expm1Ratio(double x) {
        return Math.abs(x) > NEAR_ZERO ? StrictMath.expm1(x) / x : 1 + x / 2;
    }

    /** log(1 + x) / x, continued to 0. */
    private static double log1pRatio(double x) {
        return Math.abs(x) > NEAR_ZERO ? StrictMath.log1p(x) / x : 1 - x / 2;
    }
}
