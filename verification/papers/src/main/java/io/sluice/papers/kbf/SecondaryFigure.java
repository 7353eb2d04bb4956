/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.util.HashSet;
import java.util.Set;

/** What the paper's s-kBF does to values: shared and second encodings, where a map has none. */
public record SecondaryFigure(int item) implements PaperFigure {
    private static final int VALUES = 1000;

    @Override
    public Table table(Run run) {
        Table table = Table.of("p", "values that share an encoding", "values with a second one");
        int repetitions = run.size(40, 10);
        for (double p : new double[] {1e-2, 1e-3, 1e-4}) {
            double shared = 0;
            double second = 0;
            for (int i = 0; i < repetitions; i++) {
                long[] values = run.random(116 + 1000L * i).longs(VALUES).toArray();
                SecondaryFilter filter = new SecondaryFilter(VALUES, p);
                int[] first = new int[VALUES];
                Set<Integer> given = new HashSet<>();
                for (int v = 0; v < VALUES; v++) {
                    first[v] = filter.number(values[v]);
                    shared += given.add(first[v]) ? 0 : 1;
                }
                for (int v = 0; v < VALUES; v++) {
                    second += filter.number(values[v]) == first[v] ? 0 : 1;
                }
            }
            double all = (double) repetitions * VALUES;
            table.add(p, shared / all, second / all);
        }
        table.finding(
                "A shared encoding is a wrong value for good. The reverse table has to exist"
                        + " anyway, so `ValueDictionary` is a map.");
        table.parameters("1,000 values, " + run.size(40, 10) + " repetitions");
        return table;
    }
}
