/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.capture.SplitMix64;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Measures a false-positive probability with absent elements. One filling of a filter has its own
 * number of set bits and hence its own probability, so the error comes from the spread between
 * independent fillings (realisations), not from the number of probes alone.
 */
final class MonteCarlo {
    private static final long ABSENT = 1L << 62;

    private final Subject.Factory factory;
    private final int bits;
    private final int hashes;
    private final int realisations;
    private final int probes;
    private final long seed;

    /**
     * @param probes absent elements asked per state and realisation
     * @param seed equal seeds give equal results
     */
    MonteCarlo(
            Subject.Factory factory,
            int bits,
            int hashes,
            int realisations,
            int probes,
            long seed) {
        if (realisations < 2) {
            throw new IllegalArgumentException(
                    "realisations=" + realisations + ": the spread needs at least 2");
        }
        this.factory = factory;
        this.bits = bits;
        this.hashes = hashes;
        this.realisations = realisations;
        this.probes = probes;
        this.seed = seed;
    }

    /** Mean over {@code states} (refresh phases of one figure's point, or a single state). */
    Estimate measure(List<FilterState> states) {
        double[] rates =
                IntStream.range(0, realisations)
                        .parallel()
                        .mapToDouble(r -> rate(states, SplitMix64.mix(seed + r * SplitMix64.GAMMA)))
                        .toArray();
        double mean =
                IntStream.range(0, rates.length).mapToDouble(i -> rates[i]).average().orElseThrow();
        double squares = 0;
        for (double rate : rates) {
            squares += (rate - mean) * (rate - mean);
        }
        return new Estimate(
                mean,
                squares / (realisations - 1),
                (long) realisations * probes * states.size(),
                realisations,
                factory.create(bits, hashes, states.get(0).past()).bits());
    }

    private double rate(List<FilterState> states, long key) {
        long hits = 0;
        for (int i = 0; i < states.size(); i++) {
            hits += hits(states.get(i), key + i);
        }
        return (double) hits / ((double) probes * states.size());
    }

    private long hits(FilterState state, long key) {
        Subject subject = factory.create(bits, hashes, state.past());
        long next = SplitMix64.mix(key);
        for (int slice = state.count() - 1; slice >= 0; slice--) {
            for (int i = 0; i < state.slice(slice); i++) {
                subject.add(SplitMix64.mix(next++));
            }
            if (slice > 0) {
                subject.refresh();
            }
        }
        long hits = 0;
        long absent = next ^ ABSENT;
        for (int i = 0; i < probes; i++) {
            if (subject.mightContain(SplitMix64.mix(absent + i))) {
                hits++;
            }
        }
        return hits;
    }

    /**
     * @param variance between realisations, including the binomial part
     * @param bits of the measured filters: the requested number, rounded up to cache lines
     */
    record Estimate(double mean, double variance, long probes, int realisations, int bits) {
        /** Standard error of the mean; at least the resolution that the number of probes allows. */
        double standardError() {
            return Math.sqrt(Math.max(variance / realisations, mean * (1 - mean) / probes));
        }

        /** The same for filters whose probability is {@code factor} times as large. */
        Estimate scaled(double factor) {
            return new Estimate(
                    mean * factor, variance * factor * factor, probes, realisations, bits);
        }
    }
}
