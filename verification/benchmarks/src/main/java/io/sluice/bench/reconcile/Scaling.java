/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.ccf.CcfRun;
import io.sluice.bench.ccf.MultisetPair;
import io.sluice.bench.reconcile.Exchange.Cost;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Two replicas that differ in one element of a hundred, over their size: time, memory and bytes
 * until they are equal. Key groups are exchanged one after another, so that besides its state a
 * side holds only two digests of one group.
 */
final class Scaling {
    private static final int FINGERPRINT_BITS = 17;
    private static final int KEY_GROUPS = 128;

    /** Elements of a part with its own totals: parts that agree are not in the digest. */
    private static final int ELEMENTS_PER_PART = 16;

    private static final int MAX_ROUNDS = 8;

    private final BenchReport report;
    private final int most;
    private final long seed;
    private final CsvTable table =
            new CsvTable(
                    "elements,method,parts,rounds,seconds_per_side,build_seconds,find_seconds,"
                            + "bytes,digest_bytes,bytes_ratio_to_naive,held_bytes,all_equal");
    private final List<double[]> time = new ArrayList<>();

    private Scaling(BenchReport report, int most, long seed) {
        this.report = report;
        this.most = most;
        this.seed = seed;
    }

    /** Up to {@code most} elements. */
    static void run(BenchReport report, int most, long seed) throws IOException {
        report.progress("scaling to " + most + " elements a side");
        Scaling scaling = new Scaling(report, most, seed);
        boolean equal = true;
        for (int elements = Math.min(100_000, most); ; elements = Math.min(10 * elements, most)) {
            for (boolean parted : new boolean[] {false, true}) {
                equal &= scaling.measure(elements, parted);
            }
            if (elements == most) {
                break;
            }
        }
        report.table("reconcile_scaling.csv", scaling.table);
        report.add(
                Chart.logarithmic(
                                "Seconds of one side until both are equal",
                                "log10 of elements",
                                "seconds")
                        .measured("query, 128 key groups", scaling.time));
        report.check(
                "reconcile.scaling.equal",
                equal,
                scaling.table.size() + " exchanges ended with both sides at the union");
    }

    /** Returns whether both sides ended equal. */
    private boolean measure(int elements, boolean parted) {
        MultisetPair pair = MultisetPair.replicas(elements, elements / 100, seed + elements);
        int parts = parted ? Math.max(1, elements / KEY_GROUPS / ELEMENTS_PER_PART) : 1;
        Division division = new Division(pair, KEY_GROUPS, parts);
        Exchange exchange = new Exchange(pair);
        Shapes shapes = Shapes.sized(FINGERPRINT_BITS, CcfRun.COUNTER_BITS);
        long start = System.nanoTime();
        Cost cost = exchange.untilEqual(division, shapes, seed, MAX_ROUNDS);
        // Both sides worked in turns.
        double seconds = (System.nanoTime() - start) / 2e9;
        double ratio = cost.bytes() / OtherExchanges.everything(2.0 * pair.each());
        boolean equal = exchange.outcome().right() == pair.size();
        table.add(
                elements,
                "query",
                division.parts(),
                cost.rounds(),
                seconds,
                cost.buildNanos() / 2e9,
                cost.findNanos() / 2e9,
                cost.bytes(),
                cost.digestBytes(),
                ratio,
                cost.held(),
                equal);
        if (!parted) {
            time.add(new double[] {Math.log10(elements), seconds});
        }
        if (elements == most) {
            figures("reconcile.scaling" + (parted ? ".totalsFirst" : ""), cost, seconds, ratio);
        }
        return equal;
    }

    private void figures(String name, Cost cost, double seconds, double ratio) {
        report.add(
                name + ".elements",
                most,
                "elements",
                "",
                "%d elements a side, one of a hundred differs, %d rounds%s",
                most,
                cost.rounds(),
                name.endsWith("totalsFirst")
                        ? ", totals of parts of " + ELEMENTS_PER_PART + " elements first"
                        : "");
        report.add(
                name + ".seconds",
                seconds,
                "s",
                "",
                "one side, one thread: %.2f s building digests, %.2f s finding differences, the"
                        + " rest totals and repairs",
                cost.buildNanos() / 2e9,
                cost.findNanos() / 2e9);
        report.add(name + ".bytes", (double) cost.bytes(), "bytes", "", "both directions");
        report.ratio(
                name + ".bytesRatioToNaive",
                ratio,
                "both sides send everything",
                "",
                "elements of " + Exchange.ELEMENT_BYTES + " bytes");
        report.add(
                name + ".heldBytes",
                (double) cost.held(),
                "bytes",
                "",
                "beside the state: own and peer's digest of the largest key group");
    }
}
