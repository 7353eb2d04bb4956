/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.ccf.CcfRun;
import io.sluice.bench.ccf.MultisetPair;
import io.sluice.bench.ccf.MultisetPair.Side;
import io.sluice.bench.reconcile.Exchange.Cost;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bytes until both sides are equal, over the number of elements that differ: cuckoo filters, whose
 * size follows the sets, beside exchanges whose size follows the difference. Where the lines cross
 * is computed.
 *
 * <p>In all exchanges an element is {@value Exchange#ELEMENT_BYTES} bytes; with tables and
 * sketches, one side lists the whole difference and sends the other its part of it.
 */
final class Crossover {
    /** Parts with their own totals, in the exchange that compares totals first. */
    private static final int PARTS = 4_096;

    /**
     * With short fingerprints: the next round over parts that still differ finds what they miss.
     */
    private static final int SHORT_BITS = 8;

    private static final int LONG_BITS = 17;

    private static final int MAX_ROUNDS = 12;

    private static final String PLAIN = "CCF, f = 17";
    private static final String PARTED = "CCF, f = 17, totals first";
    private static final String SHORT = "CCF, f = 8, totals first";
    private static final String TABLE = "invertible Bloom lookup table";
    private static final String RATELESS = "rateless IBLT, formula";
    private static final String SKETCH = "minisketch, formula";
    private static final String EVERYTHING = "everything";

    private final BenchReport report;
    private final int elements;
    private final int tries;
    private final long seed;
    private final Map<String, List<double[]>> lines = new LinkedHashMap<>();
    private final CsvTable table =
            new CsvTable("elements,differing,exchange,bytes,rounds,failed,source");

    private Crossover(BenchReport report, int elements, int tries, long seed) {
        this.report = report;
        this.elements = elements;
        this.tries = tries;
        this.seed = seed;
    }

    /**
     * With unions of {@code elements} elements.
     *
     * @param tries pairs behind each point
     */
    static void run(BenchReport report, int elements, int tries, long seed) throws IOException {
        new Crossover(report, elements, tries, seed).run();
    }

    private void run() throws IOException {
        report.progress("crossover: bytes over the number of elements that differ");
        for (int differing = 4; differing < elements; differing *= 2) {
            point(differing);
        }
        point(elements);
        report.table("reconcile_crossover.csv", table);
        Chart chart =
                Chart.logarithmic(
                        "Bytes until both sides are equal, " + elements + " elements",
                        "log2 of elements that differ",
                        "bytes, both directions");
        lines.forEach(
                (name, points) -> {
                    List<double[]> scaled =
                            points.stream().map(at -> new double[] {log2(at[0]), at[1]}).toList();
                    if (name.endsWith("formula")) {
                        chart.formula(name, scaled);
                    } else {
                        chart.measured(name, scaled);
                    }
                });
        chart.note(
                "A quarter of the differing elements each: missing at one side, missing at the"
                        + " other, repeated at one side, repeated at the other. minisketch decodes"
                        + " in a time that grows with the square of the difference.");
        report.add(chart);
        // From how many differences on an exchange of filters needs fewer bytes than another.
        for (String[] other :
                new String[][] {{"iblt", TABLE}, {"rateless", RATELESS}, {"minisketch", SKETCH}}) {
            figure(other[0], PLAIN, other[1], "more elements differ", PLAIN);
            figure(other[0] + ".totalsFirst", SHORT, other[1], "more elements differ", SHORT);
        }
        // Up to how many it needs fewer than sending everything.
        figure("everything", EVERYTHING, PLAIN, "fewer elements differ", PLAIN);
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    private void point(int differing) {
        double[] sums = new double[4];
        int[] rounds = new int[3];
        int[] failed = new int[1];
        double everything = 0;
        double entries = 0;
        double back = 0;
        for (int i = 0; i < tries; i++) {
            long own = seed + 31L * differing + i;
            MultisetPair pair = MultisetPair.replicas(elements, differing, own);
            Division parts = new Division(pair, 1, PARTS);
            Cost[] costs = {
                exchange(pair, new Division(pair, 1, 1), LONG_BITS, own),
                exchange(pair, parts, LONG_BITS, own),
                exchange(pair, parts, SHORT_BITS, own)
            };
            for (int exchange = 0; exchange < costs.length; exchange++) {
                sums[exchange] += costs[exchange].bytes();
                rounds[exchange] += costs[exchange].rounds();
            }
            Difference difference = Difference.of(pair);
            sums[3] += tables(pair, difference.entries, own, failed) + difference.backBytes();
            entries += difference.entries;
            back += difference.backBytes();
            everything += OtherExchanges.everything(difference.held);
        }
        add(differing, PLAIN, sums[0], rounds[0], 0, "measured");
        add(differing, PARTED, sums[1], rounds[1], 0, "measured");
        add(differing, SHORT, sums[2], rounds[2], 0, "measured");
        add(differing, TABLE, sums[3], tries + failed[0], failed[0], "measured");
        double rateless = tries * OtherExchanges.ratelessTable(entries / tries) + back;
        add(differing, RATELESS, rateless, tries, 0, "formula");
        double sketch = tries * OtherExchanges.sketch(entries / tries) + back;
        add(differing, SKETCH, sketch, tries, 0, "formula");
        add(differing, EVERYTHING, everything, tries, 0, "formula");
    }

    private void add(
            int differing, String exchange, double bytes, int rounds, int failed, String source) {
        double mean = bytes / tries;
        lines.computeIfAbsent(exchange, name -> new ArrayList<>())
                .add(new double[] {differing, mean});
        String name = exchange.replace(",", "");
        table.add(elements, differing, name, mean, (double) rounds / tries, failed, source);
    }

    private static Cost exchange(MultisetPair pair, Division division, int bits, long seed) {
        return new Exchange(pair)
                .untilEqual(division, Shapes.sized(bits, CcfRun.COUNTER_BITS), seed, MAX_ROUNDS);
    }

    /**
     * What a pair differs in.
     *
     * @param entries pairs of element and multiplicity that only one side has
     * @param back elements of which B has more, which it sends after it has listed the difference
     * @param held elements of A and of B
     */
    private record Difference(int entries, int back, int held) {
        static Difference of(MultisetPair pair) {
            int entries = 0;
            int back = 0;
            int held = 0;
            for (int i = 0; i < pair.size(); i++) {
                long a = pair.copies(Side.A)[i];
                long b = pair.copies(Side.B)[i];
                held += (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0);
                back += b > a ? 1 : 0;
                if (a != b) {
                    entries += (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0);
                }
            }
            return new Difference(entries, back, held);
        }

        double backBytes() {
            return (double) Exchange.ELEMENT_BYTES * back;
        }
    }

    /** Bytes of tables, each twice as large as the one before, until one lists everything. */
    private static double tables(MultisetPair pair, int entries, long seed, int[] failed) {
        double bytes = 0;
        for (int cells = InvertibleBloomTable.cells(entries); ; cells *= 2) {
            InvertibleBloomTable ofA = table(pair, Side.A, cells, seed + cells);
            bytes += ofA.sizeInBytes();
            ofA.subtract(table(pair, Side.B, cells, seed + cells));
            InvertibleBloomTable.Listing listing = ofA.list();
            if (listing.complete()) {
                if (listing.entries().size() != entries) {
                    throw new IllegalStateException(
                            "a table listed "
                                    + listing.entries().size()
                                    + " differences of "
                                    + entries);
                }
                return bytes;
            }
            failed[0]++;
        }
    }

    private static InvertibleBloomTable table(MultisetPair pair, Side side, int cells, long seed) {
        InvertibleBloomTable table = new InvertibleBloomTable(cells, seed);
        pair.root(side).forEach(table::insert);
        return table;
    }

    /**
     * The share of differing elements from which on {@code ours} needs fewer bytes than {@code
     * other}.
     */
    private void figure(String name, String ours, String other, String when, String filters) {
        double share = crossing(lines.get(ours), lines.get(other)) / elements;
        report.add(
                new Figure(
                        "reconcile.crossover." + name,
                        Math.min(1, share),
                        "share",
                        filters.equals(ours) ? other : ours,
                        "",
                        Double.isInfinite(share)
                                ? filters + ": more bytes at every difference, so 1"
                                : filters + ": fewer bytes when " + when + " than this"));
    }

    /**
     * The x from which on the first line is below the second, with log-log interpolation between
     * points; 0 if it always is, infinite if it is not at the last point.
     */
    static double crossing(List<double[]> line, List<double[]> other) {
        for (int i = line.size() - 1; i >= 0; i--) {
            double above = Math.log(line.get(i)[1] / other.get(i)[1]);
            if (above >= 0) {
                if (i == line.size() - 1) {
                    return Double.POSITIVE_INFINITY;
                }
                double next = Math.log(line.get(i + 1)[1] / other.get(i + 1)[1]);
                double at = above / (above - next);
                double x = Math.log(line.get(i)[0]);
                return Math.exp(x + at * (Math.log(line.get(i + 1)[0]) - x));
            }
        }
        return 0;
    }
}
