/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.report.Figure;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The picture of the README: "seen" flags of a DataStream job beside RocksDB, as bars in two
 * panels. SVG, because no script runs there; it follows the reader's light or dark mode. Each bar
 * says its value, so the picture needs no axis; lengths are proportional within a panel.
 */
final class BesideRocksDb {
    static final String FILE = "beside-rocksdb.svg";

    private static final String OURS = "Sluice";
    private static final String PEER = "RocksDB";

    private static final int WIDTH = 760;
    private static final int MARGIN = 16;
    private static final int TITLE_HEIGHT = 44;
    private static final int BAR_STEP = 56;

    /** Room for a value to the right of the longest bar. */
    private static final int VALUE_WIDTH = 90;

    private static final int PANEL_WIDTH = (WIDTH - MARGIN * 3) / 2;

    private static final String STYLE =
            "<style>text{fill:#1f2328}.ours{fill:#0072b2}.peer{fill:#8c959f}"
                    + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}"
                    + ".ours{fill:#56b4e9}.peer{fill:#6e7681}}</style>\n";

    private BesideRocksDb() {}

    /** The picture, or none if not all of its figures were measured. */
    static Optional<String> picture(List<Figure> figures) {
        Optional<Double> rate = value(figures, "backend.datastream.perSecond");
        Optional<Double> ratio = value(figures, "backend.datastream.ratioToRocksdb");
        Optional<Double> bytes = value(figures, "backend.bytesPerKey");
        Optional<Double> peerBytes = value(figures, "backend.bytesPerKey.rocksdb");
        if (rate.isEmpty() || ratio.isEmpty() || bytes.isEmpty() || peerBytes.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                draw(rate.get(), rate.get() / ratio.get(), bytes.get(), peerBytes.get()));
    }

    private static Optional<Double> value(List<Figure> figures, String name) {
        return figures.stream()
                .filter(figure -> figure.name().equals(name))
                .map(Figure::value)
                .findFirst();
    }

    private static String draw(double rate, double peerRate, double bytes, double peerBytes) {
        String[] texts = {millions(rate), millions(peerRate), decimal(bytes), decimal(peerBytes)};
        StringBuilder svg = new StringBuilder();
        line(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                    + " font-family=\"sans-serif\" font-size=\"15\" role=\"img\" aria-label=\"%s:"
                    + " %s records a second, %s bytes an id. %s: %s and %s.\">",
                WIDTH,
                TITLE_HEIGHT + 2 * BAR_STEP + MARGIN / 2,
                OURS,
                texts[0],
                texts[2],
                PEER,
                texts[1],
                texts[3]);
        svg.append(STYLE);
        int right = MARGIN + PANEL_WIDTH + MARGIN;
        text(svg, MARGIN, 26, "bold", "records a second");
        double longest = Math.max(rate, peerRate);
        bar(svg, MARGIN, 0, rate / longest, texts[0]);
        bar(svg, MARGIN, 1, peerRate / longest, texts[1]);
        text(svg, right, 26, "bold", "bytes an id, in a checkpoint");
        longest = Math.max(bytes, peerBytes);
        bar(svg, right, 0, bytes / longest, texts[2]);
        bar(svg, right, 1, peerBytes / longest, texts[3]);
        return svg.append("</svg>\n").toString();
    }

    /**
     * @param row 0 is ours, 1 the peer's
     */
    private static void bar(StringBuilder svg, int left, int row, double share, String text) {
        double length = Math.max(2, share * (PANEL_WIDTH - VALUE_WIDTH));
        int top = TITLE_HEIGHT + row * BAR_STEP;
        text(svg, left, top + 12, "normal", row == 0 ? OURS : PEER);
        line(
                svg,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"22\" rx=\"3\"/>",
                row == 0 ? "ours" : "peer",
                left,
                top + 18,
                length);
        text(svg, left + (int) length + 8, top + 34, "bold", text);
    }

    private static void text(StringBuilder svg, int x, int y, String weight, String text) {
        line(svg, "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>", x, y, weight, text);
    }

    private static void line(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String millions(double value) {
        return String.format(Locale.ROOT, value < 1e6 ? "%.2f M" : "%.1f M", value / 1e6);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
