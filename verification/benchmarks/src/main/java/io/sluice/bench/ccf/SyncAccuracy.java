/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.ccf.SyncTrial.Digests;
import io.sluice.bench.ccf.SyncTrial.Method;
import io.sluice.bench.ccf.SyncTrial.Way;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.ReferenceTables;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Accuracy of one round over bits per element, 64,000 elements of some 640,000 copies a side, and
 * over the number of elements (figure 5c): counting cuckoo filters, by both methods, with separate
 * and with merged collisions, and counting Bloom filters.
 */
final class SyncAccuracy {
    private static final String FILE = "ccf_sync_accuracy.csv";
    private static final double[] OVERLAPS = {0, 0.5, 0.9};
    private static final double[] BLOOM_BITS = {
        16, 20, 24, 28, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 160
    };

    /** Fingerprint bits of the figure that has a goal: 25.6 bits per element. */
    private static final int GOAL_BITS = 17;

    private final CcfRun run;
    private final Map<String, Errors> points = new HashMap<>();
    private final CsvTable table =
            new CsvTable(
                    "struct,method,way,overlap,distinct,f_or_k,bits_per_element,"
                        + "acc_elements_equal,acc_correct_vs_max,elements_sent,bytes_exchanged");

    private SyncAccuracy(CcfRun run) {
        this.run = run;
    }

    static void run(CcfRun run) throws IOException {
        new SyncAccuracy(run).run();
    }

    /** Means over several pairs. */
    private static final class Errors {
        private int union;
        private double unequal;
        private double wrong;
        private double sent;
        private int pairs;

        private void add(SyncOutcome outcome) {
            union = outcome.union();
            unequal += outcome.union() - outcome.equal();
            wrong += outcome.union() - outcome.right();
            sent += outcome.sent();
            pairs++;
        }

        private double equalShare() {
            return 1 - unequal / pairs / union;
        }

        private double rightShare() {
            return 1 - wrong / pairs / union;
        }
    }

    private void run() throws IOException {
        run.report().progress("accuracy of synchronisation over bits per element");
        for (double overlap : OVERLAPS) {
            overBits(overlap);
        }
        run.report().progress("figure 5c: accuracy over elements, f from 8 to 18");
        overElements();
        run.report().table(FILE, table);
        figures();
        if (run.reference().isPresent()) {
            compare(run.reference().get());
        }
    }

    private void overBits(double overlap) {
        Chart chart =
                Chart.logarithmic(
                        "Figure 5: elements that differ after one round, overlap " + overlap,
                        "bits per element",
                        "share of elements that are not equal");
        for (int pairNumber = 0; pairNumber < run.repetitions(); pairNumber++) {
            SyncTrial trial =
                    new SyncTrial(
                            new MultisetPair(
                                    CcfRun.ELEMENTS,
                                    overlap,
                                    run.seed() + pairNumber + ((long) (100 * overlap)) * 1_000));
            for (int f = 7; f <= 18; f++) {
                cuckoo(trial, overlap, new CuckooShape(f, CcfRun.COUNTER_BITS, CcfRun.BUCKETS));
            }
            for (double bits : BLOOM_BITS) {
                add(bloomKey(overlap, bits), trial.roundOfBloomFilters(bits));
            }
        }
        for (Collisions collisions : Collisions.values()) {
            for (Method method : Method.values()) {
                for (Way way : Way.values()) {
                    List<double[]> line = new ArrayList<>();
                    for (int f = 7; f <= 18; f++) {
                        Errors errors = row(collisions, method, way, overlap, CcfRun.ELEMENTS, f);
                        line.add(new double[] {CcfRun.bitsPerElement(f), 1 - errors.equalShare()});
                    }
                    chart.measured(word(collisions) + ", " + method.word + ", " + way.word, line);
                }
            }
        }
        List<double[]> line = new ArrayList<>();
        for (double bits : BLOOM_BITS) {
            Errors errors = points.get(bloomKey(overlap, bits));
            int positions = new CountingBloomFilter(1_000, bits).positions();
            table.add(
                    "CBF8",
                    "query",
                    Way.RAISING.word,
                    overlap,
                    CcfRun.ELEMENTS,
                    positions,
                    bits,
                    errors.equalShare(),
                    errors.rightShare(),
                    errors.sent / errors.pairs,
                    2 * bits / 8 * CcfRun.ELEMENTS);
            line.add(new double[] {bits, 1 - errors.equalShare()});
        }
        chart.measured("counting Bloom filter, 8-bit cells", line);
        chart.note(
                "Raising takes counts from the peer's filter, as the paper does; sending sends"
                        + " every element that differs or may differ, so no count is ever wrong.");
        run.report().add(chart);
    }

    private void overElements() {
        Chart chart =
                Chart.logarithmic(
                        "Figure 5c: elements that differ, f = 8 for 1000 elements, 9 for 2000, ...",
                        "log2 of elements",
                        "share of elements that are not equal");
        Map<String, List<double[]>> lines = new java.util.TreeMap<>();
        int f = 8;
        for (int n = 1_000; n <= run.mostElements(); n *= 2, f++) {
            int runs = Math.max(1, Math.min(8, run.repetitions() * CcfRun.ELEMENTS / n));
            // Some 4 slots for 3.9 elements, as in the paper; small filters need a little more.
            long buckets = ((long) n * CcfRun.BUCKETS / 64_000 + (long) Math.sqrt(n) / 4 + 1) & ~1;
            CuckooShape shape = new CuckooShape(f, CcfRun.COUNTER_BITS, buckets);
            for (int i = 0; i < runs; i++) {
                SyncTrial trial = new SyncTrial(new MultisetPair(n, 0.5, run.seed() + n + 7L * i));
                add(
                        cuckooKey(Collisions.MERGED, Method.QUERY, Way.RAISING, 0.5, n, f),
                        merged(trial, shape, Method.QUERY));
                add(
                        cuckooKey(Collisions.MERGED, Method.DECODING, Way.RAISING, 0.5, n, f),
                        merged(trial, shape, Method.DECODING));
            }
            for (Method method : Method.values()) {
                Errors errors = row(Collisions.MERGED, method, Way.RAISING, 0.5, n, f);
                lines.computeIfAbsent(method.word, word -> new ArrayList<>())
                        .add(new double[] {Math.log(n) / Math.log(2), 1 - errors.equalShare()});
            }
        }
        lines.forEach(chart::measured);
        chart.note("The number of wrong elements stays the same: f grows as fast as log n.");
        run.report().add(chart);
    }

