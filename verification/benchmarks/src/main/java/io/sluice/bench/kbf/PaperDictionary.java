/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.keyvalue.ValueDictionary;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.keyvalue.code.GreedySearch;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * The paper's two mappings between values and code words, compared with what this library uses
 * instead.
 */
final class PaperDictionary {

    private static final int VALUES = 1000;
    private static final int REPETITIONS = 40;

    private PaperDictionary() {}

    static void run(KbfRun run) throws IOException {
        BenchReport report = run.report();
        report.progress("values and code words: the paper's s-kBF and regression");
        CsvTable table = new CsvTable("what,parameter,value");
        for (double fpp : new double[] {1e-2, 1e-3, 1e-4}) {
            long shared = 0;
            long second = 0;
            long bytes = 0;
            for (int i = 0; i < REPETITIONS; i++) {
                SecondaryFilter secondary = new SecondaryFilter(VALUES, fpp);
                ValueDictionary<Integer> owners = new ValueDictionary<>(2 * VALUES);
                int[] first = new int[VALUES];
                for (int value = 0; value < VALUES; value++) {
                    first[value] = secondary.number(Workload.key(run.seed() + i, value));
                    int before = owners.size();
                    owners.number(first[value]);
                    shared += owners.size() == before ? 1 : 0;
                }
                for (int value = 0; value < VALUES; value++) {
                    int again = secondary.number(Workload.key(run.seed() + i, value));
                    second += again == first[value] ? 0 : 1;
                }
                bytes = secondary.sizeInBytes();
            }
            double all = (double) REPETITIONS * VALUES;
            table.add("s-kBF: values with the code word of another one", fpp, shared / all);
            table.add("s-kBF: values with another code word the second time", fpp, second / all);
            table.add("s-kBF: bits per value", fpp, 8.0 * bytes / VALUES);
        }
        lookups(run, table);
        report.table("kbf_dictionary.csv", table);
    }

    private static void lookups(KbfRun run, CsvTable table) {
        int[] words = new int[VALUES];
        GreedySearch search = new GreedySearch();
        for (int i = 0; i < VALUES; i++) {
            words[i] = search.next();
        }
        RegressionLookup regression = new RegressionLookup(words);
        CellCode greedy = CodeKind.GREEDY_XOR.create(VALUES);
        int[] asked = new SplittableRandom(run.seed()).ints(200_000, 0, VALUES).toArray();
        for (int index : asked) {
            if (regression.indexOf(words[index]) != index
                    || CellCode.lane(greedy.decode(words[index], 1), 0) != index) {
                throw new IllegalStateException("a code word was not found");
            }
        }
        table.add(
                "regression: secant steps per lookup",
                VALUES,
                (double) regression.steps() / asked.length);
        table.add("hash table or product code: steps per lookup", VALUES, 0);
    }
}
