/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.util.BitSet;
import java.util.SplittableRandom;

/** What the opportunistic decoding of three encodings (section III-F) can tell. */
public record TriplesFigure(int item) implements PaperFigure {
    private static final String TRIPLES = "triples that explain a cell";

    @Override
    public Table table(Run run) {
        Table table = Table.of("values", "bits", TRIPLES, "values left", "cells told");
        for (int values : new int[] {11, 22, 64, 256}) {
            XorCode code = XorCode.greedy(values);
            SplittableRandom random = run.random(111);
            int cells = run.size(300, 50);
            double triples = 0;
            double left = 0;
            double told = 0;
            for (int cell = 0; cell < cells; cell++) {
                int a = random.nextInt(values);
                int b = (a + random.nextInt(1, values)) % values;
                int c = random.nextInt(values);
                while (c == a || c == b) {
                    c = random.nextInt(values);
                }
                int word = code.word(a) ^ code.word(b) ^ code.word(c);
                BitSet candidates = new BitSet();
                int explaining = 0;
                for (int x = 0; x < values; x++) {
                    BitSet pair = code.decode(word ^ code.word(x), 2);
                    if (!pair.isEmpty() && !pair.get(x)) {
                        explaining++;
                        candidates.or(pair);
                        candidates.set(x);
                    }
                }
                triples += explaining / 3.0 / cells;
                left += (double) candidates.cardinality() / cells;
                told += candidates.cardinality() == 3 ? 1.0 / cells : 0;
            }
            table.add(values, code.bits(), triples, left, told);
        }
        table.finding(
                "Encodings guarantee only that sums of two differ: several triples explain a cell"
                        + " of three, and one value with another one twice looks like a single"
                        + " value, so such a cell must never be believed. Left out: codes whose"
                        + " sums of three differ (`PRODUCT_TRIPLES`) tell all of them.");
        table.check(
                "several triples explain a cell",
                table.at(TRIPLES, 256) > 1,
                "%.2f with 256 values",
                table.at(TRIPLES, 256));
        table.parameters("Algorithm 1's encodings; cells of three random different values");
        return table;
    }
}
