/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import java.util.ArrayList;
import java.util.List;

/** One plot of a report page and its text: named lines over a number, or bars over words. */
@JsonAutoDetect(fieldVisibility = Visibility.ANY)
public final class Chart {
    /**
     * One line of a plot.
     *
     * @param measured drawn as points on a line; formulas are drawn as just a dashed line
     */
    record Series(String name, boolean measured, List<double[]> points) {}

    final String title;
    final String xName;
    final String yName;
    final boolean logarithmic;

    /** The words under the bars; empty for lines. */
    final List<String> categories;

    final List<Series> series = new ArrayList<>();
    final List<String> notes = new ArrayList<>();

    private Chart(
            String title,
            String xName,
            String yName,
            boolean logarithmic,
            List<String> categories) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
        this.logarithmic = logarithmic;
        this.categories = categories;
    }

    /** Logarithmic, for positive values over several decades; other points are left out. */
    public static Chart logarithmic(String title, String xName, String yName) {
        return new Chart(title, xName, yName, true, List.of());
    }

    public static Chart linear(String title, String xName, String yName) {
        return new Chart(title, xName, yName, false, List.of());
    }

    /** A group of bars for each of {@code categories}; {@link #bars(String, List)} adds to all. */
    public static Chart bars(String title, List<String> categories, String yName) {
        return new Chart(title, "", yName, false, List.copyOf(categories));
    }

    /** One bar of each group, in order; NaN where there is none. */
    public Chart bars(String name, List<Double> values) {
        if (values.size() != categories.size()) {
            throw new IllegalArgumentException(
                    values.size() + " bars for " + categories.size() + " groups");
        }
        List<double[]> points = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            if (!values.get(i).isNaN()) {
                points.add(new double[] {i, values.get(i)});
            }
        }
        return add(name, true, points);
    }

    public Chart measured(String name, List<double[]> points) {
        return add(name, true, points);
    }

    public Chart formula(String name, List<double[]> points) {
        return add(name, false, points);
    }

    /** A dashed line at the height {@code y} between two values of x. */
    public Chart level(String name, double y, double from, double to) {
        return formula(name, List.of(new double[] {from, y}, new double[] {to, y}));
    }

    /** A paragraph under the plot, plain text. */
    public Chart note(String text) {
        notes.add(text);
        return this;
    }

    private Chart add(String name, boolean measured, List<double[]> points) {
        List<double[]> drawable =
                points.stream().filter(point -> !logarithmic || point[1] > 0).toList();
        series.add(new Series(name, measured, drawable));
        return this;
    }
}
