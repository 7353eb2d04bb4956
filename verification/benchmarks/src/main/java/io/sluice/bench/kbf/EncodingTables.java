/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.keyvalue.code.GreedySearch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What code words cost: the bits for a number of values, and whether all combinations differ. */
final class EncodingTables {

    private static final int[] VALUES = {4, 7, 11, 16, 50, 100, 255, 256, 1000, 1024};

    private EncodingTables() {}

    static void run(KbfRun run) throws IOException {
        run.report().progress("code words: bits, uniqueness, the greedy search");
        bits(run);
        uniqueness(run);
        greedy(run);
    }

    private static void bits(KbfRun run) throws IOException {
        CsvTable table =
                new CsvTable(
                        "n,paper_bound_bits,greedy_bits,bch_pairs_bits,product_pairs_bits,"
                                + "bch_triples_bits,product_triples_bits");
        for (int n : VALUES) {
            long sums = (long) n * (n + 1) / 2;
            table.add(
                    n,
                    Long.SIZE - Long.numberOfLeadingZeros(sums),
                    CodeKind.GREEDY_XOR.wordBits(n),
                    CodeKind.BCH_PAIRS.wordBits(n),
                    CodeKind.PRODUCT_PAIRS.wordBits(n),
                    CodeKind.BCH_TRIPLES.wordBits(n),
                    CodeKind.PRODUCT_TRIPLES.wordBits(n));
        }
        run.report().table("encodings_bits.csv", table);
        if (run.reference().isEmpty()) {
            return;
        }
        CsvTable theirs = run.reference().get().table("encodings_bits.csv");
        KbfAgreement tally = new KbfAgreement("encodings.bits");
        String[][] columns = {
            {"paper_bound_bits", "paper_bound_bits"},
            {"greedy_bits", "greedy_bits"},
            {"bch_pairs_bits", "bch_t2_bits(n<=2^m-1)"},
            {"product_pairs_bits", "goppa_or_BoseChowla_h2_bits(n<=2^m)"},
            {"bch_triples_bits", "bch_t3_bits"},
            {"product_triples_bits", "BoseChowla_h3_bits"},
        };
        for (int i = 0; i < theirs.size(); i++) {
            for (String[] column : columns) {
                tally.equal(
                        theirs.text(i, "n") + " values, " + column[0],
                        table.number(i, column[0]),
                        theirs.number(i, column[1]));
            }
        }
        tally.report(run.report());
    }

    private record Checked(CodeKind kind, int least, int most, String theirs) {}

    private static void uniqueness(KbfRun run) throws IOException {
        List<Checked> all =
                List.of(
                        new Checked(
                                CodeKind.BCH_PAIRS,
                                3,
                                10,
                                "BCH-t2 (x x^3) all sums of 1..2 distinct"),
                        new Checked(
                                CodeKind.PRODUCT_PAIRS,
                                3,
                                10,
                                "BoseChowla-h2 multisets of size 2 (repetition allowed)"),
                        new Checked(
                                CodeKind.BCH_TRIPLES,
                                4,
                                7,
                                "BCH-t3 (x x^3 x^5) all sums of 1..3 distinct"),
                        new Checked(
                                CodeKind.PRODUCT_TRIPLES,
                                4,
                                7,
                                "BoseChowla-h3 multisets of size 3"));
        CsvTable table = new CsvTable("code,m,n_values,bits,superpositions,collisions");
        KbfAgreement tally = new KbfAgreement("encodings.uniqueness");
        CsvTable theirs =
                run.reference().isPresent()
                        ? run.reference().get().table("encodings_uniqueness.csv")
                        : null;
        int collisions = 0;
        for (Checked checked : all) {
            for (int m = checked.least; m <= checked.most; m++) {
                int n = checked.kind.decodesEqual() ? 1 << m : (1 << m) - 1;
                CellCode code = checked.kind.create(n);
                Set<Long> words = new HashSet<>();
                int count = superpositions(code, words);
                collisions += count - words.size();
                table.add(checked.kind, m, n, code.wordBits(), count, count - words.size());
                for (int i = 0; theirs != null && i < theirs.size(); i++) {
                    if (theirs.text(i, "code").equals(checked.theirs)
                            && theirs.number(i, "m") == m) {
                        tally.equal(
                                checked.kind + " m=" + m,
                                count,
                                theirs.number(i, "superpositions_checked"));
                        tally.equal(
                                checked.kind + " bits", code.wordBits(), theirs.number(i, "bits"));
                    }
                }
            }
        }
        tally.equal("collisions", collisions, 0);
        run.report().table("encodings_uniqueness.csv", table);
        tally.report(run.report());
    }

    /**
     * Everything that must differ: in XOR codes, sums of different symbols; otherwise multisets of
     * full size.
     */
    private static int superpositions(CellCode code, Set<Long> words) {
        boolean equal = code.kind().decodesEqual();
        int count = 0;
        for (int a = 0; a < code.symbols(); a++) {
            long one = code.insert(code.empty(), a);
            count += equal ? 0 : note(words, one);
            for (int b = equal ? a : a + 1; b < code.symbols(); b++) {
                long two = code.insert(one, b);
                boolean pairs = code.kind().decodable() == 2;
                count += equal && !pairs ? 0 : note(words, two);
                for (int c = equal ? b : b + 1; !pairs && c < code.symbols(); c++) {
                    count += note(words, code.insert(two, c));
                }
            }
        }
        return count;
    }

    private static int note(Set<Long> words, long word) {
        words.add(word);
        return 1;
    }

    private static void greedy(KbfRun run) throws IOException {
        CsvTable table = new CsvTable("P,greedy_below_2^P,bch,product,bound");
        KbfAgreement tally = new KbfAgreement("encodings.greedy");
        CsvTable theirs =
                run.reference().isPresent()
                        ? run.reference().get().table("encodings_greedy_size_per_P.csv")
                        : null;
        List<double[]> greedy = new ArrayList<>();
        List<double[]> product = new ArrayList<>();
        List<double[]> bound = new ArrayList<>();
        GreedySearch search = new GreedySearch();
        int next = search.next();
        int found = 0;
        for (int bits = 2; bits <= run.greedyBits(); bits++) {
            while (next < 1 << bits) {
                found++;
                next = search.next();
            }
            long most = (long) ((Math.sqrt(8 * (Math.scalb(1.0, bits) - 1) + 1) - 1) / 2);
            boolean even = bits % 2 == 0;
            int half = 1 << (bits / 2);
            table.add(bits, found, even ? half - 1 : "-", even ? half : "-", most);
            greedy.add(new double[] {bits, found});
            bound.add(new double[] {bits, most});
            if (even) {
                product.add(new double[] {bits, half});
            }
            if (theirs != null) {
                tally.equal(
                        "2^" + bits, found, theirs.number(bits - 2, "greedy_encodings_below_2^P"));
            }
        }
        run.report().table("encodings_greedy_size_per_P.csv", table);
        run.report()
                .add(
                        Chart.logarithmic(
                                        "Values that fit code words of P bits, pairs decode",
                                        "bits",
                                        "values")
                                .measured("greedy search (the paper's Algorithm 1)", greedy)
                                .measured("product code, equal values decode too", product)
                                .formula("bound for sums of at most two", bound));
        if (theirs != null) {
            tally.report(run.report());
        }
    }
}
