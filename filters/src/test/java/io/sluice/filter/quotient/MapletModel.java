/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

/**
 * Errors of a table of fingerprints and values: the number of keys that share a key's fingerprint
 * and place is Poisson, and their values are distributed like all values.
 *
 * @param ambiguous held keys that share theirs with a key of another value
 * @param falseValues absent keys that share theirs with held keys of one value
 * @param falsePositives absent keys that share theirs with any held key
 */
record MapletModel(double ambiguous, double falseValues, double falsePositives) {

    /**
     * The model.
     *
     * @param met mean number of other keys with the fingerprint and place of a key
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
