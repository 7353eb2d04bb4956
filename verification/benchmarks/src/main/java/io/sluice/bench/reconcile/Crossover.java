/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Figure;
import io.sluice.papers.figure.Table;
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
 * <p>In all exchanges an element is {@value Exchange#ELEMENT_BYTES} bytes. Coded symbols are
 * measured too ({@link RatelessExchange}); tables and sketches are formulas: one side lists the
 * whole difference and sends the other its part of it. The formulas favour these two: the number of
 * differences is taken as known, whereas a real protocol must estimate it or ask again, and final
 * checks are left out.
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

    /**
     * A PinSketch (Dodis, Ostrovsky, Reyzin, Smith 2008), as minisketch implements it: its largest
     * field, 64 bits, holds 56 bits of the hash and a count. The fewest bytes of all; decoding c
     * differences takes O(c^2) multiplications in the field.
     */
    private static final double SKETCH_BYTES = Long.BYTES;

    private static final String PLAIN = "CCF, f = 17";
    private static final String PARTED = "CCF, f = 17, totals first";
    private static final String SHORT = "CCF, f = 8, totals first";
    private static final String TABLE = "invertible Bloom lookup table, formula";
    private static final String RATELESS = "rateless IBLT";
    private static final String SKETCH = "minisketch, formula";
    private static final String EVERYTHING = "everything";

    private final BenchReport report;
    private final int elements;
    private final int tries;
    private final long seed;
    private final Map<String, List<double[]>> lines = new LinkedHashMap<>();
    private final Map<String, Double> sums = new LinkedHashMap<>();
    private final Table table = Table.of("elements,differing,exchange,bytes".split(","));

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
        for (int i = 0; i < tries; i++) {
            long own = seed + 31L * differing + i;
            MultisetPair pair = MultisetPair.replicas(elements, differing, own);
            Division whole = new Division(pair, 1, 1);
            Division parts = new Division(pair, 1, PARTS);
            add(PLAIN, exchange(pair, whole, LONG_BITS, own));
            add(PARTED, exchange(pair, parts, LONG_BITS, own));
            add(SHORT, exchange(pair, parts, SHORT_BITS, own));
            // Pairs of element and multiplicity that only one side has, and the elements of which
            // B has more, which it sends after it has listed the difference.
            int entries = 0;
            double back = 0;
            for (int element = 0; element < pair.size(); element++) {
                long a = pair.copies(0)[element];
                long b = pair.copies(1)[element];
                back += b > a ? Exchange.ELEMENT_BYTES : 0;
                entries += a == b ? 0 : (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0);
            }
            add(TABLE, tableBytes(entries) + back);
            add(RATELESS, (double) RatelessExchange.of(pair, whole, own).bytes());
            add(SKETCH, SKETCH_BYTES * entries + back);
            add(EVERYTHING, (double) pair.bytes());
        }
        sums.forEach(
                (exchange, sum) -> {
                    double mean = sum / tries;
                    lines.computeIfAbsent(exchange, name -> new ArrayList<>())
                            .add(new double[] {differing, mean});
                    String name = exchange.replace(",", "");
                    table.add(elements, differing, name, mean);
                });
        sums.clear();
    }

    private void add(String exchange, double bytes) {
        sums.merge(exchange, bytes, Double::sum);
    }

    private static double exchange(MultisetPair pair, Division division, int bits, long seed) {
        return new Exchange(pair)
                .untilEqual(division, Shapes.sized(bits), seed, MAX_ROUNDS)
                .bytes();
    }

    /**
     * Bytes of an invertible Bloom lookup table that lists this many differences in nearly all
     * cases: Goodrich, Mitzenmacher, <i>Invertible Bloom Lookup Tables</i> (2011). With three cells
     * for each entry a large table needs 1.222 cells for each difference; a tenth more, and what
     * small tables need because they are more uneven. A cell has the hash in 8 bytes, the
     * multiplicity in 2, a check in 4 and a count in 2.
     */
    private static double tableBytes(int differences) {
        return 16 * Math.ceil(1.1 * 1.222 * differences + 2 * Math.sqrt(differences) + 12);
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
