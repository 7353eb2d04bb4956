/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import io.sluice.bench.report.Chart.Series;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A line chart as a picture for a docs page, where no script runs: SVG, readable on light and dark
 * pages.
 */
public final class ChartImage {
    private static final int WIDTH = 760;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 40;
    private static final int PLOT_HEIGHT = 300;
    private static final int LEGEND_LINE = 20;
    private static final int LEGEND_TOP = TOP + PLOT_HEIGHT + 62;
    private static final int LEGEND_COLUMNS = 2;

    /** Colours that can be told apart with red-green colour blindness (Okabe and Ito 2008). */
    private static final String[] COLOURS = {
        "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777", "#222222"
    };

    private final Chart chart;
    private final StringBuilder svg = new StringBuilder();
    private final double minX;
    private final double maxX;
    private final double minY;
    private final double maxY;

    private ChartImage(Chart chart) {
        this.chart = chart;
        List<double[]> all = new ArrayList<>();
        chart.series.forEach(series -> all.addAll(series.points()));
        if (all.isEmpty() || !chart.categories.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + chart.title + "' has no point of a line to draw");
        }
        minX = all.stream().mapToDouble(point -> point[0]).min().orElseThrow();
        maxX = all.stream().mapToDouble(point -> point[0]).max().orElseThrow();
        double low = all.stream().mapToDouble(point -> point[1]).min().orElseThrow();
        double high = all.stream().mapToDouble(point -> point[1]).max().orElseThrow();
        minY = chart.logarithmic ? Math.floor(Math.log10(low)) : Math.min(0, low);
        double top = chart.logarithmic ? Math.ceil(Math.log10(high)) : high;
        maxY = top > minY ? top : minY + 1;
    }

    public static void write(Path file, Chart chart) throws IOException {
        Files.writeString(file, new ChartImage(chart).draw(), StandardCharsets.UTF_8);
    }

    private String draw() {
        int rows = (chart.series.size() + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
        int height = LEGEND_TOP + rows * LEGEND_LINE;
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                                + " font-family=\"sans-serif\" font-size=\"13\" role=\"img\""
                                + " aria-label=\"%s\">%n"
                                + "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n",
                        WIDTH,
                        height,
                        Xml.escaped(chart.title)));
        text((LEFT + WIDTH - RIGHT) / 2.0, TOP - 16, "middle", chart.title);
        axes();
        for (int i = 0; i < chart.series.size(); i++) {
            line(chart.series.get(i), COLOURS[i % COLOURS.length]);
            legend(i);
        }
        return svg.append("</svg>\n").toString();
    }

    private void axes() {
        double step = chart.logarithmic ? 1 : step(maxY - minY);
        for (double y = Math.ceil(minY / step) * step; y <= maxY + step / 1e6; y += step) {
            double at = bottom() - (y - minY) / (maxY - minY) * PLOT_HEIGHT;
            rule(LEFT, at, WIDTH - RIGHT, at, "#ddd");
            text(
                    LEFT - 8,
                    at + 4,
                    "end",
                    chart.logarithmic ? power((int) Math.round(y)) : round(y));
        }
        double across = step(maxX - minX);
        for (double x = Math.ceil(minX / across) * across; x <= maxX + across / 1e6; x += across) {
            rule(x(x), bottom(), x(x), bottom() + 5, "#555");
            text(x(x), bottom() + 20, "middle", round(x));
        }
        rule(LEFT, bottom(), WIDTH - RIGHT, bottom(), "#555");
        text((LEFT + WIDTH - RIGHT) / 2.0, bottom() + 40, "middle", chart.xName);
        double middle = TOP + PLOT_HEIGHT / 2.0;
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text transform=\"translate(20 %.0f) rotate(-90)\" fill=\"#222\""
                                + " text-anchor=\"middle\">%s</text>%n",
                        middle,
                        Xml.escaped(chart.yName)));
    }

    private void line(Series series, String colour) {
        if (series.points().isEmpty()) {
            return;
        }
        StringBuilder points = new StringBuilder();
        for (double[] point : series.points()) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(point[0]), y(point[1])));
            if (series.measured()) {
                svg.append(
                        String.format(
                                Locale.ROOT,
                                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                                x(point[0]),
                                y(point[1]),
                                colour));
            }
        }
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\""
                                + "%s/>%n",
                        points.toString().trim(),
                        colour,
                        dashes(series)));
    }

    private void legend(int number) {
        Series series = chart.series.get(number);
        double left =
                LEFT + (number % LEGEND_COLUMNS) * (WIDTH - LEFT - RIGHT) / (double) LEGEND_COLUMNS;
        double at = LEGEND_TOP + number / LEGEND_COLUMNS * LEGEND_LINE;
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
                                + " stroke-width=\"2.5\"%s/>%n",
                        left,
                        at - 4,
                        left + 26,
                        at - 4,
                        COLOURS[number % COLOURS.length],
                        dashes(series)));
        text(left + 34, at, "start", series.name());
    }

    private static String dashes(Series series) {
        return series.measured() ? "" : " stroke-dasharray=\"6 4\"";
    }

    private void rule(double x1, double y1, double x2, double y2, String colour) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
                        x1,
                        y1,
                        x2,
                        y2,
                        colour));
    }

    private void text(double x, double y, String anchor, String words) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%.1f\" y=\"%.1f\" fill=\"#222\" text-anchor=\"%s\">%s</text>%n",
                        x,
                        y,
                        anchor,
                        Xml.escaped(words)));
    }

    private static double bottom() {
        return TOP + PLOT_HEIGHT;
    }

    private double x(double value) {
        double width = maxX > minX ? maxX - minX : 1;
        return LEFT + (value - minX) / width * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        double shown = chart.logarithmic ? Math.log10(value) : value;
        return bottom() - (shown - minY) / (maxY - minY) * PLOT_HEIGHT;
    }

    /** About six marks at round intervals. */
    private static double step(double range) {
        double rough = range <= 0 ? 1 : range / 6;
        double decade = Math.pow(10, Math.floor(Math.log10(rough)));
        double share = rough / decade;
        return decade * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
    }

    private static String power(int exponent) {
        return exponent >= -2 && exponent <= 4 ? round(Math.pow(10, exponent)) : "1e" + exponent;
    }

    private static String round(double value) {
        return String.format(Locale.ROOT, "%.6f", value).replaceAll("\\.?0+$", "");
    }
}
