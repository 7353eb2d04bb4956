/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.peer.FastfilterCuckoo16;
import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Life;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.WarmUp;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Keys;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;

/**
 * Throughput on one thread to a load of 0.95, beside the limit and fastfilter's cuckoo filter, in
 * turns: their {@link Life}, and the operations that only ours has.
 */
final class CcfRates {
    private static final double LOAD = 0.95;

    /**
     * Fingerprint and counter bits: a bucket is a word, and the error is that of 12-bit filters.
     */
    private static final int FINGERPRINT_BITS = 12;

    private static final int COUNTER_BITS = 4;
    private static final int QUICK_SLOTS = 1 << 23;
    private static final int SLOTS = 1 << 25;
    private static final int WARM_UP_COUNTS = 10_000;
    private static final int BATCH = 256;

    private static final List<String> OPERATIONS =
            List.of("insert", "insertLast", "present", "absent", "addIfAbsent");

    /** Operations that only our filter has. */
    private static final List<String> OWN_OPERATIONS =
            List.of("count", "remove", "presentBatched", "absentBatched", "countBatched");

    private final BenchReport report;
    private final int slots;
    private final int rounds;
    private final int lookups;
    private final Life life;
    private final CuckooStructure ours;
    private final Contender filter;
    private final Contender peer;
    private final long[] hashes = new long[BATCH];
    private final boolean[] results = new boolean[BATCH];
    private final long[] counts = new long[BATCH];
    private double fpp;
    private double bitsPerKey;

    private CcfRates(BenchReport report) {
        this.report = report;
        slots = report.quick() ? QUICK_SLOTS : SLOTS;
        rounds = 3;
        lookups = report.quick() ? 2_000_000 : 4_000_000;
        life = new Life(limit(slots), lookups);
        ours = ours(slots);
        filter = Contender.of(ours);
        peer = Contender.of(new FastfilterCuckoo16(slots, LOAD));
    }

    static void run(BenchReport report) throws IOException {
        new CcfRates(report).run();
    }

    /** As large as the filter: 16 bits a slot. */
    private static OneLineLimit limit(int slots) {
        return new OneLineLimit(2L * slots, (long) (slots * LOAD));
    }

    private static CuckooStructure ours(int slots) {
        return new CuckooStructure(
                new CuckooShape(FINGERPRINT_BITS, COUNTER_BITS, slots / CuckooShape.SLOTS),
                LOAD,
                Storage.HEAP);
    }

    private void run() throws IOException {
        report.progress(
                "throughput, one thread, %,d slots to a load of %s, %d rounds in turns",
                slots, LOAD, rounds);
        warmUp();
        for (int round = 1; round <= rounds; round++) {
            int now = round;
            life.live(filter, now, () -> ownOperations(now));
            life.live(peer, now, () -> {});
        }
        CsvTable table = new CsvTable("structure,operation,mops,ratio_to_limit");
        for (Contender contender : List.of(filter, peer)) {
            for (String operation : OPERATIONS) {
                row(table, contender, operation);
            }
        }
        for (String operation : OWN_OPERATIONS) {
            row(table, filter, operation);
        }
        report.table("ccf_throughput.csv", table);
        figures();
    }

    private void row(CsvTable table, Contender contender, String operation) {
        double mops = life.throughput(contender.id(), operation).median();
        double ratio = life.ratioToLimit(contender.id(), operation).median();
        table.add(contender.name(), operation, mops, ratio);
        report.progress(
                "    %-28s %-14s %6.2f M/s  %5.3f of the limit",
                contender.name(), operation, mops, ratio);
    }

    private void warmUp() {
        CuckooStructure small = ours(WarmUp.SLOTS);
        WarmUp.run(life.limit(), limit(WarmUp.SLOTS));
        WarmUp.run(filter, small);
        WarmUp.run(peer, new FastfilterCuckoo16(WarmUp.SLOTS, LOAD));
        filter.like(small).fill();
        for (int i = 0; i < WARM_UP_COUNTS; i++) {
            Keys keys = Keys.present(small.capacity());
            counts(small.filter(), keys, life.fresh(16), 16);
            containsBatched(small.filter(), keys, life.fresh(16), 16);
            countsBatched(small.filter(), keys, life.fresh(16), 16);
        }
    }

