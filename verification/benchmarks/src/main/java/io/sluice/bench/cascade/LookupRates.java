/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.capture.SplitMix64;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
    private final CsvTable table =
            new CsvTable("lookup,perSecond,pageReadsEach,pageReadsPerSecond,toDevice");
    private long asked;

    LookupRates(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    /**
     * One kind of lookup.
     *
     * @param mostPerRound keeps what is added meanwhile in memory
     */
    private record Variant(
            String name, int block, long mostPerRound, KeySource keys, Lookup lookup) {}

    private interface Lookup {
        void ask(long[] keys) throws IOException;
    }

    /** What one kind of lookup read in all rounds. */
    private static final class Result {
        private final List<Double> perSecond = new ArrayList<>();
        private final List<Double> readsPerSecond = new ArrayList<>();
        private final List<Double> toDevice = new ArrayList<>();
        private double lookups;
        private double reads;
    }

    void run(DeviceProbe device) throws IOException {
        report.progress("lookups, files larger than the page cache");
        Map<String, Result> bare = fillAndAsk(0, device);
        Map<String, Result> summaries = fillAndAsk(AddIfAbsentRates.OVERVIEW_BITS, device);
        Result batched = bare.get("absent batched");
        add("lookup.ratioToDevice", Spread.of(batched.toDevice), "ratio", ">= 0.7", batched);
        figures("lookup.", bare);
        figures("lookupSummaries.", summaries);
        report.table("cascade_lookups.csv", table);
    }

    private Map<String, Result> fillAndAsk(int overviewBits, DeviceProbe device)
            throws IOException {
        Path files = Files.createDirectory(directory.resolve("lookups"));
        MeteredDirectory meter =
                new MeteredDirectory(new NioDirectory(files, NioDirectory.Reads.DIRECT));
        Map<String, Result> results = new LinkedHashMap<>();
        try (CascadeSet set =
                new CascadeSet(
                        "cascade",
                        "cascade filter",
                        meter,
                        scale.options().overviewBitsPerKey(overviewBits).build())) {
            InsertionCurve.run(
                    set,
                    set::add,
                    KeySource.inOrder(),
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
                double limit = device.randomReadsPerSecond(DeviceRates.DEPTH, scale.probeSeconds());
                for (Variant way : ways(set)) {
                    time(way, meter, limit, round > 0 ? result(results, way) : new Result());
                }
            }
        } finally {
            Trees.delete(files);
        }
        results.forEach(
                (way, result) ->
                        table.add(
                                way + (overviewBits > 0 ? " overview" : ""),
                                Spread.of(result.perSecond).median(),
                                result.reads / result.lookups,
                                Spread.of(result.readsPerSecond).median(),
                                Spread.of(result.toDevice).median()));
        return results;
    }

    private static Result result(Map<String, Result> results, Variant way) {
        return results.computeIfAbsent(way.name, name -> new Result());
    }

    private List<Variant> ways(CascadeSet set) {
        Lookup single =
                keys -> {
                    for (long key : keys) {
                        set.contains(key);
                    }
                };
        Lookup batched = keys -> set.addAll(keys, 0, keys.length);
        int one = InsertionCurve.BLOCK;
        int many = AddIfAbsentRates.BATCH;
        long few = scale.keys() / (4L * Scale.KEYS_PER_BUFFERED_KEY * (ROUNDS + 1));
        return List.of(
                new Variant("present", one, Long.MAX_VALUE, this::present, single),
                new Variant("absent", one, Long.MAX_VALUE, this::absent, single),
                new Variant("present batched", many, Long.MAX_VALUE, this::present, batched),
                new Variant("absent batched", many, few, this::absent, batched));
    }

    private void present(long[] into) {
        for (int i = 0; i < into.length; i++) {
            long random = SplitMix64.mix(++asked * SplitMix64.GAMMA);
            into[i] = Keys.key(Math.multiplyHigh(random >>> 1, 2 * scale.keys()));
        }
    }

    private void absent(long[] into) {
        for (int i = 0; i < into.length; i++) {
            into[i] = Keys.key(ABSENT + asked++);
        }
    }

    private void time(Variant way, MeteredDirectory meter, double limit, Result result)
            throws IOException {
        long[] keys = new long[way.block];
        long reads = meter.pageReads();
        long count = 0;
        long start = System.nanoTime();
        long most = (long) (1e9 * scale.probeSeconds());
        do {
            way.keys.fill(keys);
            way.lookup.ask(keys);
            count += way.block;
        } while (System.nanoTime() - start < most && count < way.mostPerRound);
        double seconds = (System.nanoTime() - start) / 1e9;
        double read = meter.pageReads() - reads;
        result.perSecond.add(count / seconds);
        result.readsPerSecond.add(read / seconds);
        result.toDevice.add(read / seconds / limit);
        result.lookups += count;
        result.reads += read;
    }

    private void figures(String prefix, Map<String, Result> results) {
        results.forEach(
                (way, result) ->
                        add(
                                prefix + camel(way) + ".perSecond",
                                Spread.of(result.perSecond),
                                "keys/s",
                                "",
                                result));
        report.add(
                "cascade." + prefix + "batchedOverSingle",
                Spread.of(results.get("absent batched").perSecond).median()
                        / Spread.of(results.get("absent").perSecond).median(),
                "ratio",
                "",
                "absent keys");
    }

    private static String camel(String way) {
        return way.replace(" b", "B");
    }

    private void add(String name, Spread spread, String unit, String goal, Result result) {
        report.add(
                new Figure(
                        "cascade." + name,
                        spread.median(),
                        unit,
                        "random 4 KiB reads of the device at depth " + DeviceRates.DEPTH,
                        goal,
                        String.format(
                                Locale.ROOT,
                                "%.2f pages read for each, %.2f of the device's rate; %s",
                                result.reads / result.lookups,
                                Spread.of(result.toDevice).median(),
                                spread)));
    }
}
