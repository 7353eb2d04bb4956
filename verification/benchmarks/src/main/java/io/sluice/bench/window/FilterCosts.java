/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import io.sluice.bench.peer.AgePartitionedBloomFilter;
import io.sluice.bench.peer.Peer;
import io.sluice.bench.peer.Peers;
import io.sluice.bench.peer.Structure;
import io.sluice.bench.peer.WindowedStructure;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.Keys;
import io.sluice.bench.run.Rates;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.function.LongPredicate;

/** What the windowed filter costs besides time per operation: memory, pauses, snapshots. */
public final class FilterCosts {
    private static final double FPP = 1e-3;

    /** More would cost too much time per operation. */
    private static final int MAX_SLICES = 80;

    /** A windowed filter forgets in steps of this share of the window. */
    private static final int SLICES_PER_WINDOW = 8;

    private static final int PROBES = 1_000_000;

    private final BenchReport report;
    private final CsvTable table =
            new CsvTable("fpp,filter,bits_per_id,fpp_measured,shape,contains_mops");

    private FilterCosts(BenchReport report) {
        this.report = report;
    }

    public static void run(BenchReport report) throws IOException {
        FilterCosts costs = new FilterCosts(report);
        costs.memory();
        for (Layout layout : Layout.forWindows()) {
            costs.pauses(layout);
            costs.serialization(layout);
        }
    }

    private static String word(Layout layout) {
        return layout.name().toLowerCase(Locale.ROOT);
    }

    private void memory() throws IOException {
        report.progress("memory at equal fpp and window, beside an age-partitioned Bloom filter");
        int window = report.quick() ? 200_000 : 1_000_000;
        for (double fpp : new double[] {1e-2, 1e-3, 1e-4}) {
            double partitioned = partitioned(fpp, window);
            for (Layout layout : Layout.forWindows()) {
                double bits = windowed(fpp, window, layout);
                if (fpp == FPP) {
                    report.ratio(
                            "fbf.memory.ratioToAgePartitioned." + word(layout),
                            bits / partitioned,
                            "age-partitioned Bloom filter, best k and l of at most "
                                    + MAX_SLICES
                                    + " slices",
                            "<= 1",
                            "fpp %.0e, bits per id of the window: %.1f against %.1f",
                            fpp,
                            bits,
                            partitioned);
                }
            }
        }
        report.table("fbf_memory.csv", table);
    }

    private double partitioned(double fpp, int window) {
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
        double bits = (double) filter.sizeInBits() / window;
        row(fpp, "age-partitioned", bits, filter.shape(), filter::mightContain);
        return bits;
    }

    private double windowed(double fpp, int window, Layout layout) {
        try (WindowedStructure filter = new WindowedStructure(fpp, layout, window)) {
            fill(filter, window);
            double bits = 8.0 * filter.sizeInBytes() / window;
            row(fpp, "windowed filter " + word(layout), bits, "", filter::contains);
            return bits;
        }
    }

    private static void fill(Structure structure, long keys) {
        for (long i = 0; i < keys; i++) {
            structure.insert(Keys.key(i));
        }
    }

    private void row(double fpp, String name, double bits, String shape, LongPredicate filter) {
        Keys absent = Keys.absent();
        long hits = 0;
        long start = System.nanoTime();
        for (long i = 0; i < PROBES; i++) {
            hits += filter.test(absent.at(i)) ? 1 : 0;
        }
        double mops = 1000.0 * PROBES / (System.nanoTime() - start);
        double measured = (double) hits / PROBES;
        table.add(fpp, name, bits, measured, shape, mops);
        report.progress(
                "    fpp %.0e  %-28s %5.1f bits an id  measured %.2e  %s",
                fpp, name, bits, measured, shape);
    }

    /** The longest single insertion of each slice, including sweep and clock. */
    private void pauses(Layout layout) {
        long bytes = report.quick() ? 16L << 20 : 64L << 20;
        long keys = WindowedStructure.idsThatFit(bytes, FPP, layout);
        report.progress("longest insertion of a slice, %s, %d MB", word(layout), bytes >> 20);
        Structure line = Peers.ONE_LINE.create(new Peer.Size((int) (bytes * 2 / 3), FPP));
        Rates<Layout> filter = new Rates<>();
        Rates<Layout> nothing = new Rates<>();
        long slice = keys / SLICES_PER_WINDOW;
        int slices = (report.quick() ? 1 : 2) * SLICES_PER_WINDOW;
        try (WindowedStructure structure = new WindowedStructure(FPP, layout, keys)) {
            fill(structure, keys);
            long from = 1L << 50;
            for (int i = 0; i < slices; i++) {
                filter.add(layout, longestMicros(structure, from, slice));
                nothing.add(layout, longestMicros(line, from, slice));
                from += slice;
            }
        }
        report.add(
                new Figure(
                        "fbf." + word(layout) + ".slice.longestInsertMicros",
                        filter.median(layout),
                        "us",
                        "writing one random word, timed the same way",
                        "<= 100",
                        String.format(
                                Locale.ROOT,
                                "%d MB; longest of the %d insertions of a slice; %s; the peer,"
                                        + " which does nothing else, read a %s with median %.1f",
                                bytes >> 20,
                                slice,
                                filter.of(layout),
                                nothing.of(layout),
                                nothing.median(layout))));
    }

    private static double longestMicros(Structure structure, long from, long count) {
        Keys absent = Keys.absent();
        long longest = 0;
        long added = 0;
        long before = System.nanoTime();
        for (long i = from; i < from + count; i++) {
            added += structure.addIfAbsent(absent.at(i)) ? 1 : 0;
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        if (added == 0) {
            throw new IllegalStateException("nothing was added");
        }
        return longest / 1000.0;
    }

    private void serialization(Layout layout) throws IOException {
        long bytes = report.quick() ? 32L << 20 : 128L << 20;
        report.progress("snapshots, %s, %d MB", word(layout), bytes >> 20);
        long keys = WindowedStructure.idsThatFit(bytes, FPP, layout);
        Rates<String> rates = new Rates<>();
        Snapshot snapshot = new Snapshot(Math.toIntExact(bytes + (bytes >> 1)));
        try (WindowedStructure structure = new WindowedStructure(FPP, layout, keys)) {
            fill(structure, keys);
            ForgetfulFilter filter = structure.filter();
            // The first round warms up.
            for (int round = 0; round <= 7; round++) {
                long start = System.nanoTime();
                snapshot.reset();
                filter.writeTo(snapshot);
                long written = System.nanoTime();
                ForgetfulFilter copy =
                        ForgetfulFilter.readFrom(
                                snapshot.read(),
                                "memory",
                                filter.options(),
                                new MemoryBudget(1L << 32));
                long read = System.nanoTime();
                if (copy.idsHeld() != filter.idsHeld()) {
                    throw new IllegalStateException("a snapshot lost ids");
                }
                if (round > 0) {
                    rates.add("write", (double) snapshot.size() / (written - start));
                    rates.add("read", (double) snapshot.size() / (read - written));
                }
            }
        }
        for (String direction : new String[] {"write", "read"}) {
            report.add(
                    "fbf." + word(layout) + ".serialization." + direction + "GBs",
                    rates.median(direction),
                    "GB/s",
                    ">= 1",
                    "one thread, in memory, checksums included, " + snapshot.size() + " bytes");
        }
    }

    /** Is written into an array that exists already and read from it, so that nothing is copied. */
    private static final class Snapshot extends ByteArrayOutputStream {
        Snapshot(int capacity) {
            super(capacity);
        }

        ByteArrayInputStream read() {
            return new ByteArrayInputStream(buf, 0, count);
        }
    }
}