    private void ownOperations(int round) {
        CountingCuckooFilter full = ours.filter();
        Keys present = Keys.present(filter.capacity());
        fpp = filter.measuredFpp(life.fresh(lookups), lookups);
        bitsPerKey = filter.bitsPerKey();
        own("count", present, round, from -> counts(full, present, from, lookups));
        own(
                "presentBatched",
                present,
                round,
                from -> containsBatched(full, present, from, lookups));
        own(
                "absentBatched",
                Keys.absent(),
                round,
                from -> containsBatched(full, Keys.absent(), from, lookups));
        own("countBatched", present, round, from -> countsBatched(full, present, from, lookups));
    }

    private void own(String operation, Keys keys, int round, LongUnaryOperator lookUpFrom) {
        long from = life.fresh(lookups);
        life.lookUp(filter, operation, round, keys, from, () -> lookUpFrom.applyAsLong(from));
    }

    private static long counts(CountingCuckooFilter filter, Keys keys, long from, long count) {
        long sum = 0;
        for (long i = from; i < from + count; i++) {
            sum += filter.count(Hashing.hash(keys.at(i)));
        }
        return sum;
    }

    private long containsBatched(CountingCuckooFilter cuckoo, Keys keys, long from, long count) {
        long hits = 0;
        for (long i = from; i < from + count; i += BATCH) {
            int n = next(keys, i, from + count);
            hits += cuckoo.mightContainAll(hashes, 0, n, results);
        }
        return hits;
    }

    private long countsBatched(CountingCuckooFilter cuckoo, Keys keys, long from, long count) {
        long sum = 0;
        for (long i = from; i < from + count; i += BATCH) {
            int n = next(keys, i, from + count);
            cuckoo.countAll(hashes, 0, n, counts);
            sum += counts[n - 1];
        }
        return sum;
    }

    /** The time includes making and hashing the keys. */
    private int next(Keys keys, long from, long to) {
        int n = (int) Math.min(BATCH, to - from);
        for (int i = 0; i < n; i++) {
            hashes[i] = Hashing.hash(keys.at(from + i));
        }
        return n;
    }

    private void figures() {
        mops("ccf.add.mops", "insert", "");
        // The goals are the C++ cuckoo filter's figures, read on a machine with a limit of 32.
        mops("ccf.add.last10.mops", "insertLast", ">= 1.4");
        mops("ccf.contains.present.mops", "present", ">= 13");
        mops("ccf.contains.absent.mops", "absent", ">= 12");
        mops("ccf.contains.present.batched.mops", "presentBatched", ">= 13");
        mops("ccf.contains.absent.batched.mops", "absentBatched", ">= 12");
        mops("ccf.count.mops", "count", "");
        mops("ccf.count.batched.mops", "countBatched", "");
        mops("ccf.addIfAbsent.mops", "addIfAbsent", "");
        mops("ccf.remove.mops", "remove", "");
        ratioToLimit("ccf.contains.present.ratioToLimit", "present", ">= 0.41");
        ratioToLimit("ccf.contains.absent.ratioToLimit", "absent", ">= 0.38");
        ratioToPeer("ccf.add.last10.ratioToFastfilterCuckoo", "insertLast", ">= 2");
        ratioToPeer("ccf.addIfAbsent.ratioToFastfilterCuckoo", "addIfAbsent", ">= 1");
        String shape = FINGERPRINT_BITS + "-bit fingerprints, " + COUNTER_BITS + "-bit counters";
        report.add("ccf.fpp", fpp, "probability", "", "at a load of " + LOAD + ", " + shape);
        report.add("ccf.bitsPerKey", bitsPerKey, "bits", "", shape);
    }

    private void mops(String figure, String operation, String goal) {
        Spread spread = life.throughput(filter.id(), operation);
        report.add(
                new Figure(
                        figure,
                        spread.median(),
                        "Mops/s",
                        "the C++ cuckoo filter of 12 bits, elsewhere",
                        goal,
                        String.format(
                                Locale.ROOT,
                                "%,d slots to a load of %s; %s",
                                slots,
                                LOAD,
                                spread)));
    }

    private void ratioToLimit(String figure, String operation, String goal) {
        Spread spread = life.ratioToLimit(filter.id(), operation);
        report.ratio(
                figure,
                spread.median(),
                life.limit().name(),
                goal,
                "0.7 of the C++ filter's ratio to the limit of its machine; " + spread);
    }

    private void ratioToPeer(String figure, String operation, String goal) {
        Spread spread = life.ratio(filter.id(), peer.id(), operation);
        report.ratio(figure, spread, peer.name(), goal);
    }
}
