/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.rate.Rounds;
import io.sluice.bench.rate.Sink;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Keys;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.quotient.FingerprintCursor;
import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.filter.quotient.QuotientMerge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Operations on whole filters: cursor, merge, resize, serialization. */
final class BulkRates {
    private static final int MANY = 8;
    private static final int WARM_UP_BITS = 15;
    private static final int WARM_UP_ROUNDS = 10;

    private final Rounds timed = new Rounds();

    private BulkRates() {}

    static void run(BenchReport report, int slots, int rounds, double load) throws IOException {
        String suffix = load == 0.75 ? "" : String.format(Locale.ROOT, ".%.0f", 100 * load);
        report.progress("whole filters, load %s", load);
        BulkRates bulk = new BulkRates();
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            bulk.round(0, WARM_UP_BITS, load);
        }
        int quotientBits = Integer.numberOfTrailingZeros(slots) - 1;
        for (int round = 1; round <= rounds; round++) {
            System.gc();
            bulk.round(round, quotientBits, load);
        }
        bulk.figure(report, "merge", "Mops/s", ">= 50", "two filters, into a new one", suffix);
        bulk.figure(report, "mergeOfEight", "Mops/s", "", "eight, into a new one", suffix);
        bulk.figure(report, "cursor", "Mops/s", "", "all fingerprints in order", suffix);
        bulk.figure(report, "resize", "Mops/s", "", "to twice as many quotients", suffix);
        bulk.figure(report, "serialization.write", "GB/s", ">= 1", "in memory", suffix);
        bulk.figure(report, "serialization.read", "GB/s", ">= 1", "in memory, checked", suffix);
    }

    private void round(int round, int quotientBits, double load) throws IOException {
        List<QuotientFilter> two = filters(2, quotientBits, load);
        merge("merge", round, two);
        QuotientFilter filter = two.get(0);
        long held = filter.size();
        timed.time("cursor", round, held, () -> read(filter.cursor()));
        serialize(round, filter);
        long start = System.nanoTime();
        filter.resize(quotientBits + 1);
        timed.record("resize", round, (double) (System.nanoTime() - start) / held);
        two.clear();
        merge("mergeOfEight", round, filters(MANY, quotientBits - 2, load));
    }

    /** Each has its own keys; the result of their merge has the same load and r = 8. */
    private static List<QuotientFilter> filters(int count, int quotientBits, double load) {
        int bits = Integer.numberOfTrailingZeros(count);
        List<QuotientFilter> filters = new ArrayList<>();
        long keys = (long) (load * (1L << quotientBits));
        for (int i = 0; i < count; i++) {
            QuotientFilter filter =
                    QuotientStructure.create(quotientBits, QuotientRates.REMAINDER_BITS + bits);
            for (long j = 0; j < keys; j++) {
                filter.insert(Keys.key(i * keys + j));
            }
            filters.add(filter);
        }
        return filters;
    }

    private void merge(String name, int round, List<QuotientFilter> filters) {
        long start = System.nanoTime();
        QuotientFilter sum = QuotientMerge.sum(filters);
        timed.record(name, round, (double) (System.nanoTime() - start) / sum.size());
        long expected = filters.stream().mapToLong(QuotientFilter::size).sum();
        if (sum.size() != expected) {
            throw new IllegalStateException("merged " + sum.size() + " of " + expected);
        }
    }

    private static long read(FingerprintCursor cursor) {
        long[] batch = new long[1024];
        long sum = 0;
        for (int n = cursor.next(batch, 0, batch.length);
                n > 0;
                n = cursor.next(batch, 0, batch.length)) {
            sum += batch[n - 1];
        }
        return sum;
    }

    private void serialize(int round, QuotientFilter filter) throws IOException {
        Sink sink = new Sink(Math.toIntExact(filter.sizeInBytes() + (1 << 12)));
        long start = System.nanoTime();
        filter.writeTo(sink);
        long written = System.nanoTime();
        QuotientFilter copy = QuotientFilter.readFrom(sink.read(), "memory", Storage.HEAP);
        long end = System.nanoTime();
        if (copy.size() != filter.size()) {
            throw new IllegalStateException("a snapshot lost fingerprints");
        }
        // Nanoseconds per byte: a thousand million operations per second are a gigabyte per second.
        timed.record("serialization.write", round, 1000.0 * (written - start) / sink.size());
        timed.record("serialization.read", round, 1000.0 * (end - written) / sink.size());
    }

    private void figure(
            BenchReport report, String name, String unit, String goal, String how, String suffix) {
        Spread spread = timed.throughput(name);
        report.add(
                "qf." + name + (unit.equals("GB/s") ? "GBs" : ".mops") + suffix,
                spread.median(),
                unit,
                goal,
                how + "; " + spread);
    }
}
