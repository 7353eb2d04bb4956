/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.filter.FilterFullException;
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
 * Figure 4 of the paper: elements that share a fingerprint and its buckets with another one, over
 * buckets and over fingerprint bits. Merged elements are the ones that came second; involved
 * elements are both, as equation 5 counts them.
 */
final class CollidedElements {
    private static final String FILE = "ccf_collided.csv";
    private static final int PROBES = 200_000;

    private final CcfRun run;
    private final SplittableRandom random;
    private final Map<String, Point> points = new HashMap<>();
    private final CsvTable table =
            new CsvTable(
                    "buckets,distinct,f,runs,merged_into_existing,elements_involved,"
                            + "expected_merged,neg_query_fpr,neg_query_fpr_theory");

    private CollidedElements(CcfRun run) {
        this.run = run;
        random = new SplittableRandom(run.seed() + 1);
    }

    static void run(CcfRun run) throws IOException {
        new CollidedElements(run).run();
    }

    private record Point(int runs, double merged, double involved, double fpr) {}

    private void run() throws IOException {
        run.report().progress("figure 4: collided elements");
        Chart overBuckets =
                Chart.logarithmic(
                        "Figure 4: collided elements over elements, 4000 for 1024 buckets",
                        "log2 of buckets",
                        "elements involved in a collision");
        for (int f : new int[] {8, 12, 16}) {
            List<double[]> measured = new ArrayList<>();
            List<double[]> formula = new ArrayList<>();
            for (int m = 256; m <= 131_072 && m / 1024.0 * 4000 <= run.mostElements(); m *= 2) {
                double x = Math.log(m) / Math.log(2);
                measured.add(new double[] {x, measure(m, f).involved});
                formula.add(new double[] {x, 2 * expectedMerged(m, f)});
            }
            overBuckets.measured("f = " + f, measured);
            overBuckets.formula("f = " + f + ", formula", formula);
        }
        Chart overBits =
                Chart.logarithmic(
                        "Figure 4: collided elements over fingerprint bits, 64,000 elements",
                        "fingerprint bits",
                        "elements involved in a collision");
        List<double[]> measured = new ArrayList<>();
        List<double[]> formula = new ArrayList<>();
        for (int f = 5; f <= 20; f++) {
            measured.add(new double[] {f, measure(CcfRun.BUCKETS, f).involved});
            formula.add(new double[] {f, 2 * expectedMerged(CcfRun.BUCKETS, f)});
        }
        overBits.measured("measured", measured);
        overBits.formula("2 n^2 / (m (2^f - 1))", formula);
        run.report().table(FILE, table);
        run.report().add(overBuckets);
        run.report().add(overBits);
        if (run.reference().isPresent()) {
            compare(run.reference().get());
        }
    }

    private static int elements(int buckets) {
        return buckets * 125 / 32;
    }

    private static double expectedMerged(int buckets, int f) {
        return CuckooSizing.mergedElements(new CuckooShape(f, 4, buckets), elements(buckets));
    }

    private static String key(int buckets, int f) {
        return "m=" + buckets + " f=" + f;
    }

    private Point measure(int buckets, int f) {
        String key = key(buckets, f);
        Point known = points.get(key);
        if (known != null) {
            return known;
        }
        int elements = elements(buckets);
        int runs = Math.max(1, Math.min(20, run.repetitions() * CcfRun.ELEMENTS / elements));
        double merged = 0;
        double involved = 0;
        double hits = 0;
        CuckooShape shape = new CuckooShape(f, 4, buckets);
        for (int i = 0; i < runs; i++) {
            Filled together = fill(shape, elements, true);
            merged += elements - (double) together.filter.occupied();
            for (long hash : together.hashes) {
                involved += together.filter.count(hash) > 1 ? 1 : 0;
            }
            Filled separate = fill(shape, elements, false);
            for (int probe = 0; probe < PROBES; probe++) {
                hits += separate.filter.mightContain(random.nextLong()) ? 1 : 0;
            }
        }
        double load = elements / (CuckooShape.SLOTS * (double) buckets);
        Point point =
                new Point(runs, merged / runs, involved / runs, hits / ((double) runs * PROBES));
        points.put(key, point);
        table.add(
                buckets,
                elements,
                f,
                runs,
                point.merged,
                point.involved,
                expectedMerged(buckets, f),
                point.fpr,
                CuckooSizing.fpp(f, load));
        return point;
    }

    /** A filter and what was inserted into it. */
    private static final class Filled {
        private final CountingCuckooFilter filter;
        private final long[] hashes;

        private Filled(CountingCuckooFilter filter, long[] hashes) {
            this.filter = filter;
            this.hashes = hashes;
        }
    }

    /**
     * At this load small filters often have no room for some element; then new elements are drawn.
     */
    private Filled fill(CuckooShape shape, int elements, boolean merge) {
        while (true) {
            long[] hashes = random.longs(elements).toArray();
            CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
            int inserted = 0;
            while (inserted < elements && insert(filter, hashes[inserted], merge)) {
                inserted++;
            }
            if (inserted == elements) {
                return new Filled(filter, hashes);
            }
        }
    }

    /** Adds one copy, in its own slot or merged; returns whether there was room. */
    static boolean insert(CountingCuckooFilter filter, long hash, boolean merge) {
        try {
            if (merge) {
                filter.insert(hash, 1);
            } else {
                filter.insertSeparately(hash, 1);
            }
            return true;
        } catch (FilterFullException e) {
            return false;
        }
    }

    private void compare(ReferenceTables with) throws IOException {
        CsvTable theirs = with.table(FILE);
        CcfAgreement merged = new CcfAgreement("collided.merged");
        CcfAgreement involved = new CcfAgreement("collided.involved");
        for (int i = 0; i < theirs.size(); i++) {
            String key = key((int) theirs.number(i, "buckets"), (int) theirs.number(i, "f"));
            Point ours = points.get(key);
            if (ours == null) {
                continue; // beyond the largest size of this run
            }
            double mean = Math.max(1, ours.merged);
            double deviation = Math.sqrt(mean * (1 + 1.0 / ours.runs));
            merged.near(key, ours.merged, theirs.number(i, "merged_into_existing(mc)"), deviation);
            // Involved elements come in pairs.
            involved.near(
                    key, ours.involved, theirs.number(i, "elements_involved(mc)"), 2 * deviation);
        }
        merged.report(run.report());
        involved.report(run.report());
    }
}
