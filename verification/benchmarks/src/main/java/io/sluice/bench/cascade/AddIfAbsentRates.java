/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Spread;
import io.sluice.filter.cascade.MergePolicy;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Deduplication of a stream, merges included: add if absent, where one key in ten is a duplicate of
 * any earlier key. Files are in the page cache; RocksDB has the same memory for block cache and
 * write buffers, and reads through the operating system's page cache.
 */
final class AddIfAbsentRates {
    static final double DUPLICATES = 0.1;
    static final int OVERVIEW_BITS = 8;
    static final int BATCH = 2048;

    /**
     * Without an overview each key has to look into all files: having only two is worth twice the
     * writing.
     */
    private static final MergePolicy FOR_INDEXES_ONLY = MergePolicy.fewFiles(2);

    /** The filter's default. */
    private static final MergePolicy FOR_OVERVIEW = MergePolicy.fewFiles(4);

    /** Runs take turns: rates differ by a tenth and more from one minute to the next. */
    private static final int OVERVIEW_ROUNDS = 3;

    private static final int QUICK_OVERVIEW_ROUNDS = 5;

    /** The run with the fewest files, which tells what a key takes on disk. */
    private static final String INDEXES_ONLY = "indexes only";

    private static final long PROBES = 2_000_000;
    private static final long WARM_UP_KEYS = 1_500_000;

    /** A quick run stops here, as the machine may be busy otherwise. */
    private static final double QUICK_SECONDS = 15;

    private final BenchReport report;
    private final Scale scale;
    private final Path directory;
    private final OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final CsvTable table =
            new CsvTable(
                    "structure,operations,seconds,perSecond,lastTenthPerSecond,"
                            + "perCpuSecond,longestMillis,files,memoryBytes,diskBytes");

