/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.filter.plane.FalsePositiveModel;

/**
 * The formulas of {@link FalsePositiveModel} for a {@link FilterState}. The figures use the
 * exponential form of the equations, 1 - e^(-kl/m), as the paper does on its right-hand sides.
 */
final class Formulas {
    private Formulas() {}

    /** Equation (3) as printed, taking filters as independent. */
    static double equationThree(FilterState state, int bits) {
        double[] filters = new double[state.count()];
        for (int i = 0; i < filters.length; i++) {
            filters[i] = state.inFilter(i);
        }
        return FalsePositiveModel.equation3(filters, exponentialForm(bits), FbfRun.HASHES);
    }

    /** Future, a pair of neighbours with their shared slice, or the oldest alone. */
    static double exact(FilterState state, int bits) {
        return FalsePositiveModel.neighbourPairs(
                counts(state), exponentialForm(bits), FbfRun.HASHES);
    }

    /** Present or oldest; the paper's simple check with one past filter. */
    static double simple(FilterState state, int bits) {
        return FalsePositiveModel.simple(counts(state), exponentialForm(bits), FbfRun.HASHES);
    }

    /** The simple check as a product over all filters, as if they were independent. */
    static double simpleIndependent(FilterState state, int bits) {
        double none = 1;
        for (int i = 0; i < state.count(); i++) {
            none *=
                    1
                            - FalsePositiveModel.bloom(
                                    state.inFilter(i), exponentialForm(bits), FbfRun.HASHES);
        }
        return 1 - none;
    }

    private static double[] counts(FilterState state) {
        double[] counts = new double[state.count()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = state.slice(i);
        }
        return counts;
    }

    /** The m' for which (1 - 1/m')^x = e^(-x/m); about m + 1/2. */
    private static double exponentialForm(int bits) {
        return -1 / Math.expm1(-1.0 / bits);
    }
}
