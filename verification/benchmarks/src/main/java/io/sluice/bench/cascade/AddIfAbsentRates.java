/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.Rates;
import io.sluice.filter.cascade.MergePolicy;
import io.sluice.filter.storage.NioDirectory;
import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Deduplication of a stream, merges included: add if absent, where one key in ten is a duplicate of
 * any earlier key. Files are in the page cache; RocksDB has the same memory for block cache and
 * write buffers, and reads through the operating system's page cache.
 */
final class AddIfAbsentRates {
    static final int OVERVIEW_BITS = 8;
    static final int BATCH = 2048;

    private static final double DUPLICATES = 0.1;

    /** Runs take turns: rates differ by a tenth and more from one minute to the next. */
    private static final int OVERVIEW_ROUNDS = 3;

    private static final int QUICK_OVERVIEW_ROUNDS = 5;
    private static final long PROBES = 2_000_000;
    private static final long WARM_UP_KEYS = 1_500_000;

    /** A quick run stops here, as the machine may be busy otherwise. */
    private static final double QUICK_SECONDS = 15;

    private final BenchReport report;
    private final Scale scale;
    private final Path directory;
    private final Rates<Kind> perSecond = new Rates<>();
    private final Rates<Kind> perCpuSecond = new Rates<>();
    private final OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    AddIfAbsentRates(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    /** What is compared. */
    private enum Kind {
        /** Without an overview each key looks into all files: two are worth twice the writing. */
        INDEXES("addIfAbsent", 0, 2, false),
        INDEXES_BATCHED("addIfAbsent.batched", 0, 2, true),
        INDEXES_FOUR_FILES("addIfAbsent.fourFiles", 0, 4, false),
        OVERVIEW("addIfAbsentSummaries", OVERVIEW_BITS, 4, false),
        OVERVIEW_BATCHED("addIfAbsentSummaries.batched", OVERVIEW_BITS, 4, true),
        ROCKSDB("addIfAbsent.rocksdb", 0, 0, false),
        ROCKSDB_BATCHED("addIfAbsent.rocksdb.batched", 0, 0, true);

        private final String figure;
        private final int overviewBits;
        private final int files;
        private final int block;

        Kind(String figure, int overviewBits, int files, boolean isBatched) {
            this.figure = figure;
            this.overviewBits = overviewBits;
            this.files = files;
            this.block = isBatched ? BATCH : InsertionCurve.BLOCK;
        }

        private boolean isBatched() {
            return block == BATCH;
        }

        private String goal() {
            return this == INDEXES ? ">= 2000000" : this == OVERVIEW ? ">= 5000000" : "";
        }
    }

    /** RocksDB's keys per second, with a get, and a put if absent. */
    double run() throws IOException {
        report.progress("add if absent, one key in ten a duplicate, files in the page cache");
        Scale small = Scale.of(Math.min(WARM_UP_KEYS, scale.keys()), true, scale.fpp(), null);
        for (Kind kind : Kind.values()) {
            if (kind.files > 0) {
                cascade(kind, small, false);
            }
        }
        cascade(Kind.INDEXES, scale, true);
        cascade(Kind.INDEXES_BATCHED, scale, true);
        cascade(Kind.INDEXES_FOUR_FILES, scale, true);
        int rounds = report.quick() ? QUICK_OVERVIEW_ROUNDS : OVERVIEW_ROUNDS;
        for (int round = 0; round < rounds; round++) {
            cascade(Kind.OVERVIEW, scale, true);
            cascade(Kind.OVERVIEW_BATCHED, scale, true);
        }
        rocks(Kind.ROCKSDB);
        rocks(Kind.ROCKSDB_BATCHED);
        for (Kind kind : Kind.values()) {
            String how =
                    "%,.0f for each second of a core; %s"
                            .formatted(perCpuSecond.median(kind), perSecond.of(kind));
            add(kind.figure + ".perSecond", perSecond.median(kind), kind.goal(), how);
            if (kind == Kind.INDEXES || kind == Kind.OVERVIEW) {
                add(kind.figure + ".perCpuSecond", perCpuSecond.median(kind), "", how);
            }
        }
        ratio("", Kind.OVERVIEW, Kind.ROCKSDB, ">= 30", "one call a key, overview");
        String batches = "batches of " + BATCH + " for both, overview";
        ratio(".batched", Kind.OVERVIEW_BATCHED, Kind.ROCKSDB_BATCHED, "", batches);
        ratio(".indexesOnly", Kind.INDEXES, Kind.ROCKSDB, "", "one call a key, page indexes only");
        return perSecond.median(Kind.ROCKSDB);
    }

    private void add(String name, double value, String goal, String note) {
        report.add("cascade." + name, value, "keys/s", goal, note);
    }

    private void ratio(String suffix, Kind ours, Kind rocks, String goal, String how) {
        report.add(
                new Figure(
                        "cascade.addIfAbsent.ratioToRocksdb" + suffix,
                        perSecond.median(ours) / perSecond.median(rocks),
                        "ratio",
                        "RocksDB",
                        goal,
                        how));
    }

    private void cascade(Kind kind, Scale size, boolean counts) throws IOException {
        Path files = Files.createDirectory(directory.resolve("add-if-absent"));
        try (CascadeSet set =
                new CascadeSet(
                        files,
                        NioDirectory.Reads.CACHED,
                        size.options()
                                .pageCacheBytes(size.allPagesBytes())
                                .overviewBitsPerKey(kind.overviewBits)
                                .mergePolicy(MergePolicy.fewFiles(kind.files))
                                .build())) {
            KeySource source = new KeySource(DUPLICATES);
            long cpu = system.getProcessCpuTime();
            InsertionCurve curve =
                    InsertionCurve.run(
                            set,
                            kind.isBatched() ? set::addAll : set::addIfAbsent,
                            source,
                            kind.block,
                            size.keys(),
                            report.quick() ? QUICK_SECONDS : InsertionCurve.NO_LIMIT);
            if (!counts) {
                return;
            }
            cpu = system.getProcessCpuTime() - cpu;
            if (kind == Kind.INDEXES) {
                ErrorRates.bits(report, "", set, source.different(), size.fpp());
            } else if (kind == Kind.OVERVIEW && !perSecond.has(kind)) {
                long probes = Math.min(PROBES, size.keys());
                ErrorRates.run(report, set, source.different(), probes, size.fpp());
                ErrorRates.bits(report, ".fourFiles", set, source.different(), size.fpp());
            }
            add(kind, curve, cpu);
        } finally {
            Directories.deleteRecursively(files);
        }
    }

    private void rocks(Kind kind) throws IOException {
        Path files = Files.createDirectory(directory.resolve("add-if-absent"));
        long memory = scale.bufferBytes() + scale.allPagesBytes();
        try (RocksSet set = new RocksSet(files, memory, false)) {
            long cpu = system.getProcessCpuTime();
            InsertionCurve curve =
                    InsertionCurve.run(
                            set,
                            kind.isBatched() ? set::addAll : set::addIfAbsent,
                            new KeySource(DUPLICATES),
                            kind.block,
                            scale.keys(),
                            scale.peerSeconds());
            cpu = system.getProcessCpuTime() - cpu;
            add(kind, curve, cpu);
        } finally {
            Directories.deleteRecursively(files);
        }
    }

    private void add(Kind kind, InsertionCurve curve, long cpuNanos) {
        double perCpu = curve.keys() * 1e9 / cpuNanos;
        perSecond.add(kind, curve.perSecond());
        perCpuSecond.add(kind, perCpu);
        report.progress(
                "    %-30s %,d keys in %.1f s: %,.0f/s, %,.0f for each second of a core",
                kind.figure, curve.keys(), curve.seconds(), curve.perSecond(), perCpu);
    }
}
