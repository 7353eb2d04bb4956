/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Figure 11: the refresh period while the rate grows exponentially, one past filter. */
final class FigureEleven {
    private static final String FILE = "fbf_fig11_refresh_period.csv";
    private static final int BITS = 25_000;
    private static final int ELEMENTS = 5000;
    private static final int[] PERIODS = {5, 3, 2, 1};
    private static final int[] DOUBLINGS = {5, 10, 20};
    private static final int[] RATES = {5, 10, 25, 50, 100, 200, 300, 400};

    private FigureEleven() {}

    static void run(FbfRun run) throws IOException {
        run.report().progress("figure 11: refresh period");
        RateTable table = new RateTable(run, "fig11", FILE, false);
        Chart chart =
                Chart.logarithmic(
                        "Figure 11: refresh period t, rate doubling every 10 s, m = 25000, k = 5",
                        "elements a second at the moment of asking",
                        "false-positive probability");
        for (String model : models()) {
            for (int period : PERIODS) {
                List<double[]> points = new ArrayList<>();
                List<double[]> exact = new ArrayList<>();
                for (int rate : rates(model)) {
                    RatePoint point = point(model, period, rate);
                    points.add(new double[] {rate, table.add(model, rate, point)});
                    exact.add(new double[] {rate, point.exact()});
                }
                if (model.endsWith("double10s")) {
                    chart.measured("t = " + period + " s", points);
                    chart.formula("t = " + period + " s, exact", exact);
                }
            }
        }
        chart.note(
                "A shorter period means fewer elements per filter (about twice rate times period),"
                    + " and so fewer false positives; with one past filter the window of two"
                    + " periods shrinks with it. The other two growth rates, and a constant one,"
                    + " are in the table.");
        chart.note(
                "After 5000 elements the rate stays constant: the slower the growth, the lower the"
                        + " final rate, which is why the points at the right coincide.");
        run.report().add(chart);
        table.finish();
    }

    private static List<String> models() {
        List<String> models = new ArrayList<>();
        for (int doubling : DOUBLINGS) {
            models.add("exp_r0=1_double" + doubling + "s");
        }
        models.add("const100_steady");
        return models;
    }

    private static int[] rates(String model) {
        return model.startsWith("const") ? new int[] {100} : RATES;
    }

    private static RatePoint point(String model, int period, int rate) {
        if (model.startsWith("const")) {
            return RatePoint.at(ElementTimes.constant(rate, 20), 20, 1, period, BITS);
        }
        double doubling =
                Double.parseDouble(
                        model.substring(model.indexOf("double") + 6, model.length() - 1));
        ElementTimes arrivals = ElementTimes.exponential(doubling, ELEMENTS);
        double reached = doubling * Math.log(rate) / Math.log(2);
        return RatePoint.at(arrivals, Math.min(reached, arrivals.end()), 1, period, BITS);
    }
}
