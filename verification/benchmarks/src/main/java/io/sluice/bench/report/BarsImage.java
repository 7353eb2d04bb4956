/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import java.util.List;
import java.util.Locale;

/**
 * Bars in panels side by side, as a picture for a first page, where no script runs: SVG that
 * follows the reader's light or dark mode. Each bar says its value, so the picture needs no axis;
 * the lengths are proportional within a panel.
 */
public final class BarsImage {
    private static final int WIDTH = 760;
    private static final int MARGIN = 16;
    private static final int TITLE_HEIGHT = 44;
    private static final int BAR_HEIGHT = 26;
    private static final int BAR_STEP = 56;

    /** Room for a value to the right of the longest bar. */
    private static final int VALUE_WIDTH = 90;

    /**
     * Bars that are compared with each other.
     *
     * @param title with the unit
     */
    public record Panel(String title, List<Bar> bars) {
        public Panel {
            bars = List.copyOf(bars);
        }
    }

    /**
     * A bar.
     *
     * @param value at least 0
     * @param text the value as it is read
     * @param ours whether it is to stand out
     */
    public record Bar(String name, double value, String text, boolean ours) {}

    private BarsImage() {}

    /**
     * The picture.
     *
     * @param description of everything in it, for those who do not see it
     */
    public static String draw(String description, List<Panel> panels) {
        int most = panels.stream().mapToInt(panel -> panel.bars().size()).max().orElseThrow();
        int height = TITLE_HEIGHT + most * BAR_STEP + MARGIN / 2;
        StringBuilder svg = new StringBuilder();
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                                + " font-family=\"sans-serif\" font-size=\"15\" role=\"img\""
                                + " aria-label=\"%s\">\n",
                        WIDTH,
                        height,
                        Xml.escaped(description)));
        svg.append(
                "<style>text{fill:#1f2328}.ours{fill:#0072b2}.peer{fill:#8c959f}"
                        + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}"
                        + ".ours{fill:#56b4e9}.peer{fill:#6e7681}}</style>\n");
        int panelWidth = (WIDTH - MARGIN * (panels.size() + 1)) / panels.size();
        for (int i = 0; i < panels.size(); i++) {
            draw(svg, panels.get(i), MARGIN + i * (panelWidth + MARGIN), panelWidth);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void draw(StringBuilder svg, Panel panel, int left, int width) {
        text(svg, left, 26, "bold", panel.title());
        double longest = panel.bars().stream().mapToDouble(Bar::value).max().orElse(0);
        int top = TITLE_HEIGHT;
        for (Bar bar : panel.bars()) {
            double length = Math.max(2, bar.value() / longest * (width - VALUE_WIDTH));
            text(svg, left, top + 12, "normal", bar.name());
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\""
                                    + " rx=\"3\"/>\n",
                            bar.ours() ? "ours" : "peer",
                            left,
                            top + 18,
                            length,
                            BAR_HEIGHT - 4));
            text(svg, left + (int) length + 8, top + 34, "bold", bar.text());
            top += BAR_STEP;
        }
    }

    private static void text(StringBuilder svg, int x, int y, String weight, String text) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>\n",
                        x,
                        y,
                        weight,
                        Xml.escaped(text)));
    }
}
