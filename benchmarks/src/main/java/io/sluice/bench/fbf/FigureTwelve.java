/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.fbf.MonteCarlo.Estimate;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Figure 12: the number of filters while the rate climbs, and at a constant rate. */
final class FigureTwelve {
    private static final String FILE = "fbf_fig12_num_filters.csv";
    private static final int PERIOD = 5;
    private static final int[] FILTERS = {3, 6, 12, 24};

    /**
     * A ramp from 0 to {@code peak} elements a second within {@code seconds}, asked at some rates.
     */
    private record Ramp(String model, double peak, double seconds, List<Integer> rates) {}

    private static final Ramp MAIN =
            new Ramp(
                    "linear_0to100_in60s",
                    100,
                    60,
                    List.of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100));
    private static final List<Ramp> RAMPS =
            List.of(
                    MAIN,
                    new Ramp(
                            "linear_0to150_in40s", 150, 40, List.of(10, 25, 50, 75, 100, 125, 150)),
                    new Ramp(
                            "linear_0to100_in300s(steady-ish)",
                            100,
                            300,
                            List.of(10, 25, 50, 75, 100)));

    private FigureTwelve() {}

    static void run(FbfRun run) throws IOException {
        run.report().progress("figure 12: number of filters");
        Table out = new Table(run);
        Chart chart =
                Chart.logarithmic(
                        "Figure 12: number of filters, 0 to 100 elements/s in 60 s, m = 6250, t = 5"
                                + " s",
                        "elements a second at the moment of asking",
                        "false-positive probability");
        for (Ramp ramp : RAMPS) {
            for (int filters : FILTERS) {
                List<double[]> points = new ArrayList<>();
                List<double[]> printed = new ArrayList<>();
                List<double[]> exact = new ArrayList<>();
                for (int rate : ramp.rates) {
                    RatePoint point =
                            RatePoint.at(
                                    Arrivals.ramp(ramp.peak, ramp.seconds),
                                    rate / ramp.peak * ramp.seconds,
                                    filters - 2,
                                    PERIOD,
                                    FbfRun.BITS);
                    points.add(new double[] {rate, out.add(ramp.model, filters, rate, point)});
                    printed.add(new double[] {rate, point.equationThree()});
                    exact.add(new double[] {rate, point.exact()});
                }
                if (ramp.equals(MAIN)) {
                    chart.measured(filters + " filters", points);
                    chart.formula(filters + " filters, exact", exact);
                    if (filters == 24) {
                        chart.formula("24 filters, eq. 3 as printed", printed);
                    }
                }
            }
        }
        StringBuilder constant = new StringBuilder();
        for (int filters : FILTERS) {
            double rate =
                    out.add(
                            "steady30",
                            filters,
                            30,
                            RatePoint.at(
                                    Arrivals.constant(30, 150),
                                    150,
                                    filters - 2,
                                    PERIOD,
                                    FbfRun.BITS));
            constant.append(
                    String.format(
                            "%s%d filters %.2e", constant.isEmpty() ? "" : ", ", filters, rate));
        }
        chart.note(
                "Equation 3 multiplies the probabilities of two neighbours as if they were"
                        + " independent, but neighbours share a whole slice of elements: with 24"
                        + " filters it is "
                        + String.format("%.1f", out.lastRampMeasured / out.lastRampPrinted)
                        + " times too low at 100 elements/s. The exact formula counts the shared"
                        + " slice.");
        chart.note(
                "The paper concludes that more filters lower the probability. They do only while"
                    + " the load climbs, because the oldest filter is then from a quieter time; at"
                    + " a constant 30 elements/s they raise it: "
                        + constant
                        + ". What lowers it is a shorter period; more filters then keep the"
                        + " window.");
        chart.note(
                "The paper's factor of 5.5 between 3 and 24 filters at 100 elements/s depends on"
                        + " the ramp, which it does not state: this ramp gives "
                        + String.format("%.1f", out.ratio(3, 24))
                        + " measured and "
                        + String.format("%.1f", out.printedRatio(3, 24))
                        + " by equation 3.");
        run.report().table(FILE, out.table);
        run.report().add(chart);
        out.report();
    }

    /** The growing table with its comparison. */
    private static final class Table {
        private final FbfRun run;
        private final CsvTable theirs;
        private final ReferenceComparison.Tally measured;
        private final ReferenceComparison.Tally formulas;
        private final CsvTable table =
                new CsvTable(
                        "model",
                        "m",
                        "filters",
                        "t",
                        "rate_at",
                        "time",
                        "eq3_phaseavg",
                        "exactpair_phaseavg",
                        "mc_opt",
                        "mc_opt_stderr",
                        "mc_simple",
                        "mc_opt_plain",
                        "mc_slices_rule",
                        "queries");
        private double lastRampMeasured;
        private double lastRampPrinted;

        private Table(FbfRun run) throws IOException {
            this.run = run;
            theirs = run.reference().isPresent() ? run.reference().get().table(FILE) : null;
            measured = run.reference().map(r -> r.tally("fig12.measured")).orElse(null);
            formulas = run.reference().map(r -> r.tally("fig12.formulas")).orElse(null);
        }

        private double add(String model, int filters, int rate, RatePoint point) {
            Estimate optimised = point.optimised(run);
            Estimate simple = point.simple(run);
            Estimate plain = point.plainOptimised(run);
            Estimate slices = point.slicesRule(run);
            table.add(
                    model,
                    point.bits(),
                    filters,
                    PERIOD,
                    rate,
                    point.now(),
                    point.equationThree(),
                    point.exact(),
                    optimised.mean(),
                    optimised.standardError(),
                    simple.mean(),
                    plain.mean(),
                    slices.mean(),
                    optimised.probes());
            if (model.equals(MAIN.model)) {
                lastRampMeasured = optimised.mean();
                lastRampPrinted = point.equationThree();
            }
            if (theirs != null) {
                int row = row(model, filters, rate);
                String at = model + " filters=" + filters + " at " + rate;
                FigureEleven.compare(measured, at, theirs, row, point, optimised, plain, simple);
                point.compare(
                        formulas,
                        at,
                        theirs.number(row, "eq3_phaseavg"),
                        theirs.number(row, "exactpair_phaseavg"));
            }
            return optimised.mean();
        }

        private double ratio(int few, int many) {
            return atPeak(few, "mc_opt") / atPeak(many, "mc_opt");
        }

        private double printedRatio(int few, int many) {
            return atPeak(few, "eq3_phaseavg") / atPeak(many, "eq3_phaseavg");
        }

        private double atPeak(int filters, String column) {
            for (int i = 0; i < table.size(); i++) {
                if (table.text(i, "model").equals(MAIN.model)
                        && table.number(i, "filters") == filters
                        && table.number(i, "rate_at") == MAIN.peak) {
                    return table.number(i, column);
                }
            }
            throw new IllegalStateException("no point with " + filters + " filters at the peak");
        }

        private int row(String model, int filters, int rate) {
            for (int i = 0; i < theirs.size(); i++) {
                if (theirs.text(i, "model").equals(model)
                        && theirs.number(i, "filters") == filters
                        && theirs.number(i, "rate_at") == rate) {
                    return i;
                }
            }
            throw new IllegalArgumentException(
                    "the reference has no point " + model + " with " + filters + " at " + rate);
        }

        private void report() {
            if (theirs != null) {
                measured.report(run.report());
                formulas.report(run.report());
            }
        }
    }
}
