/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.ccf.MultisetPair.Side;
import io.sluice.bench.ccf.SyncTrial.Digests;
import io.sluice.bench.ccf.SyncTrial.Method;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Spread;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * How fast a filter is built from a root set, and how fast differences with the peer's are found,
 * over the number of elements: the counting cuckoo filter by both methods, and the counting Bloom
 * filter at about equal accuracy. In turns.
 */
final class SyncTimes {
    private static final int FINGERPRINT_BITS = 16;

    /** With this, the Bloom filter's accuracy is about that of 16-bit fingerprints. */
    private static final double BLOOM_BITS = 160;

    private static final int ROUNDS = 5;

    private SyncTimes() {}

    static void run(CcfRun run) throws IOException {
        run.report().progress("figure 5: time of building a filter and of finding differences");
        CsvTable table = new CsvTable("distinct,operation,millions_per_second,least,most");
        Map<String, List<double[]>> lines = new TreeMap<>();
        for (int n = 4_000; n <= run.mostElements(); n *= 4) {
            Rounds timed = measure(n, run.seed());
            for (String name :
                    List.of("build ccf", "build cbf", "query ccf", "decode ccf", "query cbf")) {
                Spread spread = timed.throughput(name);
                table.add(n, name, spread.median(), spread.least(), spread.most());
                lines.computeIfAbsent(name, k -> new ArrayList<>())
                        .add(new double[] {Math.log(n) / Math.log(2), spread.median()});
                if (n == CcfRun.ELEMENTS) {
                    run.report()
                            .add(
                                    run.report().name()
                                            + ".sync."
                                            + name.replace(' ', '.')
                                            + ".mops",
                                    spread.median(),
                                    "Mops/s",
                                    "",
                                    n + " elements, " + spread);
                }
            }
        }
        Chart chart =
                Chart.linear(
                        "Figure 5: building a filter and finding differences, one side",
                        "log2 of elements",
                        "millions of elements a second");
        lines.forEach(chart::measured);
        chart.note(
                "CCF: 16-bit fingerprints, 8-bit counters, "
                        + "sized for a load of 0.95. CBF: 160 bits per element, 14 positions: about"
                        + " the same accuracy.");
        run.report().table("ccf_sync_times.csv", table);
        run.report().add(chart);
    }

    private static Rounds measure(int n, long seed) {
        MultisetPair pair = new MultisetPair(n, 0.5, seed);
        SyncTrial trial = new SyncTrial(pair);
        CuckooShape shape =
                new CuckooShape(FINGERPRINT_BITS, CcfRun.COUNTER_BITS, CuckooSizing.buckets(n));
        Digests digests = trial.digests(shape, Collisions.SEPARATE, seed);
        CountingBloomFilter bloomOfB = trial.bloomFilter(BLOOM_BITS, Side.B);
        // Small ones several times: clock and compiler need enough work.
        int times = Math.max(1, 256_000 / n);
        Rounds timed = new Rounds();
        for (int round = 0; round <= ROUNDS; round++) {
            long salt = round;
            time(timed, "build ccf", round, n, times, () -> built(pair, shape, salt));
            time(
                    timed,
                    "build cbf",
                    round,
                    n,
                    times,
                    () -> trial.bloomFilter(BLOOM_BITS, Side.A).count(salt));
            time(timed, "query ccf", round, n, times, () -> found(trial, digests, Method.QUERY));
            time(
                    timed,
                    "decode ccf",
                    round,
                    n,
                    times,
                    () -> found(trial, digests, Method.DECODING));
            time(timed, "query cbf", round, n, times, () -> asked(pair, bloomOfB));
        }
        return timed;
    }

    private static void time(
            Rounds timed, String name, int round, int n, int times, LongSupplier operation) {
        timed.time(
                name,
                round,
                (long) n * times,
                () -> {
                    long sum = 0;
                    for (int i = 0; i < times; i++) {
                        sum += operation.getAsLong();
                    }
                    return sum;
                });
    }

    private static long built(MultisetPair pair, CuckooShape shape, long seed) {
        return MultisetDigest.of(pair.root(Side.A), shape, Collisions.SEPARATE, seed)
                .totals()
                .checksum();
    }

    private static long found(SyncTrial trial, Digests digests, Method method) {
        return trial.difference(digests, method, Side.A).missing().size();
    }

    private static long asked(MultisetPair pair, CountingBloomFilter peer) {
        long[] sum = new long[1];
        pair.root(Side.A).forEach((hash, copies) -> sum[0] += peer.count(hash) < copies ? 1 : 0);
        return sum[0];
    }
}
