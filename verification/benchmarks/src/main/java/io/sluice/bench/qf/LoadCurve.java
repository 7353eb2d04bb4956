/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.Keys;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.quotient.QuotientFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Throughput over load, 0.5 to 0.95: the usual figure to judge a quotient filter by. */
final class LoadCurve {
    private static final String[] OPERATIONS = {"insert", "present", "absent", "remove"};
    private static final int WARM_UP_BITS = 14;
    private static final int WARM_UP_LIVES = 8;

    private final int lookups;
    private final Batches batches = new Batches();
    private final Map<String, List<double[]>> points = new LinkedHashMap<>();

    private LoadCurve(int lookups) {
        this.lookups = lookups;
    }

    static void run(BenchReport report, int slots) throws IOException {
        report.progress("throughput over load, %,d slots", slots);
        LoadCurve warm = new LoadCurve(1 << WARM_UP_BITS);
        for (int life = 0; life < WARM_UP_LIVES; life++) {
            warm.measure(WARM_UP_BITS);
        }
        LoadCurve curve = new LoadCurve(Math.min(1_000_000, slots));
        curve.measure(Integer.numberOfTrailingZeros(slots));
        curve.write(report);
    }

    private void measure(int quotientBits) {
        points.clear();
        QuotientFilter filter =
                QuotientStructure.create(quotientBits, QuotientRates.REMAINDER_BITS);
        QuotientFilter batched =
                QuotientStructure.create(quotientBits, QuotientRates.REMAINDER_BITS);
        long slots = 1L << quotientBits;
        long held = 0;
        for (int percent = 50; percent <= 95; percent += 5) {
            double load = percent / 100.0;
            // The last hundredth of the slots is timed, removed and inserted again.
            long keys = (long) (load * (double) slots);
            long part = Math.max(1, slots / 100);
            for (long i = held; i < keys - part; i++) {
                filter.insert(Hashing.hash(Keys.key(i)));
            }
            batches.insert(batched, held, keys - part);
            long last = keys - part;
            add(load, "insert", part, () -> insert(filter, last, keys));
            add(load, "insert batched", part, () -> batches.insert(batched, last, keys));
            for (String kind : new String[] {"present", "absent"}) {
                Keys sequence = kind.equals("absent") ? Keys.absent() : Keys.present(keys);
                long from = (long) percent << 32;
                add(load, kind, lookups, () -> contains(filter, sequence, from));
                add(
                        load,
                        kind + " batched",
                        lookups,
                        () -> batches.contains(batched, sequence, from + lookups, lookups));
            }
            add(load, "remove", part, () -> remove(filter, last, keys));
            add(load, "remove batched", part, () -> batches.remove(batched, last, keys));
            insert(filter, last, keys);
            batches.insert(batched, last, keys);
            held = keys;
        }
    }

    private long insert(QuotientFilter filter, long from, long to) {
        for (long i = from; i < to; i++) {
            filter.insert(Hashing.hash(Keys.key(i)));
        }
        return to - from;
    }

    private long remove(QuotientFilter filter, long from, long to) {
        long removed = 0;
        for (long i = from; i < to; i++) {
            removed += filter.remove(Hashing.hash(Keys.key(i))) ? 1 : 0;
        }
        return removed;
    }

    private long contains(QuotientFilter filter, Keys sequence, long from) {
        long hits = 0;
        for (long i = from; i < from + lookups; i++) {
            hits += filter.mightContain(Hashing.hash(sequence.at(i))) ? 1 : 0;
        }
        return hits;
    }

    /** Operations that return how many were done or held; checks that it is not zero. */
    private interface Operations {
        long run();
    }

    private void add(double load, String name, long count, Operations operations) {
        long start = System.nanoTime();
        long done = operations.run();
        double mops = 1000.0 * count / (System.nanoTime() - start);
        if (done > count || (done == 0 && !name.startsWith("absent"))) {
            throw new IllegalStateException(name + " did " + done + " of " + count);
        }
        points.computeIfAbsent(name, n -> new ArrayList<>()).add(new double[] {load, mops});
    }

    private void write(BenchReport report) throws IOException {
        CsvTable table = new CsvTable("load,operation,mops,batched_mops");
        Chart chart = Chart.linear("Throughput over load, r = 8", "load", "million a second");
        for (String operation : OPERATIONS) {
            List<double[]> single = points.get(operation);
            List<double[]> batched = points.get(operation + " batched");
            chart.measured(operation, single);
            chart.measured(operation + ", batches", batched);
            StringBuilder line = new StringBuilder(String.format("    %-8s", operation));
            for (int i = 0; i < single.size(); i++) {
                table.add(single.get(i)[0], operation, single.get(i)[1], batched.get(i)[1]);
                line.append(
                        String.format(
                                Locale.ROOT, " %5.1f/%.1f", single.get(i)[1], batched.get(i)[1]));
            }
            report.progress(line.toString());
        }
        chart.note("Inserted and removed: the last hundredth of the slots before each load.");
        report.table("qf_load_curve.csv", table);
        report.add(chart);
    }
}
