/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import io.sluice.bench.peer.AgePartitionedBloomFilter;
import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.rate.Sink;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.plane.Layout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the windowed filter costs besides time per operation: memory, pauses, snapshots. */
public final class FilterCosts {
    private static final double FPP = 1e-3;

    /** More would cost too much time per operation. */
    private static final int MAX_SLICES = 80;

    /** A windowed filter forgets in steps of this share of the window. */
    private static final int SLICES_PER_WINDOW = 8;

    private FilterCosts() {}

    public static void run(BenchReport report) throws IOException {
        memory(report);
        for (Layout layout : Layout.forWindows()) {
            pauses(report, layout);
            serialization(report, layout);
        }
    }

    private static String prefix(Layout layout) {
        return "fbf." + layout.name().toLowerCase(Locale.ROOT) + ".";
    }

    private static void memory(BenchReport report) throws IOException {
        report.progress("memory at equal fpp and window, beside an age-partitioned Bloom filter");
        int window = report.quick() ? 200_000 : 1_000_000;
        CsvTable table = new CsvTable("fpp,filter,bits_per_id,fpp_measured,shape,contains_mops");
        for (double fpp : new double[] {1e-2, 1e-3, 1e-4}) {
            double partitioned = partitioned(table, fpp, window, report);
            for (Layout layout : Layout.forWindows()) {
                double bits = windowed(table, fpp, window, layout, report);
                if (fpp == FPP) {
                    report.ratio(
                            "fbf.memory.ratioToAgePartitioned."
                                    + layout.name().toLowerCase(Locale.ROOT),
                            bits / partitioned,
                            "age-partitioned Bloom filter, best k and l of at most "
                                    + MAX_SLICES
                                    + " slices",
                            "<= 1",
                            "fpp %.0e, bits per id of the window: %.1f against" + " %.1f",
                            fpp,
                            bits,
                            partitioned);
                }
            }
        }
        report.table("fbf_memory.csv", table);
    }

    private static double partitioned(CsvTable table, double fpp, int window, BenchReport report) {
        AgePartitionedBloomFilter filter =
                AgePartitionedBloomFilter.create(fpp, window, MAX_SLICES);
        for (long i = 0; i < 3L * window; i++) {
            filter.add(Keys.key(i));
        }
        int denied = 0;
        for (long i = 2L * window; i < 3L * window; i++) {
            denied += filter.mightContain(Keys.key(i)) ? 0 : 1;
        }
        if (denied > 0) {
            throw new IllegalStateException(
                    "the age-partitioned filter denies " + denied + " ids of its window");
        }
        Keys absent = Keys.absent();
        int probes = 1_000_000;
        long hits = 0;
        long start = System.nanoTime();
        for (long i = 0; i < probes; i++) {
            hits += filter.mightContain(absent.at(i)) ? 1 : 0;
        }
        double mops = 1000.0 * probes / (System.nanoTime() - start);
        double bits = (double) filter.sizeInBits() / window;
        add(
                table,
                report,
                fpp,
                "age-partitioned",
                bits,
                (double) hits / probes,
                filter.shape(),
                mops);
        return bits;
    }

    private static double windowed(
            CsvTable table, double fpp, int window, Layout layout, BenchReport report) {
        Contender contender = Contender.of(new WindowedStructure(fpp, layout, window));
        contender.fill();
        Keys absent = Keys.absent();
        int probes = 1_000_000;
        long start = System.nanoTime();
        long hits = contender.contains(absent, 0, probes);
        double mops = 1000.0 * probes / (System.nanoTime() - start);
        double bits = contender.bitsPerKey();
        add(table, report, fpp, contender.name(), bits, (double) hits / probes, "", mops);
        return bits;
    }

    private static void add(
            CsvTable table,
            BenchReport report,
            double fpp,
            String name,
            double bits,
            double measured,
            String shape,
            double mops) {
        table.add(fpp, name, bits, measured, shape, mops);
        report.progress(
                "    fpp %.0e  %-28s %5.1f bits an id  measured %.2e  %s",
                fpp, name, bits, measured, shape);
    }

    /** The longest single insertion of each slice, including sweep and clock. */
    private static void pauses(BenchReport report, Layout layout) {
        long bytes = report.quick() ? 16L << 20 : 64L << 20;
        Contender contender = Contender.of(WindowedStructure.ofBytes(bytes, FPP, layout));
        report.progress(
                "longest insertion of a slice, " + contender.name() + ", " + (bytes >> 20) + " MB");
        contender.fill();
        long slice = contender.capacity() / SLICES_PER_WINDOW;
        List<Double> filter = new ArrayList<>();
        List<Double> nothing = new ArrayList<>();
        Keys absent = Keys.absent();
        Contender line = Contender.of(new OneLineLimit(bytes, 1));
        int slices = (report.quick() ? 1 : 2) * SLICES_PER_WINDOW;
        long from = 1L << 50;
        for (int i = 0; i < slices; i++) {
            filter.add(longest(contender, absent, from, slice));
            nothing.add(longest(line, absent, from, slice));
            from += slice;
        }
        Spread ours = Spread.of(filter);
        Spread noise = Spread.of(nothing);
        report.add(
                new Figure(
                        prefix(layout) + "slice.longestInsertMicros",
                        ours.median(),
                        "us",
                        "writing one random word, timed the same way",
                        "<= 100",
                        String.format(
                                Locale.ROOT,
                                "%d MB; longest of the %d insertions of a slice;"
                                        + " %s; the peer, which does nothing else, read a %s with"
                                        + " median %.1f",
                                bytes >> 20,
                                slice,
                                ours,
                                noise,
                                noise.median())));
    }

    private static double longest(Contender contender, Keys keys, long from, long count) {
        long longest = 0;
        long added = 0;
        long before = System.nanoTime();
        for (long i = from; i < from + count; i++) {
            added += contender.addIfAbsent(keys, i, 1);
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        if (added == 0) {
            throw new IllegalStateException("nothing was added to " + contender.name());
        }
        return longest / 1000.0;
    }

    private static void serialization(BenchReport report, Layout layout) throws IOException {
        long bytes = report.quick() ? 32L << 20 : 128L << 20;
        WindowedStructure structure = WindowedStructure.ofBytes(bytes, FPP, layout);
        report.progress("snapshots, " + structure.name() + ", " + (bytes >> 20) + " MB");
        Contender.of(structure).fill();
        ForgetfulFilter filter = structure.filter();
        Sink sink = new Sink(Math.toIntExact(bytes + (bytes >> 1)));
        Rounds timed = new Rounds();
        for (int round = 0; round <= 7; round++) {
            long start = System.nanoTime();
            sink.reset();
            filter.writeTo(sink);
            long written = System.nanoTime();
            ForgetfulFilter copy =
                    ForgetfulFilter.readFrom(
                            sink.read(), "memory", filter.options(), new MemoryBudget(1L << 32));
            long read = System.nanoTime();
            if (copy.idsHeld() != filter.idsHeld()) {
                throw new IllegalStateException("a snapshot lost ids");
            }
            timed.record("write", round, (double) (written - start) / sink.size());
            timed.record("read", round, (double) (read - written) / sink.size());
        }
        for (String way : new String[] {"write", "read"}) {
            // Nanoseconds per byte: operations are bytes, millions of them a second.
            report.add(
                    prefix(layout) + "serialization." + way + "GBs",
                    timed.mops(way) / 1000,
                    "GB/s",
                    ">= 1",
                    "one thread, in memory, checksums included, " + sink.size() + " bytes");
        }
    }
}
