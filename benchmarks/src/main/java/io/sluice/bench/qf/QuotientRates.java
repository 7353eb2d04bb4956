/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.peer.FastfilterCuckoo16;
import io.sluice.bench.peer.FastutilSet;
import io.sluice.bench.peer.GuavaBloom;
import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.RemovableContender;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.filter.quotient.QuotientSizing;
import java.util.List;
import java.util.Locale;

/**
 * Operations per second at one load, one by one and in batches, and add-if-absent compared with
 * peers that hold the same number of keys. Everything takes turns in one process.
 */
final class QuotientRates {
    static final int REMAINDER_BITS = 8;

    private static final int WARM_UP_SLOTS = 1 << 14;
    private static final int WARM_UP_LIVES = 6;
    private static final int STEP = 16;

    private final BenchReport report;
    private final int slots;
    private final int rounds;
    private final int lookups;
    private final double load;
    private final String suffix;
    private final Rounds timed = new Rounds();
    private final Batches batches = new Batches();
    private final QuotientStructure structure;
    private final RemovableContender quotient;
    private final Contender limit;
    private final List<Contender> peers;

    /** Numbers of keys that were not looked up yet. */
    private long next;

    private double fpp;

    private QuotientRates(BenchReport report, int slots, int rounds, double load) {
        this.report = report;
        this.slots = slots;
        this.rounds = rounds;
        this.lookups = Math.min(2_000_000, slots);
        this.load = load;
        this.suffix = load == 0.75 ? "" : String.format(Locale.ROOT, ".%.0f", 100 * load);
        this.structure = new QuotientStructure(slots, REMAINDER_BITS, load);
        this.quotient = (RemovableContender) Contender.of(structure);
        long keys = structure.capacity();
        this.limit = Contender.of(limit(slots));
        this.peers =
                List.of(
                        Contender.of(new GuavaBloom(keys, fppAt(load))),
                        Contender.of(new FastfilterCuckoo16(slots, load)),
                        Contender.of(new FastutilSet(keys)));
    }

    private static OneLineLimit limit(int slots) {
        return new OneLineLimit(slots * 4L / 3, slots);
    }

    private static double fppAt(double load) {
        return -Math.expm1(-load / (1 << REMAINDER_BITS));
    }

    static void run(BenchReport report, int slots, int rounds, double load) {
        new QuotientRates(report, slots, rounds, load).run();
    }

    private void run() {
        report.progress("one thread, %,d slots, load %s, %d rounds", slots, load, rounds);
        warmUp();
        for (int round = 1; round <= rounds; round++) {
            // Keeps earlier garbage from being collected during the timing.
            System.gc();
            oneByOne(round);
            System.gc();
            inBatches(round);
            for (Contender peer : peers) {
                System.gc();
                refill(peer, round);
                peer.structure().end();
            }
        }
        figures();
    }

    /** The life of a filter: filled, looked up, emptied by a tenth; half filled, and refilled. */
    private void oneByOne(int round) {
        long keys = quotient.capacity();
        long most = keys - keys / 10;
        long from = fresh(lookups);
        timed.time("limit", round, lookups, () -> limit.contains(Keys.absent(), from, lookups));
        timed.time("limit.add", round, lookups, () -> limit.insert(0, lookups));
        structure.begin();
        long start = System.nanoTime();
        quotient.insert(0, most);
        long middle = System.nanoTime();
        quotient.insert(most, keys);
        long end = System.nanoTime();
        timed.record("add", round, (double) (end - start) / keys);
        timed.record("addLast", round, (double) (end - middle) / (keys - most));
        ask("contains.present", Keys.present(keys), round);
        ask("contains.absent", Keys.absent(), round);
        if (round == 1) {
            long probes = 4L * lookups;
            fpp = quotient.measuredFpp(fresh(probes), probes);
        }
        long tenth = keys / 10;
        timed.time("remove", round, tenth, () -> quotient.remove(0, tenth));
        structure.filter().checkInvariants();
        refill(quotient, round);
    }

    private void ask(String name, Keys keys, int round) {
        long from = fresh(lookups);
        timed.time(name, round, lookups, () -> quotient.contains(keys, from, lookups));
    }

    private void refill(Contender contender, int round) {
        long keys = contender.capacity();
        long half = keys / 2;
        contender.structure().begin();
        contender.insert(0, half);
        long count = addIfAbsentOperations(keys);
        long from = fresh(count);
        timed.time(
                contender.id() + "/addIfAbsent",
                round,
                count,
                () -> contender.addIfAbsent(Keys.half(half), from, count));
    }

    /**
     * The number of keys of which half, give or take six standard deviations, fill the other half.
     */
    private static long addIfAbsentOperations(long keys) {
        return Math.max(1, (long) (keys - 6 * Math.sqrt((double) keys)));
    }