    private SyncOutcome merged(SyncTrial trial, CuckooShape shape, Method method) {
        return trial.round(
                trial.digests(shape, Collisions.MERGED, run.seed()), method, Way.RAISING);
    }

    private void cuckoo(SyncTrial trial, double overlap, CuckooShape shape) {
        for (Collisions collisions : Collisions.values()) {
            Digests digests = trial.digests(shape, collisions, run.seed());
            for (Method method : Method.values()) {
                for (Way way : Way.values()) {
                    add(
                            cuckooKey(
                                    collisions,
                                    method,
                                    way,
                                    overlap,
                                    CcfRun.ELEMENTS,
                                    shape.fingerprintBits()),
                            trial.round(digests, method, way));
                }
            }
        }
    }

    private Errors row(
            Collisions collisions, Method method, Way way, double overlap, int n, int f) {
        Errors errors = points.get(cuckooKey(collisions, method, way, overlap, n, f));
        table.add(
                word(collisions),
                method.word,
                way.word,
                overlap,
                n,
                f,
                CcfRun.bitsPerElement(f),
                errors.equalShare(),
                errors.rightShare(),
                errors.sent / errors.pairs,
                2 * CcfRun.bitsPerElement(f) / 8 * n + 16 * errors.sent / errors.pairs);
        return errors;
    }

    private void add(String key, SyncOutcome outcome) {
        points.computeIfAbsent(key, k -> new Errors()).add(outcome);
    }

    private static String word(Collisions collisions) {
        return collisions == Collisions.MERGED ? "CCF-merge" : "CCF-slotPerElement";
    }

    private static String cuckooKey(
            Collisions collisions, Method method, Way way, double overlap, int n, int f) {
        return String.join(
                "/",
                word(collisions),
                method.word,
                way.word,
                Double.toString(overlap),
                Integer.toString(n),
                "f=" + f);
    }

    private static String bloomKey(double overlap, double bits) {
        return "CBF8/" + overlap + "/" + bits;
    }

    private void figures() {
        for (Way way : Way.values()) {
            Errors errors =
                    points.get(
                            cuckooKey(
                                    Collisions.SEPARATE,
                                    Method.QUERY,
                                    way,
                                    0.5,
                                    CcfRun.ELEMENTS,
                                    GOAL_BITS));
            run.report()
                    .add(
                            new Figure(
                                    run.report().name() + ".sync.accuracy." + way.word,
                                    errors.rightShare(),
                                    "share",
                                    "the paper's 0.9999",
                                    ">= 0.9999",
                                    String.format(
                                            Locale.ROOT,
                                            "elements at their larger multiplicity on both sides"
                                                + " after one round by query; 64,000 elements of"
                                                + " 640,000 copies a side, half of them common; %d"
                                                + " pairs; %.0f elements sent",
                                            errors.pairs,
                                            errors.sent / errors.pairs)));
        }
        run.report()
                .add(
                        run.report().name() + ".sync.bitsPerElement",
                        CcfRun.bitsPerElement(GOAL_BITS),
                        "bits",
                        "<= 30",
                        "of one digest, for the accuracy above");
    }

    /**
     * Elements that are not equal. Queried merged filters behave the same on both sides; the rest
     * is designed to be at least as good. Errors come in pairs, so their variance is twice their
     * number.
     */
    private void compare(ReferenceTables with) throws IOException {
        CsvTable theirs = with.table(FILE);
        CcfAgreement same = new CcfAgreement("sync.same");
        CcfAgreement better = new CcfAgreement("sync.atLeastAsGood");
        for (int i = 0; i < theirs.size(); i++) {
            String struct = theirs.text(i, "struct").replace("-fig5c", "");
            double overlap = theirs.number(i, "overlap");
            String method = theirs.text(i, "method");
            int n = (int) theirs.number(i, "distinct");
            String key =
                    struct.equals("CBF8")
                            ? bloomKey(overlap, theirs.number(i, "bits_per_element"))
                            : String.join(
                                    "/",
                                    struct,
                                    method,
                                    Way.RAISING.word,
                                    Double.toString(overlap),
                                    Integer.toString(n),
                                    "f=" + theirs.text(i, "f_or_k"));
            Errors ours = points.get(key);
            if (ours == null) {
                continue; // cells of 16 bits, and sizes beyond this run
            }
            double mean = ours.unequal / ours.pairs;
            double their = (1 - theirs.number(i, "acc_elements_equal")) * ours.union;
            double deviation = Math.sqrt(2 * Math.max(1, their) * (1.0 / ours.pairs + 0.5));
            if (struct.equals("CBF8") || (struct.equals("CCF-merge") && method.equals("query"))) {
                same.near(key, mean, their, deviation);
            } else {
                better.atMost(key, mean, their, deviation);
            }
        }
        same.report(run.report());
        better.report(run.report());
    }
}
