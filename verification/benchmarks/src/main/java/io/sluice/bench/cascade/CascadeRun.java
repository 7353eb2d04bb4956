/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/** One run: the requested parts, each with its own files, which it removes. */
final class CascadeRun {
    /** The paper's insertions a second. */
    private static final double PAPER = 670_000;

    /** The most buffers that a count of writes fills. */
    private static final long MAX_BUFFERS = 120;

    private static final long MIN_BUFFERED = 10_000;
    private static final long MAX_BUFFERED = 120_000;

    private static final double HICCUP_SECONDS = 2;
    private static final long PROFILED_KEYS = 10_000_000;

    private final BenchReport report;
    private final Scale scale;
    private final Path directory;

    CascadeRun(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    void run(Set<CascadeCommand.Part> parts) throws IOException {
        if (parts.contains(CascadeCommand.Part.device)
                || parts.contains(CascadeCommand.Part.lookups)) {
            withDevice(parts);
        }
        boolean isAdding = parts.contains(CascadeCommand.Part.inserts);
        double added = isAdding ? insertionsOverTime() : 0;
        if (parts.contains(CascadeCommand.Part.dedup)) {
            double rocks = new AddIfAbsentRates(report, scale, directory).run();
            if (isAdding) {
                addedToRocks(added, rocks);
            }
        }
        if (parts.contains(CascadeCommand.Part.writes)) {
            // Small filters have fewer buffers, not smaller ones.
            long buffers = Math.min(MAX_BUFFERS, scale.keys() / MIN_BUFFERED);
            long buffered = Math.min(MAX_BUFFERED, scale.keys() / buffers + 1);
            new WriteAmplification(report, directory, buffers, buffered, scale.fpp()).run();
        }
        if (parts.contains(CascadeCommand.Part.profile)) {
            profile();
        }
    }

    private void withDevice(Set<CascadeCommand.Part> parts) throws IOException {
        Path file = directory.resolve("device");
        try (DeviceProbe probe = new DeviceProbe(file, scale.deviceBytes())) {
            if (parts.contains(CascadeCommand.Part.device)) {
                DeviceRates.run(report, probe, scale.probeSeconds());
            }
            if (parts.contains(CascadeCommand.Part.lookups)) {
                new LookupRates(report, scale, directory).run(probe);
            }
        }
        Files.delete(file);
    }

    /** The cascade filter's keys a second. */
    private double insertionsOverTime() throws IOException {
        report.progress("insertions over time, without asking");
        FigureThree figure = new FigureThree(report);
        long memory = scale.memoryBytes();
        double host = SchedulingStalls.longestMillis(HICCUP_SECONDS);
        Path files = Files.createDirectory(directory.resolve("cascade"));
        double added;
        try (CascadeSet set = cascade(files)) {
            InsertionCurve curve = curve(set, InsertionCurve.NO_LIMIT);
            figure.add(set, curve);
            insertionFigures(set, curve, host);
            added = curve.perSecond();
        }
        Trees.delete(files);
        Path bloom = directory.resolve("bloom");
        try (BloomFile filter = new BloomFile(bloom, scale.keys(), scale.fpp(), memory)) {
            figure.add(filter, curve(filter, scale.peerSeconds()));
        }
        Files.delete(bloom);
        Path elevator = directory.resolve("elevator");
        try (ElevatorBloomFile filter =
                new ElevatorBloomFile(elevator, scale.keys(), scale.fpp(), memory)) {
            figure.add(filter, curve(filter, scale.peerSeconds()));
        }
        Files.delete(elevator);
        Path rocks = Files.createDirectory(directory.resolve("rocksdb"));
        try (RocksSet set = new RocksSet(rocks, memory, true)) {
            figure.add(set, curve(set, scale.peerSeconds()));
        }
        Trees.delete(rocks);
        figure.write(
                String.format(
                        Locale.ROOT,
                        "Each structure has %.1f MB of memory. The Bloom filters and RocksDB read"
                                + " and write past the page cache of the system; the cascade filter"
                                + " only reads past it. %,d keys, the peers at most %.0f seconds.",
                        memory / 1e6,
                        scale.keys(),
                        scale.peerSeconds()));
        return added;
    }

    private void addedToRocks(double added, double rocks) {
        report.ratio(
                "cascade.add.ratioToRocksdb",
                added / rocks,
                "RocksDB",
                ">= 30",
                "additions alone, over a get and a put if absent");
    }

    private CascadeSet cascade(Path files) throws IOException {
        return new CascadeSet(
                "cascade",
                "cascade filter",
                new NioDirectory(files, NioDirectory.Reads.DIRECT),
                scale.options().build());
    }

    private InsertionCurve curve(DiskFilter filter, double mostSeconds) throws IOException {
        return InsertionCurve.run(
                filter,
                filter::add,
                KeySource.inOrder(),
                InsertionCurve.BLOCK,
                scale.keys(),
                mostSeconds);
    }

    private void insertionFigures(CascadeSet set, InsertionCurve curve, double host) {
        var statistics = set.statistics();
        report.add(
                "cascade.add.perSecond",
                curve.perSecond(),
                "keys/s",
                String.format(Locale.ROOT, ">= %.0f", 10 * PAPER),
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

    private void profile() throws IOException {
        long keys = Math.min(PROFILED_KEYS, scale.keys());
        Path files = Files.createDirectory(directory.resolve("profile"));
        report.progress("processor time of adding, by thread and class");
        try (CascadeSet set = cascade(files)) {
            CpuProfile.of(
                    report,
                    directory,
                    "cascade_profile_add",
                    () ->
                            InsertionCurve.run(
                                    set,
                                    set::add,
                                    KeySource.inOrder(),
                                    InsertionCurve.BLOCK,
                                    keys,
                                    InsertionCurve.NO_LIMIT));
        }
        Trees.delete(files);
        Files.createDirectory(files);
        report.progress("processor time of adding if absent, by thread and class");
        try (CascadeSet set =
                new CascadeSet(
                        "cascade",
                        "cascade filter",
                        new NioDirectory(files),
                        scale.options()
                                .pageCacheBytes(scale.allPagesBytes())
                                .overviewBitsPerKey(AddIfAbsentRates.OVERVIEW_BITS)
                                .build())) {
            CpuProfile.of(
                    report,
                    directory,
                    "cascade_profile_add_if_absent",
                    () ->
                            InsertionCurve.run(
                                    set,
                                    set::addIfAbsent,
                                    new KeySource.WithDuplicates(AddIfAbsentRates.DUPLICATES),
                                    InsertionCurve.BLOCK,
                                    keys,
                                    InsertionCurve.NO_LIMIT));
        }
        Trees.delete(files);
    }
}
