/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.reconcile.Exchange.Cost;
import io.sluice.bench.reconcile.Exchange.Shapes;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
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

    private Scaling() {}

    /** Up to {@code most} elements. */
    static void run(BenchReport report, int most, long seed) {
        report.progress("scaling to " + most + " elements a side");
        int exchanges = 0;
        List<double[]> time = new ArrayList<>();
        boolean allEqual = true;
        int elements = Math.min(100_000, most);
        while (true) {
            for (boolean parted : new boolean[] {false, true}) {
                MultisetPair pair =
                        MultisetPair.replicas(elements, elements / 100, seed + elements);
                int parts = parted ? Math.max(1, elements / KEY_GROUPS / ELEMENTS_PER_PART) : 1;
                Division division = new Division(pair, KEY_GROUPS, parts);
                Exchange exchange = new Exchange(pair);
                long start = System.nanoTime();
                Cost cost =
                        exchange.untilEqual(
                                division, Shapes.sized(FINGERPRINT_BITS), seed, MAX_ROUNDS);
                // Both sides worked in turns.
                double seconds = (System.nanoTime() - start) / 2e9;
                double naive = pair.bytes();
                allEqual &= exchange.right() == pair.size();
                exchanges++;
                if (!parted) {
                    time.add(new double[] {Math.log10(elements), seconds});
                }
                if (elements == most) {
                    figures(report, parted, most, cost, seconds, cost.bytes() / naive);
                }
            }
            if (elements == most) {
                break;
            }
            elements = Math.min(10 * elements, most);
        }
        String title = "Seconds of one side until both are equal";
        report.add(
                Chart.logarithmic(title, "log10 of elements", "seconds")
                        .measured("query, 128 key groups", time));
        report.check(
                "reconcile.scaling.equal",
                allEqual,
                exchanges + " exchanges ended with both sides at the union");
    }

    private static void figures(
            BenchReport report, boolean parted, int most, Cost cost, double seconds, double ratio) {
        String name = "reconcile.scaling" + (parted ? ".totalsFirst." : ".");
        report.add(
                name + "elements",
                most,
                "elements",
                "",
                "%d elements a side, one of a hundred differs, %d rounds%s",
                most,
                cost.rounds(),
                parted ? ", totals of parts of " + ELEMENTS_PER_PART + " elements first" : "");
        report.add(
                name + "seconds",
                seconds,
                "s",
                "",
                "one side, one thread: %.2f s building digests, %.2f s finding differences, the"
                        + " rest totals and repairs",
                cost.buildNanos() / 2e9,
                cost.findNanos() / 2e9);
        report.add(name + "bytes", (double) cost.bytes(), "bytes", "", "both directions");
        String naive = "both sides send everything";
        String how = "elements of " + Exchange.ELEMENT_BYTES + " bytes";
        report.ratio(name + "bytesRatioToNaive", ratio, naive, "", how);
        String held = "beside the state: own and peer's digest of the largest key group";
        report.add(name + "heldBytes", (double) cost.held(), "bytes", "", held);
    }
}