    private void inBatches(int round) {
        long keys = quotient.capacity();
        long most = keys - keys / 10;
        structure.begin();
        QuotientFilter filter = structure.filter();
        long start = System.nanoTime();
        batches.insert(filter, 0, most);
        long middle = System.nanoTime();
        batches.insert(filter, most, keys);
        long end = System.nanoTime();
        timed.record("batched/add", round, (double) (end - start) / keys);
        timed.record("batched/addLast", round, (double) (end - middle) / (keys - most));
        for (String kind : new String[] {"present", "absent"}) {
            Keys sequence = kind.equals("absent") ? Keys.absent() : Keys.present(keys);
            long from = fresh(lookups);
            timed.time(
                    "batched/contains." + kind,
                    round,
                    lookups,
                    () -> batches.contains(filter, sequence, from, lookups));
        }
        long tenth = keys / 10;
        timed.time("batched/remove", round, tenth, () -> batches.remove(filter, 0, tenth));
        structure.begin();
        QuotientFilter refilled = structure.filter();
        batches.insert(refilled, 0, keys / 2);
        long count = addIfAbsentOperations(keys);
        long from = fresh(count);
        timed.time(
                "batched/addIfAbsent",
                round,
                count,
                () -> batches.addIfAbsent(refilled, Keys.half(keys / 2), from, count));
        structure.end();
    }

    /** Small structures, in many short calls: then whole methods are compiled, not loops. */
    private void warmUp() {
        int small = Math.min(slots, WARM_UP_SLOTS);
        QuotientStructure warm = new QuotientStructure(small, REMAINDER_BITS, load);
        long keys = warm.capacity();
        RemovableContender like = (RemovableContender) quotient.like(warm);
        for (int life = 0; life < WARM_UP_LIVES; life++) {
            warmUp(like);
            for (long i = 0; i + STEP <= keys / 2; i += STEP) {
                like.remove(i, i + STEP);
            }
            warm.begin();
            QuotientFilter filter = warm.filter();
            batches.insert(filter, 0, keys);
            batches.contains(filter, Keys.half(keys), fresh(keys), keys);
            batches.remove(filter, 0, keys / 2);
            batches.addIfAbsent(filter, Keys.half(keys), fresh(keys), keys / 2);
            warmUp(limit.like(limit(small)));
            warmUp(peers.get(0).like(new GuavaBloom(keys, fppAt(load))));
            warmUp(peers.get(1).like(new FastfilterCuckoo16(small, load)));
            warmUp(peers.get(2).like(new FastutilSet(keys)));
        }
    }

    private void warmUp(Contender contender) {
        long keys = contender.capacity();
        contender.structure().begin();
        for (long i = 0; i + STEP <= keys / 2; i += STEP) {
            contender.insert(i, i + STEP);
        }
        for (long i = 0; i + STEP <= addIfAbsentOperations(keys); i += STEP) {
            contender.addIfAbsent(Keys.half(keys / 2), fresh(STEP), STEP);
        }
        for (long i = 0; i + STEP <= keys; i += STEP) {
            contender.contains(Keys.present(keys / 2), fresh(STEP), STEP);
            contender.contains(Keys.absent(), fresh(STEP), STEP);
        }
    }

    private void figures() {
        for (String operation :
                new String[] {"add", "addLast", "contains.present", "contains.absent", "remove"}) {
            figure(operation, operation);
        }
        figure("addIfAbsent", quotient.id() + "/addIfAbsent");
        ratio("Guava", peers.get(0), ">= 2");
        ratio("FastfilterCuckoo", peers.get(1), "");
        ratio("Fastutil", peers.get(2), "");
        for (String operation : new String[] {"add", "contains.absent"}) {
            Spread spread = timed.ratio(operation, operation.equals("add") ? "limit.add" : "limit");
            report.ratio(
                    "qf." + operation + ".ratioToLimit" + suffix,
                    spread.median(),
                    "one random line",
                    "",
                    spread.toString());
        }
        double bits = QuotientSizing.bitsPerKey(bits(), REMAINDER_BITS, quotient.capacity());
        report.add(
                "qf.bitsPerKey" + suffix,
                bits,
                "bits",
                "",
                "all metadata and the tail, r = " + REMAINDER_BITS);
        report.add(
                "qf.fpp" + suffix,
                fpp,
                "probability",
                "",
                "of %,d absent keys; the model says %.4g",
                4 * lookups,
                fppAt(load));
    }

    private int bits() {
        return Integer.numberOfTrailingZeros(slots);
    }

    /** One by one, or in batches if the name contains "batched". */
    private void figure(String operation, String name) {
        Spread single = timed.throughput(name);
        Spread batched = timed.throughput("batched/" + operation);
        report.add(
                "qf." + operation + ".mops" + suffix,
                single.median(),
                "Mops/s",
                "",
                "one call for each key; " + single);
        report.add(
                "qf." + operation + ".batched.mops" + suffix,
                batched.median(),
                "Mops/s",
                "",
                "256 keys per call, including making them; " + batched);
    }

    private void ratio(String name, Contender peer, String goal) {
        String theirs = peer.id() + "/addIfAbsent";
        Spread single = timed.ratio(quotient.id() + "/addIfAbsent", theirs);
        Spread batched = timed.ratio("batched/addIfAbsent", theirs);
        report.ratio(
                "qf.addIfAbsent.ratioTo" + name + suffix,
                single.median(),
                peer.name(),
                goal,
                "from half full to full, half of the keys are there; %s; peer %.2f"
                        + " Mops/s; in batches %.3g",
                single,
                timed.mops(theirs),
                batched.median());
    }

    private long fresh(long count) {
        long from = next;
        next += count;
        return from;
    }
}
