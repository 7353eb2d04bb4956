/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.KeyValueModel;
import io.sluice.filter.keyvalue.KeyValueShape;
import io.sluice.filter.keyvalue.code.CodeKind;

/**
 * A key-value Bloom filter with a code, tag bits, and a price of its cells.
 *
 * @param name as in the tables
 * @param code all XOR codes for pairs behave alike, so BCH stands for the paper's greedy code
 * @param tagBits bits of the key in its symbol
 * @param paidBits bits that a cell is charged for; 0 for its actual bits, with a counter of 3 bits
 */
record Variant(String name, CodeKind code, int tagBits, int paidBits) {

    private static final int COUNTER_BITS = 3;
    private static final int MAX_PROBES = 16;

    static Variant of(String name, CodeKind code, int tagBits) {
        return new Variant(name, code, tagBits, 0);
    }

    int cellBits(int values) {
        return paidBits != 0 ? paidBits : COUNTER_BITS + code.wordBits(values << tagBits);
    }

    double cellsPerKey(double bitsPerKey, int values) {
        return bitsPerKey / cellBits(values);
    }

    KeyValueModel model(Workload workload, double cellsPerKey, int probes) {
        return KeyValueModel.of(code, probes, cellsPerKey, tagBits, workload.probabilities());
    }

    /** The number of cells per key with the smallest total error. */
    int bestProbes(Workload workload, double cellsPerKey) {
        int best = 1;
        double least = Double.POSITIVE_INFINITY;
        for (int probes = 1; probes <= MAX_PROBES; probes++) {
            KeyValueModel model = model(workload, cellsPerKey, probes);
            double error = model.ambiguous() + model.falsePositives();
            if (error < least) {
                least = error;
                best = probes;
            }
        }
        return best;
    }

    KeyValueBloomFilter filter(Workload workload, double cellsPerKey, int probes, int keys) {
        return filter(workload, cellsPerKey, probes, keys, 0);
    }

    KeyValueBloomFilter filter(
            Workload workload, double cellsPerKey, int probes, int keys, int exactKeys) {
        KeyValueShape shape =
                new KeyValueShape(
                        workload.values(),
                        code,
                        tagBits,
                        COUNTER_BITS,
                        probes,
                        (long) Math.ceil(cellsPerKey * keys / probes),
                        0);
        // Zombies are keys too: the question is how it errs, not whether it is full.
        return KeyValueBloomFilter.builder()
                .shape(shape, Long.MAX_VALUE)
                .exactKeys(exactKeys)
                .build();
    }
}
