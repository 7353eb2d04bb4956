/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;

/** Filters of given shapes for tests. */
final class Shapes {

    /** Shares of the states of TCP flows. */
    static final double[] TCP = {
        0.80, 0.08, 0.03, 0.02, 0.02, 0.02, 0.015, 0.007, 0.003, 0.003, 0.002
    };

    private Shapes() {}

    static KeyValueShape shape(
            CodeKind code, int values, int tagBits, int probes, double cellsPerKey, long keys) {
        return new KeyValueShape(
                values, code, tagBits, 4, probes, (long) Math.ceil(keys * cellsPerKey / probes), 0);
    }

    static KeyValueBloomFilter filter(KeyValueShape shape, long keys) {
        return KeyValueBloomFilter.builder().shape(shape, keys).build();
    }

    static KeyValueBloomFilter filter(KeyValueShape shape, long keys, Storage storage) {
        return KeyValueBloomFilter.builder().shape(shape, keys).storage(storage).build();
    }
}
