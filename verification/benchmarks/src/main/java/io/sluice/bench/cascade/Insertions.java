/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.storage.NioDirectory;
import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Insertions over time, the paper's figure 3: every structure has the same memory and the same
 * disk. Structures that cannot reach the wanted number of keys in the allowed time stop early;
 * their rate has settled long before.
 */
final class Insertions {
    /** The paper's insertions a second. */
    private static final double PAPER = 670_000;

    private static final double HICCUP_SECONDS = 2;

    private final BenchReport report;
    private final Scale scale;
    private final Path directory;
    private final Chart keys =
            Chart.logarithmic("Insertions over time (figure 3)", "seconds", "keys");
    private final Chart rates =
            Chart.logarithmic("Insertions a second, by interval", "keys", "keys/s");
    private final Chart stalls =
            Chart.logarithmic(
                    "Longest " + InsertionCurve.BLOCK + " insertions in a row, by interval",
                    "keys",
                    "ms");

    Insertions(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    /** Opens an empty structure in files that do not exist. */
    private interface Maker<F extends DiskFilter> {
        F open(Path files, long memoryBytes) throws IOException;
    }

    /** The cascade filter's keys a second. */
    double run() throws IOException {
        report.progress("insertions over time, without asking");
        double host = longestPauseMillis();
        Path files = Files.createDirectory(directory.resolve("cascade"));
        double added;
        try (CascadeSet set =
                new CascadeSet(files, NioDirectory.Reads.DIRECT, scale.options().build())) {
            InsertionCurve curve = add("cascade", "cascade filter", set, InsertionCurve.NO_LIMIT);
            figures(set.statistics(), curve, host);
            added = curve.perSecond();
        }
        Directories.deleteRecursively(files);
        peer(
                "bloomFile",
                "Bloom filter on SSD",
                (file, memory) -> new PagedBloomFile(file, scale.keys(), scale.fpp(), memory));
        peer(
                "elevatorBloomFile",
                "elevator Bloom filter on SSD",
                (file, memory) -> new ElevatorBloomFile(file, scale.keys(), scale.fpp(), memory));
        peer(
                "rocksdb",
                "RocksDB",
                (file, memory) -> new RocksSet(Files.createDirectory(file), memory, true));
        report.add(
                keys.note(
                        String.format(
                                Locale.ROOT,
                                "Each structure has %.1f MB of memory. The Bloom filters and"
                                    + " RocksDB read and write past the page cache of the system;"
                                    + " the cascade filter only reads past it. %,d keys, the peers"
                                    + " at most %.0f seconds.",
                                scale.memoryBytes() / 1e6,
                                scale.keys(),
                                scale.peerSeconds())));
        report.add(rates);
        report.add(stalls);
        return added;
    }

    private void peer(String id, String name, Maker<?> maker) throws IOException {
        Path files = directory.resolve(id);
        try (DiskFilter filter = maker.open(files, scale.memoryBytes())) {
            add(id, name, filter, scale.peerSeconds());
        }
        Directories.deleteRecursively(files);
    }

    private InsertionCurve add(String id, String name, DiskFilter filter, double mostSeconds)
            throws IOException {
        InsertionCurve curve =
                InsertionCurve.run(
                        filter,
                        filter::add,
                        new KeySource(0),
                        InsertionCurve.BLOCK,
                        scale.keys(),
                        mostSeconds);
        keys.measured(name, points(curve, InsertionCurve.Point::seconds, at -> at.keys()));
        rates.measured(name, points(curve, at -> at.keys(), InsertionCurve.Point::perSecond));
        stalls.measured(name, points(curve, at -> at.keys(), InsertionCurve.Point::longestMillis));
        report.add(
                "cascade.inserts." + id + ".perSecond",
                curve.perSecond(),
                "keys/s",
                "",
                "%,d keys in %.1f s; last tenth %,.0f/s; slowest interval %,.0f/s;"
                        + " %,.0f/s with the time to settle; longest %d in a row"
                        + " %.1f ms; %.0f MB of files; %.1f bytes written a"
                        + " key",
                curve.keys(),
                curve.seconds(),
                curve.lastPerSecond(),
                curve.leastPerSecond(),
                curve.perSecondSettled(),
                InsertionCurve.BLOCK,
                curve.longestMillis(),
                filter.diskBytes() / 1e6,
                (double) filter.bytesWritten() / curve.keys());
        return curve;
    }

    private static List<double[]> points(
            InsertionCurve curve,
            ToDoubleFunction<InsertionCurve.Point> x,
            ToDoubleFunction<InsertionCurve.Point> y) {
        return curve.points().stream()
                .map(point -> new double[] {x.applyAsDouble(point), y.applyAsDouble(point)})
                .toList();
    }

    private void figures(CascadeStatistics statistics, InsertionCurve curve, double host) {
        report.add(
                "cascade.add.perSecond",
                curve.perSecond(),
                "keys/s",
                ">= " + (long) (10 * PAPER),
                "merges included, one thread beside those of the merges; %.1f"
                        + " buffers; each key was written %.2f times",
                (double) curve.keys() * statistics.flushes() / statistics.flushedEntries(),
                statistics.writeAmplification());
        report.add(
                "cascade.stall.maxMillis",
                curve.longestMillis(),
                "ms",
                "<= 20",
                "longest %d insertions in a row; %d delays by the filter itself,"
                        + " the longest %.1f ms, %.1f ms in all; a thread that did"
                        + " nothing lost the processor for at most %.1f ms in %.0f"
                        + " s",
                InsertionCurve.BLOCK,
                statistics.stalls(),
                statistics.longestStallNanos() / 1e6,
                statistics.stallNanos() / 1e6,
                host,
                HICCUP_SECONDS);
    }

    /**
     * How long a thread that only reads the clock loses the processor: a lower bound of every
     * stall.
     */
    private static double longestPauseMillis() {
        long start = System.nanoTime();
        long before = start;
        long longest = 0;
        while (before - start < 1e9 * HICCUP_SECONDS) {
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        return longest / 1e6;
    }
}
