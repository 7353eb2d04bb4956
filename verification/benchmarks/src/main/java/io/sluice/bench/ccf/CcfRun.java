/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import java.util.Optional;

/**
 * What the figures of one run share.
 *
 * @param repetitions random instances per point; small ones get more
 * @param mostElements of the largest instance
 */
public record CcfRun(
        BenchReport report,
        Optional<ReferenceTables> reference,
        int repetitions,
        int mostElements,
        long seed) {

    /** Elements of a multiset in the paper's evaluation, and its buckets. */
    public static final int ELEMENTS = 64_000;

    public static final int BUCKETS = 16_384;

    /** Bits of a counter in the paper's evaluation. */
    public static final int COUNTER_BITS = 8;

    /** Bits per element of a filter with fingerprints of {@code f} bits, counting all slots. */
    static double bitsPerElement(int f) {
        return 4.0 * BUCKETS * (f + COUNTER_BITS) / ELEMENTS;
    }
}