    AddIfAbsentRates(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    /** A rate, and how it was obtained. */
    private record Rate(double perSecond, double perCpuSecond, String note) {

        /** The median, with the spread of all; their number is odd. */
        private static Rate median(List<Rate> rates) {
            Spread spread = Spread.of(rates.stream().map(Rate::perSecond).toList());
            return rates.stream()
                    .filter(rate -> rate.perSecond == spread.median())
                    .map(
                            rate ->
                                    new Rate(
                                            rate.perSecond,
                                            rate.perCpuSecond,
                                            rate.note + "; " + spread))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** RocksDB's keys per second, with a get, and a put if absent. */
    double run() throws IOException {
        report.progress("add if absent, one key in ten a duplicate, files in the page cache");
        Scale small = Scale.of(Math.min(WARM_UP_KEYS, scale.keys()), true, scale.fpp(), null);
        for (int bits : new int[] {0, OVERVIEW_BITS}) {
            cascade("warm-up", small, bits, false, false);
            cascade("warm-up", small, bits, true, false);
        }
        Rate single = cascade(INDEXES_ONLY, scale, 0, false, false);
        Rate batched = cascade("indexes only batched", scale, 0, true, false);
        Rate fourFiles = cascade("indexes only four files", scale, 0, FOR_OVERVIEW, false, false);
        List<Rate> singles = new ArrayList<>();
        List<Rate> batches = new ArrayList<>();
        int rounds = report.quick() ? QUICK_OVERVIEW_ROUNDS : OVERVIEW_ROUNDS;
        for (int round = 0; round < rounds; round++) {
            singles.add(cascade("overview", scale, OVERVIEW_BITS, false, round == 0));
            batches.add(cascade("overview batched", scale, OVERVIEW_BITS, true, false));
        }
        Rate summaries = Rate.median(singles);
        Rate summariesBatched = Rate.median(batches);
        Rate rocks = rocks(false);
        Rate rocksBatched = rocks(true);
        add("addIfAbsent.perSecond", single.perSecond, "keys/s", ">= 2000000", single.note);
        add("addIfAbsent.perCpuSecond", single.perCpuSecond, "keys/s", "", single.note);
        add("addIfAbsent.batched.perSecond", batched.perSecond, "keys/s", "", batched.note);
        add("addIfAbsent.fourFiles.perSecond", fourFiles.perSecond, "keys/s", "", fourFiles.note);
        add(
                "addIfAbsentSummaries.perSecond",
                summaries.perSecond,
                "keys/s",
                ">= 5000000",
                summaries.note);
        add(
                "addIfAbsentSummaries.perCpuSecond",
                summaries.perCpuSecond,
                "keys/s",
                "",
                summaries.note);
        add(
                "addIfAbsentSummaries.batched.perSecond",
                summariesBatched.perSecond,
                "keys/s",
                "",
                summariesBatched.note);
        add("addIfAbsent.rocksdb.perSecond", rocks.perSecond, "keys/s", "", rocks.note);
        add(
                "addIfAbsent.rocksdb.batched.perSecond",
                rocksBatched.perSecond,
                "keys/s",
                "",
                rocksBatched.note);
        ratio("", summaries, rocks, ">= 30", "one call a key, overview; both have filters");
        ratio(
                ".batched",
                summariesBatched,
                rocksBatched,
                "",
                "batches of " + BATCH + " for both, overview");
        ratio(".indexesOnly", single, rocks, "", "one call a key, page indexes only");
        report.table("cascade_add_if_absent.csv", table);
        return rocks.perSecond;
    }

    private Rate cascade(String how, Scale size, int overviewBits, boolean batched, boolean checked)
            throws IOException {
        MergePolicy policy = overviewBits == 0 ? FOR_INDEXES_ONLY : FOR_OVERVIEW;
        return cascade(how, size, overviewBits, policy, batched, checked);
    }

    private Rate cascade(
            String how,
            Scale size,
            int overviewBits,
            MergePolicy policy,
            boolean batched,
            boolean checked)
            throws IOException {
        Path files = Files.createDirectory(directory.resolve("add-if-absent"));
        try (CascadeSet set =
                new CascadeSet(
                        "cascade",
                        "cascade filter",
                        new NioDirectory(files),
                        size.options()
                                .pageCacheBytes(size.allPagesBytes())
                                .overviewBitsPerKey(overviewBits)
                                .mergePolicy(policy)
                                .build())) {
            KeySource.WithDuplicates source = new KeySource.WithDuplicates(DUPLICATES);
            int block = batched ? BATCH : InsertionCurve.BLOCK;
            long cpu = system.getProcessCpuTime();
            InsertionCurve curve =
                    InsertionCurve.run(
                            set,
                            batched ? set::addAll : set::addIfAbsent,
                            source,
                            block,
                            size.keys() / block * block,
                            report.quick() ? QUICK_SECONDS : InsertionCurve.NO_LIMIT);
            cpu = system.getProcessCpuTime() - cpu;
            if (checked) {
                ErrorRates.run(
                        report, set, source.different(), Math.min(PROBES, size.keys()), size.fpp());
                ErrorRates.bits(report, ".fourFiles", set, source.different(), size.fpp());
            }
            if (how.equals(INDEXES_ONLY)) {
                ErrorRates.bits(report, "", set, source.different(), size.fpp());
            }
            var statistics = set.statistics();
            return how.equals("warm-up")
                    ? null
                    : rate(
                            "cascade " + how,
                            curve,
                            cpu,
                            statistics.files(),
                            statistics.memoryBytes(),
                            statistics.diskBytes());
        } finally {
            Trees.delete(files);
        }
    }

    private Rate rocks(boolean batched) throws IOException {
        Path files = Files.createDirectory(directory.resolve("add-if-absent"));
        long memory = scale.bufferBytes() + scale.allPagesBytes();
        try (RocksSet set = new RocksSet(files, memory, false)) {
            int block = batched ? BATCH : InsertionCurve.BLOCK;
            long cpu = system.getProcessCpuTime();
            InsertionCurve curve =
                    InsertionCurve.run(
                            set,
                            batched ? set::addAll : set::addIfAbsent,
                            new KeySource.WithDuplicates(DUPLICATES),
                            block,
                            scale.keys() / block * block,
                            scale.peerSeconds());
            cpu = system.getProcessCpuTime() - cpu;
            return rate(
                    batched ? "RocksDB batched" : "RocksDB get and put",
                    curve,
                    cpu,
                    0,
                    memory,
                    set.diskBytes());
        } finally {
            Trees.delete(files);
        }
    }

    private Rate rate(
            String how, InsertionCurve curve, long cpuNanos, int files, long memory, long disk) {
        double perCpuSecond = curve.keys() * 1e9 / cpuNanos;
        table.add(
                how,
                curve.keys(),
                curve.seconds(),
                curve.perSecond(),
                curve.lastPerSecond(),
                perCpuSecond,
                curve.longestMillis(),
                files,
                memory,
                disk);
        String note =
                String.format(
                        Locale.ROOT,
                        "%s: %,d keys in %.1f s; last tenth %,.0f/s; slowest interval %,.0f/s;"
                                + " %,.0f for each second of a core; %,.0f/s with the time to"
                                + " settle; longest call %.1f ms",
                        how,
                        curve.keys(),
                        curve.seconds(),
                        curve.lastPerSecond(),
                        curve.leastPerSecond(),
                        perCpuSecond,
                        curve.perSecondSettled(),
                        curve.longestMillis());
        report.progress("    " + note);
        return new Rate(curve.perSecond(), perCpuSecond, note);
    }

    private void ratio(String suffix, Rate ours, Rate rocks, String goal, String how) {
        report.ratio(
                "cascade.addIfAbsent.ratioToRocksdb" + suffix,
                ours.perSecond / rocks.perSecond,
                "RocksDB",
                goal,
                how);
    }

    private void add(String name, double value, String unit, String goal, String note) {
        report.add("cascade." + name, value, unit, goal, note);
    }
}
