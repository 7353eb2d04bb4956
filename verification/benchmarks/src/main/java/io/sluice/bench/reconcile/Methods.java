/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.reconcile.Exchange.Finder;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bytes until both sides are equal, by each method, over the share of elements that differ and over
 * multiplicities; for one exchange, and for one of each of the key groups of a job.
 */
final class Methods {
    private static final double[] SHARES = {0.0001, 0.001, 0.01, 0.1, 0.5};
    private static final int[] MOST_COPIES = {1, 10, 100, 1_000};
    private static final int KEY_GROUPS = 128;
    private static final int FINGERPRINT_BITS = 17;
    private static final int MAX_ROUNDS = 12;

    private static final Finder QUERY =
            (own, ownDigest, peer) -> MultisetDifference.byQuery(own, peer);
    private static final Finder DECODING = MultisetDifference::byDecoding;

    private final BenchReport report;
    private final int elements;
    private final long seed;
    private final Table table =
            Table.of("key_groups,most_copies,differing,method,bytes,ratio".split(","));
    private final Map<String, List<double[]>> lines = new LinkedHashMap<>();

    private Methods(BenchReport report, int elements, long seed) {
        this.report = report;
        this.elements = elements;
        this.seed = seed;
    }

    /** With unions of {@code elements} elements. */
    static void run(BenchReport report, int elements, long seed) throws IOException {
        new Methods(report, elements, seed).run();
    }

    private void run() throws IOException {
        report.progress("methods: bytes over the share of elements that differ");
        for (int groups : new int[] {1, KEY_GROUPS}) {
            for (int mostCopies : MOST_COPIES) {
                for (double share : SHARES) {
                    point(groups, mostCopies, (int) (share * elements));
                }
            }
        }
        report.table("reconcile_methods.csv", table);
        Chart chart =
                Chart.logarithmic(
                        "Bytes until both sides are equal, " + elements + " elements",
                        "log10 of elements that differ",
                        "bytes, both directions");
        lines.forEach(chart::measured);
        chart.note("Multiplicities are uniform from 1 to 1,000; " + KEY_GROUPS + " key groups.");
        report.add(chart);
    }

    private void point(int groups, int mostCopies, int differing) {
        long own = seed + 31L * differing + mostCopies;
        MultisetPair pair = MultisetPair.replicas(elements, differing, mostCopies, own);
        Division division = new Division(pair, groups, 1);
        Map<String, Long> bytes = new LinkedHashMap<>();
        bytes.put("query", byFilters(pair, division, mostCopies, QUERY, own));
        bytes.put("decoding", byFilters(pair, division, mostCopies, DECODING, own));
        bytes.put("rateless", RatelessExchange.of(pair, division, own).bytes());
        bytes.put("naive", pair.bytes());
        bytes.forEach(
                (method, taken) -> {
                    double ratio = (double) taken / pair.bytes();
                    table.add(groups, mostCopies, differing, method, taken, ratio);
                    if (mostCopies == MOST_COPIES[MOST_COPIES.length - 1]) {
                        figure(groups, method, differing, taken, ratio);
                    }
                });
    }

    private void figure(int groups, String method, int differing, long bytes, double ratio) {
        String prefix = groups == 1 ? "reconcile." : "reconcile.keyGroups.";
        boolean target = method.equals("rateless") && 100L * differing == elements;
        report.ratio(
                prefix + "bytesRatioToNaive." + method + "." + differing,
                ratio,
                "both sides send everything",
                target ? "<= 0.05" : "",
                "%d bytes until equal in %d key groups; %d of %d elements differ, multiplicities"
                        + " from 1 to 1,000",
                bytes,
                groups,
                differing,
                elements);
        lines.computeIfAbsent(
                        groups == 1 ? method : method + ", key groups", n -> new ArrayList<>())
                .add(new double[] {Math.log10(differing), bytes});
    }

    /** With counters that no multiplicity saturates. */
    private static long byFilters(
            MultisetPair pair, Division division, int mostCopies, Finder finder, long seed) {
        int counterBits = Integer.SIZE - Integer.numberOfLeadingZeros(mostCopies + 2);
        Exchange exchange = new Exchange(pair, finder);
        Shapes shapes = Shapes.sized(FINGERPRINT_BITS, counterBits);
        long bytes = exchange.untilEqual(division, shapes, seed, MAX_ROUNDS).bytes();
        if (exchange.right() != pair.size()) {
            throw new IllegalStateException("totals agree, but not the sides");
        }
        return bytes;
    }
}
