/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import java.util.Optional;

/**
 * What the figures of one run share.
 *
 * @param realisations independent fillings of a filter per point
 * @param probes absent elements looked up per filling, refresh phase and point
 */
record FbfRun(
        BenchReport report,
        Optional<ReferenceTables> reference,
        int realisations,
        int probes,
        long seed) {

    /** Positions per element in every figure of the paper. */
    static final int HASHES = 5;

    /** Bits per filter in figures 8, 9, 12 and 13. */
    static final int BITS = 6250;

    MonteCarlo monteCarlo(Subject.Factory factory, int bits) {
        return new MonteCarlo(factory, bits, HASHES, realisations, probes, seed);
    }

    /** A run with {@code share} times the probes, for rates too small for the usual number. */
    MonteCarlo monteCarlo(Subject.Factory factory, int bits, double share) {
        return new MonteCarlo(factory, bits, HASHES, realisations, (int) (probes * share), seed);
    }
}
