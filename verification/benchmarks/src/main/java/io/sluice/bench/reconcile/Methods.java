/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.flink.reconcile.DifferenceMethod;
import io.sluice.flink.reconcile.LocalExchange;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Bytes until both sides know that they are equal, by each method, over the share of elements that
 * differ and over multiplicities; for one exchange, and for one of each of the key groups of a job.
 * They are those of the messages that the operator sends.
 */
final class Methods {
    private static final double[] SHARES = {0.0001, 0.001, 0.01, 0.1, 0.5};
    private static final int[] MOST_COPIES = {1, 10, 100, 1_000};
    private static final int KEY_GROUPS = 128;
    private static final int RUNS = 3;

    private static final Map<String, DifferenceMethod> METHODS = new LinkedHashMap<>();

    static {
        METHODS.put("query", DifferenceMethod.QUERY);
        METHODS.put("decoding", DifferenceMethod.DECODE);
        METHODS.put("rateless", DifferenceMethod.RATELESS);
        METHODS.put("automatic", DifferenceMethod.AUTO);
    }

    private final BenchReport report;
    private final int elements;
    private final long seed;
    private final Table table =
            Table.of(
                    "key_groups,most_copies,differing,method,bytes,ratio,checkpoints,seconds"
                            .split(","));
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
        RootSet[] sides = new RootSet[2];
        for (int side = 0; side < 2; side++) {
            sides[side] = Exchange.root(pair, new Division(pair, 1, 1), 0, pair.copies(side));
        }
        // No multiplicity saturates them.
        int counterBits = Integer.SIZE - Integer.numberOfLeadingZeros(mostCopies + 2);
        Map<String, Measured> costs = new LinkedHashMap<>();
        METHODS.forEach(
                (name, method) ->
                        costs.put(
                                name,
                                measure(
                                        hasFigures(mostCopies) ? RUNS : 1,
                                        () ->
                                                LocalExchange.of(
                                                        method,
                                                        groups,
                                                        counterBits,
                                                        sides[0],
                                                        sides[1],
                                                        own))));
        costs.put("naive", new Measured(new LocalExchange.Cost(pair.bytes(), 1), 0));
        costs.forEach(
                (method, measured) -> {
                    LocalExchange.Cost cost = measured.cost();
                    double ratio = (double) cost.bytes() / pair.bytes();
                    table.add(
                            groups,
                            mostCopies,
                            differing,
                            method,
                            cost.bytes(),
                            ratio,
                            cost.checkpoints(),
                            measured.seconds());
                    if (hasFigures(mostCopies)) {
                        figure(groups, method, differing, measured, ratio);
                    }
                });
    }

    /**
     * An exchange.
     *
     * @param seconds of both sides, in one thread; the least of some runs
     */
    private record Measured(LocalExchange.Cost cost, double seconds) {}

    private static boolean hasFigures(int mostCopies) {
        return mostCopies == MOST_COPIES[MOST_COPIES.length - 1];
    }

    private static Measured measure(int runs, Supplier<LocalExchange.Cost> exchange) {
        Measured best = null;
        for (int run = 0; run < runs; run++) {
            long start = System.nanoTime();
            LocalExchange.Cost cost = exchange.get();
            double seconds = (System.nanoTime() - start) / 1e9;
            if (best == null || seconds < best.seconds()) {
                best = new Measured(cost, seconds);
            }
        }
        return best;
    }

    private void figure(int groups, String method, int differing, Measured measured, double ratio) {
        LocalExchange.Cost cost = measured.cost();
        String prefix = groups == 1 ? "reconcile." : "reconcile.keyGroups.";
        boolean target =
                groups == 1
                        && (method.equals("rateless") || method.equals("automatic"))
                        && 100L * differing == elements;
        report.ratio(
                prefix + "bytesRatioToNaive." + method + "." + differing,
                ratio,
                "both sides send everything",
                target ? "<= 0.05" : "",
                "%d bytes and %d checkpoints until equal in %d key groups; %d of %d elements"
                        + " differ, multiplicities from 1 to 1,000",
                cost.bytes(),
                cost.checkpoints(),
                groups,
                differing,
                elements);
        if (measured.seconds() > 0) {
            report.add(
                    prefix + "seconds." + method + "." + differing,
                    measured.seconds(),
                    "s",
                    "",
                    String.format(
                            Locale.ROOT,
                            "both sides in one thread, the least of %d runs; without the waits for"
                                    + " checkpoints",
                            RUNS));
        }
        lines.computeIfAbsent(
                        groups == 1 ? method : method + ", key groups", n -> new ArrayList<>())
                .add(new double[] {Math.log10(differing), cost.bytes()});
    }
}
