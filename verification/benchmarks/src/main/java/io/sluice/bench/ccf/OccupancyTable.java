/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The paper's table of occupancies: 4000 times 2^j elements in 1024 times 2^j buckets, a load of
 * 0.9766 if every element gets its own slot, and less if equal fingerprints merge.
 */
final class OccupancyTable {
    private static final String FILE = "ccf_occupancy.csv";
    private static final int[] FINGERPRINT_BITS = {8, 9, 10, 16};

    private final CcfRun run;
    private final SplittableRandom random;

    private OccupancyTable(CcfRun run) {
        this.run = run;
        random = new SplittableRandom(run.seed());
    }

    static void run(CcfRun run) throws IOException {
        new OccupancyTable(run).run();
    }

    /**
     * The result of several fillings.
     *
     * @param lacking slots that stayed empty, mean
     * @param spread standard deviation of {@code lacking} between fillings
     * @param failed fillings in which some element found no room
     */
    private record Point(
            int buckets, int runs, double lacking, double spread, int failed, double merged) {
        double occupancy() {
            return 1 - lacking / (CuckooShape.SLOTS * (double) buckets);
        }
    }

    private void run() throws IOException {
        run.report().progress("occupancy at 4000 elements for 1024 buckets");
        CsvTable table =
                new CsvTable(
                        "buckets,distinct,f,mode,runs,occupancy_mean,occupancy_sd,"
                                + "insert_fail_runs,merged_mean,expected_merged");
        Chart chart = Chart.linear("Occupancy", "log2 of buckets", "share of slots in use");
        Map<String, Point> points = new HashMap<>();
        for (int f : FINGERPRINT_BITS) {
            for (boolean merge : new boolean[] {true, false}) {
                List<double[]> line = new ArrayList<>();
                for (int n = 4_000; n <= run.mostElements(); n *= 2) {
                    Point point = measure(n, f, merge);
                    points.put(key(point.buckets, f, mode(merge)), point);
                    line.add(
                            new double[] {
                                Math.log(point.buckets) / Math.log(2), point.occupancy()
                            });
                    table.add(
                            point.buckets,
                            n,
                            f,
                            mode(merge),
                            point.runs,
                            point.occupancy(),
                            point.spread / (CuckooShape.SLOTS * (double) point.buckets),
                            point.failed,
                            point.merged,
                            merge
                                    ? CuckooSizing.mergedElements(
                                            new CuckooShape(f, 4, point.buckets), n)
                                    : 0.0);
                }
                chart.measured("f = " + f + ", " + mode(merge), line);
            }
        }
        chart.note(
                "The paper's table reads 0.9639 to 0.9700: what merging leaves with fingerprints of"
                        + " about 9 bits.");
        run.report().table(FILE, table);
        run.report().add(chart);
        firstRefusal();
        if (run.reference().isPresent()) {
            compare(run.reference().get(), points);
        }
    }

    private static String mode(boolean merge) {
        return merge ? "merge" : "slotPerElement";
    }

    private static String key(int buckets, int f, String mode) {
        return mode + " f=" + f + " m=" + buckets;
    }

    private Point measure(int elements, int f, boolean merge) {
        int buckets = elements / 4_000 * 1_024;
        int runs = Math.max(1, Math.min(40, run.repetitions() * CcfRun.ELEMENTS / elements));
        double sum = 0;
        double squares = 0;
        double merged = 0;
        int failed = 0;
        for (int i = 0; i < runs; i++) {
            CountingCuckooFilter filter =
                    CountingCuckooFilter.create(new CuckooShape(f, 4, buckets), Storage.HEAP);
            int refused = 0;
            for (int n = 0; n < elements; n++) {
                refused += CollidedElements.insert(filter, random.nextLong(), merge) ? 0 : 1;
            }
            double lacking = (double) (filter.shape().slots() - filter.occupied());
            sum += lacking;
            squares += lacking * lacking;
            merged += elements - refused - (double) filter.occupied();
            failed += refused > 0 ? 1 : 0;
        }
        double mean = sum / runs;
        double spread = Math.sqrt(Math.max(0, squares / runs - mean * mean));
        return new Point(buckets, runs, mean, spread, failed, merged / runs);
    }

    /** How full a large filter is when it refuses for the first time. */
    private void firstRefusal() {
        List<Double> loads = new ArrayList<>();
        for (int i = 0; i < run.repetitions(); i++) {
            CountingCuckooFilter filter =
                    CountingCuckooFilter.create(new CuckooShape(12, 4, 1 << 18), Storage.HEAP);
            boolean room = true;
            while (room) {
                room = CollidedElements.insert(filter, random.nextLong(), false);
            }
            loads.add(filter.load());
        }
        double least = loads.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        run.report()
                .add(
                        new Figure(
                                run.report().name() + ".occupancy",
                                least,
                                "share",
                                "the paper's 0.965 to 0.970",
                                ">= 0.965",
                                "load at the first refused insertion, 2^18 buckets, 12 bits; least"
                                        + " of "
                                        + loads.size()));
    }

    /** Slots that stay empty; if no filling failed on their side, the means must be equal. */
    private void compare(ReferenceTables with, Map<String, Point> points) throws IOException {
        CsvTable theirs = with.table(FILE);
        CcfAgreement tally = new CcfAgreement("occupancy");
        for (int i = 0; i < theirs.size(); i++) {
            int buckets = (int) theirs.number(i, "buckets");
            String key = key(buckets, (int) theirs.number(i, "f"), theirs.text(i, "mode"));
            Point ours = points.get(key);
            if (ours == null) {
                continue; // beyond the largest size of this run
            }
            double slots = CuckooShape.SLOTS * (double) buckets;
            boolean merges = theirs.text(i, "mode").equals(mode(true));
            double equalHashes = merges ? equalHashes(theirs.number(i, "distinct")) : 0;
            double lacking = (1 - theirs.number(i, "occupancy_mean")) * slots - equalHashes;
            double theirSpread = theirs.number(i, "occupancy_sd") * slots;
            // Merged elements are a Poisson number, which single runs do not show.
            double variance =
                    Math.max(theirSpread * theirSpread, theirs.number(i, "merged_mean"))
                            * (1.0 / ours.runs + 1 / theirs.number(i, "runs"));
            double rounding = 5e-6 * slots;
            double deviation = Math.sqrt(variance) + rounding;
            if (theirs.number(i, "insert_fail_runs") == 0 && ours.failed == 0) {
                tally.near(key, ours.lacking, lacking, deviation);
            } else {
                tally.atMost(key, ours.lacking, lacking, deviation);
            }
        }
        tally.report(run.report());
    }

    /**
     * Elements that merge on their side regardless of the fingerprint: at every length their table
     * has this many more than its own formula says, 7,900 of 8 million. That is the number of equal
     * pairs of 32-bit hashes; ours have 64 bits.
     */
    private static double equalHashes(double elements) {
        return elements * elements / 2 / (1L << 32);
    }
}
