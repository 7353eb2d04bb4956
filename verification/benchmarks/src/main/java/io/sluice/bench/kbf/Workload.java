/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.capture.SplitMix64;
import io.sluice.filter.keyvalue.KeyValueModel;
import java.util.SplittableRandom;

/** Values of keys, drawn independently. Immutable. */
final class Workload {

    /** Shares of the eleven states of TCP connections. */
    static final Workload TCP =
            new Workload(
                    "tcp11", 0.80, 0.08, 0.03, 0.02, 0.02, 0.02, 0.015, 0.007, 0.003, 0.003, 0.002);

    static final Workload UNIFORM = new Workload("uniform3000", KeyValueModel.uniform(3000));

    private final String name;
    private final double[] probabilities;

    /**
     * A workload.
     *
     * @param name as in the tables
     * @param probabilities of the values, in any unit
     */
    Workload(String name, double... probabilities) {
        this.name = name;
        this.probabilities = probabilities.clone();
    }

    String name() {
        return name;
    }

    double[] probabilities() {
        return probabilities.clone();
    }

    int values() {
        return probabilities.length;
    }

    /** Values of {@code count} keys. */
    int[] draw(int count, SplittableRandom random) {
        double[] cumulative = probabilities.clone();
        for (int i = 1; i < cumulative.length; i++) {
            cumulative[i] += cumulative[i - 1];
        }
        double total = cumulative[cumulative.length - 1];
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
            int at = java.util.Arrays.binarySearch(cumulative, total * random.nextDouble());
            values[i] = Math.min(at < 0 ? -at - 1 : at, cumulative.length - 1);
        }
        return values;
    }

    /** The hash of key number {@code n} of a repetition. */
    static long key(long seed, long n) {
        return SplitMix64.mix(seed * 0x5851F42D4C957F2DL + (n + 1) * SplitMix64.GAMMA);
    }
}
