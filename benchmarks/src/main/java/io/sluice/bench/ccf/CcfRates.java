/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.peer.FastfilterCuckoo16;
import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.RemovableContender;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.rate.WarmUp;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Throughput on one thread to a load of 0.95, beside the limit and fastfilter's cuckoo filter, in
 * turns: each is filled, looked up, emptied a little, and refilled by add-if-absent. The limit does
 * the same as the next structure, immediately before it.
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
    private static final String LIMIT = "/limit";
    private static final int BATCH = 256;

    private static final List<String> OPERATIONS =
            List.of("add", "addLast", "present", "absent", "addIfAbsent");

    /** Operations that only our filter has. */
    private static final List<String> OWN_OPERATIONS =
            List.of("count", "remove", "presentBatched", "absentBatched", "countBatched");

    private final BenchReport report;
    private final int slots;
    private final int rounds;
    private final int lookups;
    private final Rounds timed = new Rounds();
    private final Contender limit;
    private final CuckooStructure ours;
    private final Contender filter;
    private final Contender peer;
    private final long[] hashes = new long[BATCH];
    private final boolean[] results = new boolean[BATCH];
    private final long[] counts = new long[BATCH];
    private double fpp;
    private double bitsPerKey;

    /** Numbers of keys that were not looked up yet. */
    private long next;

    private CcfRates(BenchReport report) {
        this.report = report;
        slots = report.quick() ? QUICK_SLOTS : SLOTS;
        rounds = 3;
        lookups = report.quick() ? 2_000_000 : 4_000_000;
        limit = Contender.of(limit(slots));
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
            live(filter, round);
            live(peer, round);
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
        String name = name(contender, operation);
        double mops = timed.throughput(name).median();
        double ratio = timed.ratio(name, name + LIMIT).median();
        table.add(contender.name(), operation, mops, ratio);
        report.progress(
                "    %-28s %-14s %6.2f M/s  %5.3f of the limit",
                contender.name(), operation, mops, ratio);
    }

    private void warmUp() {
        CuckooStructure small = ours(WarmUp.SLOTS);
        WarmUp.run(limit, limit(WarmUp.SLOTS));
        WarmUp.run(filter, small);
        WarmUp.run(peer, new FastfilterCuckoo16(WarmUp.SLOTS, LOAD));
        filter.like(small).fill();
        for (int i = 0; i < WARM_UP_COUNTS; i++) {
            Keys keys = Keys.present(small.capacity());
            counts(small.filter(), keys, fresh(16), 16);
            containsBatched(small.filter(), keys, fresh(16), 16);
            countsBatched(small.filter(), keys, fresh(16), 16);
        }
    }

    private void live(Contender contender, int round) {
        // Keeps the garbage of the previous one from being collected while this one is timed.
        System.gc();
        contender.structure().begin();
        long keys = contender.capacity();
        long most = keys - keys / 10;
        limit(contender, "add", round, () -> limit.insert(0, lookups));
        long start = System.nanoTime();
        contender.insert(0, most);
        long middle = System.nanoTime();
        limit(contender, "addLast", round, () -> limit.insert(0, lookups));
        long again = System.nanoTime();
        contender.insert(most, keys);
        long last = System.nanoTime() - again;
        timed.record(name(contender, "add"), round, (double) (middle - start + last) / keys);
        timed.record(name(contender, "addLast"), round, (double) last / (keys - most));
        ask(contender, "present", Keys.present(keys), round);
        ask(contender, "absent", Keys.absent(), round);
        if (contender == filter) {
            fpp = contender.measuredFpp(fresh(lookups), lookups);
            bitsPerKey = contender.bitsPerKey();
            Keys present = Keys.present(keys);
            long from = fresh(lookups);
            limit(contender, "count", round, () -> limit.contains(present, from, lookups));
            time(
                    contender,
                    "count",
                    round,
                    lookups,
                    () -> counts(ours.filter(), present, from, lookups));
            batched("presentBatched", present, round);
            batched("absentBatched", Keys.absent(), round);
            long first = fresh(lookups);
            limit(contender, "countBatched", round, () -> limit.contains(present, first, lookups));
            time(
                    contender,
                    "countBatched",
                    round,
                    lookups,
                    () -> countsBatched(ours.filter(), present, first, lookups));
            RemovableContender removable = (RemovableContender) contender;
            RemovableContender limitRemoves = (RemovableContender) limit;
            limit(contender, "remove", round, () -> limitRemoves.remove(0, lookups));
            time(contender, "remove", round, keys / 10, () -> removable.remove(0, keys / 10));
        }
        refill(contender, round);
        contender.structure().end();
    }

    private void ask(Contender contender, String operation, Keys keys, int round) {
        long from = fresh(lookups);
        limit(contender, operation, round, () -> limit.contains(keys, from, lookups));
        time(contender, operation, round, lookups, () -> contender.contains(keys, from, lookups));
    }

    private void batched(String operation, Keys keys, int round) {
        long from = fresh(lookups);
        limit(filter, operation, round, () -> limit.contains(keys, from, lookups));
        time(
                filter,
                operation,
                round,
                lookups,
                () -> containsBatched(ours.filter(), keys, from, lookups));
    }

    /** From half full to full; half of the keys are already present. */
    private void refill(Contender contender, int round) {
        contender.structure().begin();
        long half = contender.capacity() / 2;
        contender.insert(0, half);
        long count = Keys.halvesThatFill(contender.capacity());
        Keys keys = Keys.half(half);
        long from = fresh(count);
        limit(contender, "addIfAbsent", round, () -> limit.addIfAbsent(keys, from, lookups));
        time(
                contender,
                "addIfAbsent",
                round,
                count,
                () -> contender.addIfAbsent(keys, from, count));
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

    private void limit(Contender contender, String operation, int round, LongSupplier operations) {
        timed.time(name(contender, operation) + LIMIT, round, lookups, operations);
    }

    private void time(
            Contender contender, String operation, int round, long count, LongSupplier operations) {
        timed.time(name(contender, operation), round, count, operations);
    }

    private static String name(Contender contender, String operation) {
        return contender.id() + "/" + operation;
    }

    private long fresh(long count) {
        long from = next;
        next += count;
        return from;
    }

    private void figures() {
        mops("ccf.add.mops", "add", "");
        // The goals are the C++ cuckoo filter's figures, read on a machine with a limit of 32.
        mops("ccf.add.last10.mops", "addLast", ">= 1.4");
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
        ratioToPeer("ccf.add.last10.ratioToFastfilterCuckoo", "addLast", ">= 2");
        ratioToPeer("ccf.addIfAbsent.ratioToFastfilterCuckoo", "addIfAbsent", ">= 1");
        String shape = FINGERPRINT_BITS + "-bit fingerprints, " + COUNTER_BITS + "-bit counters";
        report.add("ccf.fpp", fpp, "probability", "", "at a load of " + LOAD + ", " + shape);
        report.add("ccf.bitsPerKey", bitsPerKey, "bits", "", shape);
    }

    private void mops(String figure, String operation, String goal) {
        Spread spread = timed.throughput(name(filter, operation));
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
        String name = name(filter, operation);
        Spread spread = timed.ratio(name, name + LIMIT);
        report.ratio(
                figure,
                spread.median(),
                limit.name(),
                goal,
                "0.7 of the C++ filter's ratio to the limit of its machine; " + spread);
    }

    private void ratioToPeer(String figure, String operation, String goal) {
        Spread spread = timed.ratio(name(filter, operation), name(peer, operation));
        report.ratio(figure, spread.median(), peer.name(), goal, spread.toString());
    }
}
