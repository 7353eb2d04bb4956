/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Rates;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.filter.storage.NioDirectory;
import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Lookups in files that are about twenty times larger than the page cache, read past the page cache
 * of the system. Random page reads of the device take turns with the filter, so that both sides of
 * the ratio are from the same seconds.
 */
final class LookupRates {
    private static final int ROUNDS = 3;
    private static final long ABSENT = 1L << 49;

    private final BenchReport report;
    private final Scale scale;
    private final Path directory;
    private long asked;

    LookupRates(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    /** The kinds of lookup. */
    private enum Kind {
        present,
        absent,
        presentBatched,
        absentBatched;

        boolean isBatched() {
            return this == presentBatched || this == absentBatched;
        }
    }

    /** What each kind of lookup did, round by round. */
    private static final class Results {
        private final Rates<Kind> perSecond = new Rates<>();
        private final Rates<Kind> readsEach = new Rates<>();
        private final Rates<Kind> toDevice = new Rates<>();
    }

    void run(DeviceProbe device) throws IOException {
        report.progress("lookups, files larger than the page cache");
        fillAndAsk(0, "lookup.", device);
        fillAndAsk(AddIfAbsentRates.OVERVIEW_BITS, "lookupSummaries.", device);
    }

    private void fillAndAsk(int overviewBits, String name, DeviceProbe device) throws IOException {
        Path files = Files.createDirectory(directory.resolve("lookups"));
        Results results = new Results();
        try (CascadeSet set =
                new CascadeSet(
                        files,
                        NioDirectory.Reads.DIRECT,
                        scale.options().overviewBitsPerKey(overviewBits).build())) {
            InsertionCurve.run(
                    set,
                    set::add,
                    new KeySource(0),
                    InsertionCurve.BLOCK,
                    scale.keys(),
                    InsertionCurve.NO_LIMIT);
            report.progress(
                    "    %.1f MB in %d files, cache %.1f MB, overview %d bits a key",
                    set.diskBytes() / 1e6,
                    set.statistics().files(),
                    scale.cacheBytes() / 1e6,
                    overviewBits);
            // The first round fills the cache and lets the compiler finish.
            for (int round = 0; round <= ROUNDS; round++) {
                double limit = device.randomReadsPerSecond(DeviceProbe.DEPTH, scale.probeSeconds());
                for (Kind kind : Kind.values()) {
                    time(set, kind, limit, round > 0 ? results : new Results());
                }
            }
        } finally {
            Directories.deleteRecursively(files);
        }
        if (overviewBits == 0) {
            Spread ratio = results.toDevice.of(Kind.absentBatched);
            add(name + "ratioToDevice", ratio, "ratio", ">= 0.7", Kind.absentBatched, results);
        }
        for (Kind kind : Kind.values()) {
            Spread rate = results.perSecond.of(kind);
            add(name + kind + ".perSecond", rate, "keys/s", "", kind, results);
        }
    }

    private void time(CascadeSet set, Kind kind, double limit, Results results) {
        boolean isBatched = kind.isBatched();
        long[] keys = new long[isBatched ? AddIfAbsentRates.BATCH : InsertionCurve.BLOCK];
        // What is added meanwhile stays in memory.
        long mostKeys =
                kind == Kind.absentBatched
                        ? scale.keys() / (4L * Scale.KEYS_PER_BUFFERED_KEY * (ROUNDS + 1))
                        : Long.MAX_VALUE;
        Consumer<long[]> lookup = isBatched ? set::addAll : set::ask;
        long before = set.statistics().pageReads();
        double count = 0;
        long start = System.nanoTime();
        do {
            fill(keys, kind == Kind.present || kind == Kind.presentBatched);
            lookup.accept(keys);
            count += keys.length;
        } while (System.nanoTime() - start < 1e9 * scale.probeSeconds() && count < mostKeys);
        double seconds = (System.nanoTime() - start) / 1e9;
        double reads = set.statistics().pageReads() - before;
        results.perSecond.add(kind, count / seconds);
        results.readsEach.add(kind, reads / count);
        results.toDevice.add(kind, reads / seconds / limit);
    }

    private void fill(long[] into, boolean isPresent) {
        for (int i = 0; i < into.length; i++) {
            long random = SplitMix64.mix(++asked * SplitMix64.GAMMA) >>> 1;
            into[i] =
                    Keys.key(
                            isPresent
                                    ? Math.multiplyHigh(random, 2 * scale.keys())
                                    : ABSENT + asked);
        }
    }

    private void add(
            String name, Spread spread, String unit, String goal, Kind kind, Results results) {
        report.add(
                new Figure(
                        "cascade." + name,
                        spread.median(),
                        unit,
                        "random 4 KiB reads of the device at depth " + DeviceProbe.DEPTH,
                        goal,
                        String.format(
                                Locale.ROOT,
                                "%.2f pages read for each, %.2f of the device's rate; %s",
                                results.readsEach.median(kind),
                                results.toDevice.median(kind),
                                spread)));
    }
}
