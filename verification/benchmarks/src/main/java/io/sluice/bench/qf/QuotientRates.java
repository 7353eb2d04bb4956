/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.peer.FastfilterCuckoo16;
import io.sluice.bench.peer.FastutilSet;
import io.sluice.bench.peer.GuavaBloom;
import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Life;
import io.sluice.bench.rate.Life.Operation;
import io.sluice.bench.rate.OneLineLimit;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.rate.WarmUp;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Keys;
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

    private static final String BATCHED = "batched";

    private static final int WARM_UP_LIVES = 6;

    private final BenchReport report;
    private final int slots;
    private final int rounds;
    private final int lookups;
    private final double load;
    private final String suffix;
    private final Life life;
    private final Batches batches = new Batches();
    private final QuotientStructure structure;
    private final Contender quotient;
    private final List<Contender> peers;

    private double fpp;

    private QuotientRates(BenchReport report, int slots, int rounds, double load) {
        this.report = report;
        this.slots = slots;
        this.rounds = rounds;
        this.lookups = Math.min(2_000_000, slots);
        this.load = load;
        this.suffix = load == 0.75 ? "" : String.format(Locale.ROOT, ".%.0f", 100 * load);
        this.structure = new QuotientStructure(slots, REMAINDER_BITS, load);
        this.quotient = Contender.of(structure);
        long keys = structure.capacity();
        this.life = new Life(limit(slots), lookups);
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
            life.live(quotient, round, this::whenFull);
            System.gc();
            inBatches(round);
            for (Contender peer : peers) {
                System.gc();
                life.refill(peer, round);
            }
        }
        figures();
    }

    private void whenFull() {
        structure.filter().checkInvariants();
        if (fpp == 0) {
            long probes = 4L * lookups;
            fpp = quotient.measuredFpp(life.fresh(probes), probes);
        }
    }

    private void inBatches(int round) {
        long keys = quotient.capacity();
        long most = keys - keys / 10;
        Rounds timed = life.rounds();
        structure.begin();
        QuotientFilter filter = structure.filter();
        long start = System.nanoTime();
        batches.insert(filter, 0, most);
        long middle = System.nanoTime();
        batches.insert(filter, most, keys);
        long end = System.nanoTime();
        timed.record(BATCHED + "/add", round, (double) (end - start) / keys);
        timed.record(BATCHED + "/addLast", round, (double) (end - middle) / (keys - most));
        for (String kind : new String[] {"present", "absent"}) {
            Keys sequence = kind.equals("absent") ? Keys.absent() : Keys.present(keys);
            long from = life.fresh(lookups);
            timed.time(
                    BATCHED + "/contains." + kind,
                    round,
                    lookups,
                    () -> batches.contains(filter, sequence, from, lookups));
        }
        long tenth = keys / 10;
        timed.time(BATCHED + "/remove", round, tenth, () -> batches.remove(filter, 0, tenth));
        filter.checkInvariants();
        structure.begin();
        QuotientFilter refilled = structure.filter();
        batches.insert(refilled, 0, keys / 2);
        long count = Keys.halvesThatFill(keys);
        long from = life.fresh(count);
        timed.time(
                BATCHED + "/addIfAbsent",
                round,
                count,
                () -> batches.addIfAbsent(refilled, Keys.half(keys / 2), from, count));
        structure.end();
    }

    private void warmUp() {
        int small = Math.min(slots, WarmUp.SLOTS);
        QuotientStructure warm = new QuotientStructure(small, REMAINDER_BITS, load);
        long keys = warm.capacity();
        WarmUp.run(quotient, warm);
        WarmUp.run(life.limit(), limit(small));
        WarmUp.run(peers.get(0), new GuavaBloom(keys, fppAt(load)));
        WarmUp.run(peers.get(1), new FastfilterCuckoo16(small, load));
        WarmUp.run(peers.get(2), new FastutilSet(keys));
        for (int i = 0; i < WARM_UP_LIVES; i++) {
            warm.begin();
            QuotientFilter filter = warm.filter();
            batches.insert(filter, 0, keys);
            batches.contains(filter, Keys.half(keys), life.fresh(keys), keys);
            batches.remove(filter, 0, keys / 2);
            batches.addIfAbsent(filter, Keys.half(keys), life.fresh(keys), keys / 2);
        }
    }

    private void figures() {
        figure("add", Operation.INSERT);
        figure("addLast", Operation.INSERT_LAST);
        figure("contains.present", Operation.PRESENT);
        figure("contains.absent", Operation.ABSENT);
        figure("remove", Operation.REMOVE);
        figure("addIfAbsent", Operation.ADD_IF_ABSENT);
        ratio("Guava", peers.get(0), ">= 2");
        ratio("FastfilterCuckoo", peers.get(1), "");
        ratio("Fastutil", peers.get(2), "");
        ratioToLimit("add", Operation.INSERT);
        ratioToLimit("contains.absent", Operation.ABSENT);
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

    private void ratioToLimit(String name, Operation operation) {
        Spread spread = life.ratioToLimit(quotient.id(), operation.word);
        report.ratio("qf." + name + ".ratioToLimit" + suffix, spread, "one random line", "");
    }

    /** One by one, and in batches. */
    private void figure(String name, Operation operation) {
        Spread single = life.throughput(quotient.id(), operation.word);
        Spread batched = life.throughput(BATCHED, name);
        report.add(
                "qf." + name + ".mops" + suffix,
                single.median(),
                "Mops/s",
                "",
                "one call for each key; " + single);
        report.add(
                "qf." + name + ".batched.mops" + suffix,
                batched.median(),
                "Mops/s",
                "",
                "256 keys per call, including making them; " + batched);
    }

    private void ratio(String name, Contender peer, String goal) {
        String add = Operation.ADD_IF_ABSENT.word;
        Spread single = life.ratio(quotient.id(), peer.id(), add);
        Spread batched = life.ratio(BATCHED, peer.id(), add);
        report.ratio(
                "qf.addIfAbsent.ratioTo" + name + suffix,
                single.median(),
                peer.name(),
                goal,
                "from half full to full, half of the keys are there; %s; peer %.2f"
                        + " Mops/s; in batches %.3g",
                single,
                life.throughput(peer.id(), add).median(),
                batched.median());
    }
}
