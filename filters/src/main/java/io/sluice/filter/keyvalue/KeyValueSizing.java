/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.keyvalue.code.CodeKind;

/**
 * Chooses code, tag bits and cells per key for a number of bits per key. Pure functions.
 *
 * <p>The paper sizes it like a Bloom filter, by the probability that all cells of an absent key are
 * in use. Here the total error decides: the probability that a held key is ambiguous plus the
 * probability that an absent one is not answered as absent ({@link KeyValueModel}).
 */
public final class KeyValueSizing {

    /** Codes to choose from: those in which equal values decode. */
    private static final CodeKind[] CODES = {CodeKind.PRODUCT_PAIRS, CodeKind.PRODUCT_TRIPLES};

    private KeyValueSizing() {}

    /**
     * A choice and what it promises.
     *
     * @param cellsPerKey cells of the filter divided by keys at capacity
     * @param ambiguous probability that the value of a held key is ambiguous at capacity
     * @param falsePositives probability that an absent key is not answered as absent at capacity
     */
    public record Plan(
            CodeKind code,
            int tagBits,
            int probes,
            double cellsPerKey,
            double ambiguous,
            double falsePositives) {

        /** The shape for {@code keys} keys at capacity. */
        public KeyValueShape shape(int values, int counterBits, long keys, long seed) {
            long cellsPerProbe = (long) Math.ceil(keys * cellsPerKey / probes);
            return new KeyValueShape(
                    values, code, tagBits, counterBits, probes, cellsPerProbe, seed);
        }

        /** What the choice minimises. */
        public double totalError() {
            return ambiguous + falsePositives;
        }
    }

    /**
     * The plan with the least total error.
     *
     * @param bitsPerKey bits of all cells divided by keys, positive
     * @param counterBits see {@link KeyValueShape}
     * @param mostProbes cells per key at most: each is a cache miss
     * @param probabilities how often each value occurs, at least 2; if unknown {@link
     *     KeyValueModel#uniform}
     * @throws IllegalArgumentException if no cell is narrow enough for that many values
     */
    public static Plan best(
            double bitsPerKey, int counterBits, int mostProbes, double... probabilities) {
        if (!(bitsPerKey > 0) || mostProbes < 1 || mostProbes > KeyValueShape.MAX_PROBES) {
            throw new IllegalArgumentException(
                    "bitsPerKey must be positive and mostProbes between 1 and "
                            + KeyValueShape.MAX_PROBES
                            + ", got "
                            + bitsPerKey
                            + " and "
                            + mostProbes);
        }
        ValueGroups values = ValueGroups.of(probabilities);
        Plan best = null;
        for (CodeKind code : CODES) {
            for (int tagBits = 0; tagBits <= KeyValueShape.MAX_TAG_BITS; tagBits++) {
                if (probabilities.length > code.maxSymbols() >>> tagBits) {
                    break;
                }
                int cellBits = counterBits + code.wordBits(probabilities.length << tagBits);
                if (cellBits > Long.SIZE) {
                    break;
                }
                ValueGroups symbols = values.withTag(tagBits);
                for (int probes = 1; probes <= mostProbes; probes++) {
                    double cells = bitsPerKey / cellBits;
                    KeyValueModel model = KeyValueModel.of(code, probes, cells, symbols);
                    Plan plan =
                            new Plan(
                                    code,
                                    tagBits,
                                    probes,
                                    cells,
                                    model.ambiguous(),
                                    model.falsePositives());
                    if (best == null || plan.totalError() < best.totalError()) {
                        best = plan;
                    }
                }
            }
        }
        if (best == null) {
            throw new IllegalArgumentException(
                    probabilities.length
                            + " values do not fit a cell of 64 bits with a counter of "
                            + counterBits
                            + ": at most "
                            + CodeKind.PRODUCT_PAIRS.maxSymbols());
        }
        return best;
    }
}
