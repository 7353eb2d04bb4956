/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.keyvalue.code.CodeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Undecidable keys if all values are different: the paper's formula, which takes the load of a
 * random cell; the formula with the load of a key's own cells; and the counted number.
 */
final class ClosedForm {

    private static final String FILE = "kbf_closed_form.csv";
    private static final double[] RHO = {1, 1.5, 2, 2.5, 3};
    private static final double LN2 = Math.log(2);

    /** Four digits in the tables. */
    private static final int DIGITS = 4;

    /** This many values, so that two keys hardly ever share one. */
    private static final Workload DISTINCT = distinct();

    private ClosedForm() {}

    private static Workload distinct() {
        double[] probabilities = new double[1 << 16];
        java.util.Arrays.fill(probabilities, 1);
        return new Workload("distinct", probabilities);
    }

    /** All of k random cells have three keys or more, or all except one, which has two. */
    static double paper(double rho, int k) {
        double load = rho * LN2;
        double two = load * load / 2 * Math.exp(-load);
        double more = 1 - Math.exp(-load) * (1 + load) - two;
        return Math.pow(more, k) + k * Math.pow(more, k - 1) * two;
    }

    /** No own cell has at most one other key, or only one cell has one. */
    static double ownCells(double rho, int k) {
        double load = rho * LN2;
        double one = load * Math.exp(-load);
        double more = 1 - Math.exp(-load) - one;
        return Math.pow(more, k) + k * Math.pow(more, k - 1) * one;
    }

    static void run(KbfRun run) throws IOException {
        run.report().progress("closed forms: the paper's, with the load of own cells, and counted");
        CsvTable table = new CsvTable("rho,k,paper,own_cells,counted,keys,paper_off_by");
        Chart chart =
                Chart.logarithmic(
                        "Keys whose value is not told, k = 4 to 20, distinct values, pairs decode",
                        "k",
                        "probability");
        Variant pairs = Variant.of("product-h2", CodeKind.PRODUCT_PAIRS, 0);
        for (double rho : RHO) {
            List<double[]> paper = new ArrayList<>();
            List<double[]> own = new ArrayList<>();
            List<double[]> counted = new ArrayList<>();
            for (int k = 4; k <= 20; k += 2) {
                double expected = ownCells(rho, k);
                paper.add(new double[] {k, paper(rho, k)});
                own.add(new double[] {k, expected});
                double measured = Double.NaN;
                if (expected * run.keys() > 10) {
                    double cells = k / (rho * LN2);
                    StaticErrors errors =
                            StaticErrors.measure(
                                    pairs.filter(DISTINCT, cells, k, run.keys()),
                                    DISTINCT,
                                    run.keys(),
                                    run.seed());
                    measured = errors.ambiguousShare();
                    counted.add(new double[] {k, measured});
                }
                table.add(
                        rho,
                        k,
                        paper(rho, k),
                        expected,
                        Double.isNaN(measured) ? "" : measured,
                        Double.isNaN(measured) ? "" : run.keys(),
                        expected / paper(rho, k));
            }
            if (rho == 1 || rho == 2 || rho == 3) {
                chart.formula("paper, rho " + (int) rho, paper);
                chart.formula("own cells, rho " + (int) rho, own);
                chart.measured("counted, rho " + (int) rho, counted);
            }
        }
        chart.note(
                "The paper asks how loaded a random cell is. A key's own cells hold the key, so the"
                        + " question is how many others there are: two or more with probability"
                        + " 0.153 at rho = 1, where the paper has 0.033.");
        run.report().table(FILE, table);
        run.report().add(chart);
        if (run.reference().isPresent()) {
            compare(run, table, run.reference().get().table(FILE));
        }
        countedAgrees(run, table);
    }

    private static void compare(KbfRun run, CsvTable ours, CsvTable theirs) {
        KbfAgreement tally = new KbfAgreement("closedForm");
        for (int i = 0; i < theirs.size(); i++) {
            double rho = theirs.number(i, "rho");
            int k = (int) theirs.number(i, "k");
            String at = "rho=" + rho + " k=" + k;
            tally.formula(at, paper(rho, k), theirs.number(i, "paper_global_fail"), DIGITS);
            tally.formula(
                    at,
                    ownCells(rho, k),
                    theirs.number(i, "own_cell_fail_t2(c<=2;pair ambiguous only if single)"),
                    DIGITS);
        }
        tally.report(run.report());
        if (ours.size() != theirs.size()) {
            throw new IllegalStateException("another grid than the reference");
        }
    }

    private static void countedAgrees(KbfRun run, CsvTable table) {
        KbfAgreement corrected = new KbfAgreement("closedForm.counted");
        for (int i = 0; i < table.size(); i++) {
            if (!table.text(i, "counted").isEmpty()) {
                corrected.share(
                        "rho=" + table.text(i, "rho") + " k=" + table.text(i, "k"),
                        table.number(i, "own_cells"),
                        Double.POSITIVE_INFINITY,
                        table.number(i, "counted"),
                        run.keys());
            }
        }
        corrected.report(run.report());
    }
}
