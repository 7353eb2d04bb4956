/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Figure 12: the number of filters while the rate climbs, and at a constant rate. */
final class FigureTwelve {
    private static final String FILE = "fbf_fig12_num_filters.csv";
    private static final int PERIOD = 5;
    private static final int FEWEST = 3;
    private static final int MOST = 24;
    private static final int[] FILTERS = {FEWEST, 6, 12, MOST};

    /** Columns of {@link RateTable}. */
    private static final String MEASURED = "mc_opt";

    private static final String PRINTED = "eq3_phaseavg";

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
        RateTable table = new RateTable(run, "fig12", FILE, true);
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
                                    ElementTimes.ramp(ramp.peak, ramp.seconds),
                                    rate / ramp.peak * ramp.seconds,
                                    filters - 2,
                                    PERIOD,
                                    FbfRun.BITS);
                    points.add(new double[] {rate, table.add(ramp.model, rate, point)});
                    printed.add(new double[] {rate, point.equationThree()});
                    exact.add(new double[] {rate, point.exact()});
                }
                if (ramp.equals(MAIN)) {
                    chart.measured(filters + " filters", points);
                    chart.formula(filters + " filters, exact", exact);
                    if (filters == MOST) {
                        chart.formula("24 filters, eq. 3 as printed", printed);
                    }
                }
            }
        }
        StringBuilder constant = new StringBuilder();
        for (int filters : FILTERS) {
            double rate =
                    table.add(
                            "steady30",
                            30,
                            RatePoint.at(
                                    ElementTimes.constant(30, 150),
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
                        + String.format(
                                "%.1f",
                                atPeak(table, MOST, MEASURED) / atPeak(table, MOST, PRINTED))
                        + " times too low at 100 elements/s. The exact formula counts the shared"
                        + " slice.");
        chart.note(
                "The paper concludes that more filters lower the probability. That is true only"
                        + " while the load climbs, because the oldest filter is then from a quieter"
                        + " time; at a constant 30 elements/s they raise it: "
                        + constant
                        + ". What lowers it is a shorter period; more filters then keep the"
                        + " window.");
        chart.note(
                "The paper's factor of 5.5 between 3 and 24 filters at 100 elements/s depends on"
                        + " the ramp, which it does not state: this ramp gives "
                        + String.format("%.1f", ratio(table, MEASURED))
                        + " measured and "
                        + String.format("%.1f", ratio(table, PRINTED))
                        + " by equation 3.");
        run.report().add(chart);
        table.finish();
    }

    /** The ratio of the fewest filters to the most, at the top of the main ramp. */
    private static double ratio(RateTable table, String column) {
        return atPeak(table, FEWEST, column) / atPeak(table, MOST, column);
    }

    private static double atPeak(RateTable table, int filters, String column) {
        return table.number(MAIN.model, filters, PERIOD, (int) MAIN.peak, column);
    }
}
