/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.KeyValueShape;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Keys with values of the paper's two kinds: 3,000 equally likely ones, and 11 states of
 * connections, of which one has four fifths of the keys.
 */
enum Workload {
    UNIFORM("uniform3000", uniform()),
    STATES("tcp11", .80, .08, .03, .02, .02, .02, .015, .007, .003, .003, .002);

    /** The structures that are compared. */
    enum Structure {
        STATE_BLOOM("sBF"),
        PAPER("kBF as printed"),
        INTERSECTING("kBF, all cells intersected"),
        PRODUCT("kBF with a product code");

        final String title;

        Structure(String title) {
            this.title = title;
        }
    }

    final String title;
    private final double[] cumulative;

    Workload(String title, double... probabilities) {
        this.title = title;
        cumulative = probabilities.clone();
        Arrays.parallelPrefix(cumulative, Double::sum);
    }

    private static double[] uniform() {
        double[] equal = new double[3000];
        Arrays.fill(equal, 1.0 / equal.length);
        return equal;
    }

    int size() {
        return cumulative.length;
    }

    int draw(SplittableRandom random) {
        double point = random.nextDouble() * cumulative[cumulative.length - 1];
        int at = Arrays.binarySearch(cumulative, point);
        return Math.min(at < 0 ? -at - 1 : at, size() - 1);
    }

    /** A structure with the paper's number of cells, whatever their width. */
    static KeyValueFilter create(Structure structure, Cells cells, int values) {
        return switch (structure) {
            case STATE_BLOOM -> new StateBloomFilter(cells, values);
            case PAPER -> new PaperKeyValueFilter(cells, XorCode.bch(values), false);
            case INTERSECTING -> new PaperKeyValueFilter(cells, XorCode.bch(values), true);
            case PRODUCT ->
                    KeyValueBloomFilter.builder()
                            .shape(
                                    new KeyValueShape(
                                            values,
                                            CodeKind.PRODUCT_PAIRS,
                                            0,
                                            3,
                                            cells.probes(),
                                            cells.perProbe(),
                                            0),
                                    Long.MAX_VALUE)
                            .exactKeys(0)
                            .build();
        };
    }
}
