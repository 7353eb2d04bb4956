/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;
import java.util.SplittableRandom;

/**
 * What a filter answers after insertions only.
 *
 * @param keys keys held, and the number of absent keys looked up
 * @param ambiguous held keys whose value was not told; denied keys would count as wrong
 * @param falseValues absent keys that got a value
 * @param falseAmbiguous absent keys that were ambiguous
 * @param wrong held keys with another value, or denied
 */
record StaticErrors(int keys, int ambiguous, int falseValues, int falseAmbiguous, int wrong) {

    /** Absent keys have numbers from here on. */
    private static final long ABSENT = 1L << 40;

    static StaticErrors measure(KeyValueFilter filter, Workload workload, int keys, long seed) {
        int[] values = workload.draw(keys, new SplittableRandom(seed));
        for (int i = 0; i < keys; i++) {
            filter.insert(Workload.key(seed, i), values[i]);
        }
        int ambiguous = 0;
        int falseValues = 0;
        int falseAmbiguous = 0;
        int wrong = 0;
        for (int i = 0; i < keys; i++) {
            int found = filter.query(Workload.key(seed, i));
            ambiguous += found == KeyValueFilter.AMBIGUOUS ? 1 : 0;
            wrong += found != KeyValueFilter.AMBIGUOUS && found != values[i] ? 1 : 0;
            int absent = filter.query(Workload.key(seed, ABSENT + i));
            falseValues += absent >= 0 ? 1 : 0;
            falseAmbiguous += absent == KeyValueFilter.AMBIGUOUS ? 1 : 0;
        }
        return new StaticErrors(keys, ambiguous, falseValues, falseAmbiguous, wrong);
    }

    double ambiguousShare() {
        return (double) ambiguous / keys;
    }

    double falseValueShare() {
        return (double) falseValues / keys;
    }

    /** Absent keys not answered as absent. */
    double falsePositiveShare() {
        return (double) (falseValues + falseAmbiguous) / keys;
    }

    /** What the tables call sum_err: held keys not told right, and absent keys with a value. */
    double total() {
        return (double) (ambiguous + falseValues + wrong) / keys;
    }

    /** Includes ambiguous absent keys: what the sizing minimises. */
    double strictTotal() {
        return total() + (double) falseAmbiguous / keys;
    }
}
