/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

/** Parameters of the paper's evaluation. */
public final class CcfRun {

    /** Elements of a multiset. */
    public static final int ELEMENTS = 64_000;

    /** Buckets for them. */
    public static final int BUCKETS = 16_384;

    /** Bits of a counter. */
    public static final int COUNTER_BITS = 8;

    private CcfRun() {}
}
