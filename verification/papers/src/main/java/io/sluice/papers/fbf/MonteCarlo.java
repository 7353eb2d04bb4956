/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.Run;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Measures the false-positive probability of a {@link ForgetfulBloomFilter} with absent elements.
 * One filling has its own number of set bits and hence its own probability, so the error comes from
 * the spread between independent fillings, not from the number of probes alone.
 *
 * @param fillings at least 2
 * @param probes absent elements asked per state and filling
 */
record MonteCarlo(int bits, int hashes, int fillings, int probes, long seed) {

    /** How many probes the reference has for each of its fillings. */
    private static final double PROBES_A_FILLING = 200_000;

    static MonteCarlo of(Run run, int bits, int probes) {
        return new MonteCarlo(bits, 5, run.size(16, 8), run.size(probes, probes / 10), run.seed());
    }

    /**
     * A measured probability.
     *
     * @param variance between fillings
     * @param probes of all fillings
     */
    record Estimate(double mean, double variance, double probes, int fillings) {

        double standardError() {
            return Math.sqrt(Math.max(variance / fillings, mean * (1 - mean) / probes));
        }

        /** Compares it with another one of {@code theirProbes}. */
        void compare(Agreement with, String point, double theirs, double theirProbes) {
            double p = Math.max(mean, 0.5 / probes);
            double binomial = p * (1 - p);
            double between = Math.max(0, variance - binomial * fillings / probes);
            double ours = Math.max(variance / fillings, binomial / probes);
            double their = binomial / theirProbes + between * PROBES_A_FILLING / theirProbes;
            // Few hits have a skewed distribution: three are always allowed.
            double free = 3 / Math.min(probes, theirProbes);
            double distance = Math.max(0, Math.abs(mean - theirs) - free);
            with.near(point, theirs + distance, theirs, Math.sqrt(ours + their));
        }
    }

    /** The mean over {@code states}: elements per slice, from the newest. */
    Estimate measure(Rule rule, double[]... states) {
        double[] rates =
                IntStream.range(0, fillings)
                        .parallel()
                        .mapToDouble(filling -> rate(rule, states, filling))
                        .toArray();
        double mean = Arrays.stream(rates).average().orElseThrow();
        double squares = Arrays.stream(rates).map(rate -> (rate - mean) * (rate - mean)).sum();
        double all = (double) fillings * probes * states.length;
        return new Estimate(mean, squares / (fillings - 1), all, fillings);
    }

    private double rate(Rule rule, double[][] states, int filling) {
        SplittableRandom random = new SplittableRandom(seed + 1_000_003L * filling);
        long hits = 0;
        for (double[] slices : states) {
            ForgetfulBloomFilter filter =
                    new ForgetfulBloomFilter(bits, hashes, slices.length - 2, rule);
            for (int slice = slices.length - 1; slice >= 0; slice--) {
                for (int i = 0; i < slices[slice]; i++) {
                    filter.put(random.nextLong());
                }
                if (slice > 0) {
                    filter.refresh();
                }
            }
            for (int i = 0; i < probes; i++) {
                hits += filter.mightContain(random.nextLong()) ? 1 : 0;
            }
        }
        return (double) hits / ((double) probes * states.length);
    }
}
