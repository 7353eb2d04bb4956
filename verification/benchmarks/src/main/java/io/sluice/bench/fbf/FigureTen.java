/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.fbf.MonteCarlo.Estimate;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.ReferenceTables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Figure 10: false positives over the bits of one filter, 300 elements, one past filter. */
final class FigureTen {
    private static final String FILE = "fbf_fig10.csv";
    private static final int ELEMENTS = 300;
    private static final List<String> MODELS = List.of("twoPeriods", "threePeriods");

    /** Rates go down to 1e-8, so there are more probes than elsewhere. */
    private static final double PROBE_SHARE = 3;

    private FigureTen() {}

    private record Point(Estimate simple, Estimate optimised) {}

    static void run(FbfRun run) throws IOException {
        run.report().progress("figure 10: bits per filter");
        Map<String, Point> points = new HashMap<>();
        CsvTable table =
                new CsvTable(
                        "model,m,eq3,exact_opt,exact_simple,mc_opt,mc_opt_stderr,mc_simple,"
                                + "queries");
        Chart chart =
                Chart.logarithmic(
                        "Figure 10: bits per filter, 300 elements, k = 5, one past filter",
                        "bits per filter",
                        "false-positive probability");
        for (String model : MODELS) {
            FilterState state = FigureEightNine.state(model, ELEMENTS);
            List<double[]> simple = new ArrayList<>();
            List<double[]> optimised = new ArrayList<>();
            List<double[]> exact = new ArrayList<>();
            for (int m = 5000; m <= 30_000; m += 2500) {
                Point point =
                        new Point(
                                run.monteCarlo(
                                                Subject.plain(PlainFilters.Rule.SIMPLE),
                                                m,
                                                PROBE_SHARE)
                                        .measure(List.of(state)),
                                run.monteCarlo(Subject.sluicePaperRule(), m, PROBE_SHARE)
                                        .measure(List.of(state)));
                points.put(model + "/" + m, point);
                table.add(
                        model,
                        m,
                        Formulas.equationThree(state, m),
                        Formulas.exact(state, m),
                        Formulas.simple(state, m),
                        point.optimised.mean(),
                        point.optimised.standardError(),
                        point.simple.mean(),
                        point.optimised.probes());
                simple.add(new double[] {m, point.simple.mean()});
                optimised.add(new double[] {m, point.optimised.mean()});
                exact.add(new double[] {m, Formulas.exact(state, m)});
            }
            chart.measured(model + " simple", simple);
            chart.measured(model + " optimised", optimised);
            chart.formula(model + " exact", exact);
        }
        chart.note(
                String.format(
                        "Each point is %,d probes: rates below about %.0e come only from the"
                            + " formula. The paper's 200,000 probes cannot have measured its tail"
                            + " of 1e-7 and 1e-8 either.",
                        points.values().iterator().next().optimised.probes(),
                        5.0 / points.values().iterator().next().optimised.probes()));
        run.report().table(FILE, table);
        run.report().add(chart);
        if (run.reference().isPresent()) {
            compare(run.reference().get(), run, points);
        }
    }

    private static void compare(ReferenceTables with, FbfRun run, Map<String, Point> points)
            throws IOException {
        CsvTable theirs = with.table(FILE);
        FbfAgreement measured = new FbfAgreement("fig10.measured");
        FbfAgreement formulas = new FbfAgreement("fig10.formulas");
        for (int i = 0; i < theirs.size(); i++) {
            String model = theirs.text(i, "model");
            int m = (int) theirs.number(i, "m");
            String at = model + "/" + m;
            Point point = points.get(at);
            long probes = (long) theirs.number(i, "queries");
            int realisations = (int) (probes / FbfAgreement.PROBES_A_FILLING);
            measured.measured(
                    at + " simple",
                    point.simple,
                    theirs.number(i, "mc_simple"),
                    probes,
                    realisations);
            FilterState asked = FigureEightNine.state(model, ELEMENTS);
            measured.measured(
                    at + " optimised",
                    point.optimised.scaled(
                            Formulas.exact(asked, m)
                                    / Formulas.exact(asked, point.optimised.bits())),
                    theirs.number(i, "mc_opt"),
                    probes,
                    realisations);
            FilterState state = FigureEightNine.state(model, ELEMENTS);
            formulas.formula(
                    at + " eq3", Formulas.equationThree(state, m), theirs.number(i, "eq3"));
            formulas.formula(
                    at + " exact_opt", Formulas.exact(state, m), theirs.number(i, "exact_opt"));
            formulas.formula(
                    at + " exact_simple",
                    Formulas.simple(state, m),
                    theirs.number(i, "exact_simple"));
        }
        measured.report(run.report());
        formulas.report(run.report());
    }
}
