/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

/**
 * Errors of a table of fingerprints and values: the keys that share a key's fingerprint and place
 * are Poisson in number, and have values as all have.
 *
 * @param ambiguous held keys that share theirs with a key of another value
 * @param falseValues absent keys that share theirs with held ones of one value
 * @param falsePositives absent keys that share theirs with any
 */
record MapletModel(double ambiguous, double falseValues, double falsePositives) {

    /**
     * The model.
     *
     * @param met other keys with the fingerprint and place of a key, in the mean
     * @param shares of the values, in any unit
     */
    static MapletModel of(double met, double... shares) {
        double total = 0;
        for (double share : shares) {
            total += share;
        }
        double ambiguous = 0;
        double falseValues = 0;
        for (double share : shares) {
            double p = share / total;
            double noOtherValue = Math.exp(-met * (1 - p));
            ambiguous += p * (1 - noOtherValue);
            falseValues += noOtherValue * -Math.expm1(-met * p);
        }
        return new MapletModel(ambiguous, falseValues, -Math.expm1(-met));
    }
}
