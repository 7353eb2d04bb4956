/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.RemovableContender;
import io.sluice.bench.rate.Rounds;
import io.sluice.bench.rate.Structure;
import io.sluice.bench.rate.WarmUp;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Runs every structure through the same life, one after another, several times: filled, looked up,
 * emptied by a tenth, and refilled by add-if-absent. Only one is in memory at a time, beside the
 * limit, which does a little of the same immediately before each timed operation: so both sides of
 * a ratio are measured within a second or two, whatever the machine does in the next minute.
 */
final class FilterContest {
    private static final String LIMIT = "/limit";

    private final Plan plan;
    private final BenchReport report;
    private final Rounds timed = new Rounds();
    private final Contender limit;

    /** Numbers of keys that were not looked up yet. */
    private long next;

    FilterContest(Plan plan, BenchReport report) {
        this.plan = plan;
        this.report = report;
        this.limit = Contender.of(Entrants.limit(plan.slots()));
    }

    /**
     * The amount of work.
     *
     * @param slots of the structures with slots
     * @param lookups per round and kind of lookup, and operations of the limit
     * @param fppProbes absent keys that measure the error, once
     */
    record Plan(int slots, int rounds, int lookups, int fppProbes) {}

    /**
     * What was measured about one structure.
     *
     * @param mops millions of operations per second; absent for what it cannot do
     * @param ratioToLimit throughput over that of one random line
     */
    record Row(
            String id,
            String name,
            long keys,
            double bitsPerKey,
            double fpp,
            Map<Operation, Spread> mops,
            Map<Operation, Spread> ratioToLimit) {}

    /** The limit first, then {@code structures} in order. */
    List<Row> run(List<Structure> structures) {
        List<Contender> all = new ArrayList<>();
        all.add(limit);
        structures.forEach(structure -> all.add(Contender.of(structure)));
        warmUp(all, structures);
        Map<String, Double> fpp = new HashMap<>();
        Map<String, Double> bits = new HashMap<>();
        for (int round = 1; round <= plan.rounds(); round++) {
            report.progress("    round " + round + " of " + plan.rounds());
            for (Contender contender : all) {
                // Keeps the garbage of the previous one from being collected while this one is
                // timed.
                System.gc();
                fill(contender, round);
                bits.put(contender.id(), contender.bitsPerKey());
                if (round == 1) {
                    fpp.put(
                            contender.id(),
                            contender.measuredFpp(fresh(plan.fppProbes()), plan.fppProbes()));
                }
                ask(contender, round);
                remove(contender, round);
                refill(contender, round);
                contender.structure().end();
            }
        }
        return all.stream()
                .map(contender -> row(contender, bits.get(contender.id()), fpp.get(contender.id())))
                .toList();
    }

    private void warmUp(List<Contender> all, List<Structure> structures) {
        report.progress("    warming up");
        int slots = Math.min(plan.slots(), WarmUp.SLOTS);
        WarmUp.run(limit, Entrants.limit(slots));
        List<Structure> small = Entrants.like(structures, slots);
        for (int i = 0; i < small.size(); i++) {
            WarmUp.run(all.get(i + 1), small.get(i));
        }
    }

    private void fill(Contender contender, int round) {
        contender.structure().begin();
        long keys = contender.capacity();
        long most = keys - keys / 10;
        pulse(contender, Operation.INSERT, round, () -> limit.insert(0, plan.lookups()));
        long start = System.nanoTime();
        contender.insert(0, most);
        long middle = System.nanoTime();
        pulse(contender, Operation.INSERT_LAST, round, () -> limit.insert(0, plan.lookups()));
        long again = System.nanoTime();
        contender.insert(most, keys);
        long last = System.nanoTime() - again;
        timed.record(
                name(contender, Operation.INSERT), round, (double) (middle - start + last) / keys);
        timed.record(name(contender, Operation.INSERT_LAST), round, (double) last / (keys - most));
    }

    private void ask(Contender contender, int round) {
        ask(contender, Operation.PRESENT, Keys.present(contender.capacity()), round);
        ask(contender, Operation.ABSENT, Keys.absent(), round);
    }

    private void ask(Contender contender, Operation operation, Keys keys, int round) {
        long from = fresh(plan.lookups());
        pulse(contender, operation, round, () -> limit.contains(keys, from, plan.lookups()));
        time(
                contender,
                operation,
                round,
                plan.lookups(),
                () -> contender.contains(keys, from, plan.lookups()));
    }

    private void remove(Contender contender, int round) {
        if (contender instanceof RemovableContender removable) {
            RemovableContender limitRemoves = (RemovableContender) limit;
            long count = Math.max(1, contender.capacity() / 10);
            pulse(contender, Operation.REMOVE, round, () -> limitRemoves.remove(0, plan.lookups()));
            time(contender, Operation.REMOVE, round, count, () -> removable.remove(0, count));
        }
    }

    private void refill(Contender contender, int round) {
        contender.structure().begin();
        long half = contender.capacity() / 2;
        contender.insert(0, half);
        Keys keys = Keys.half(half);
        long count = Keys.halvesThatFill(contender.capacity());
        long from = fresh(count);
        pulse(
                contender,
                Operation.ADD_IF_ABSENT,
                round,
                () -> limit.addIfAbsent(keys, from, plan.lookups()));
        time(
                contender,
                Operation.ADD_IF_ABSENT,
                round,
                count,
                () -> contender.addIfAbsent(keys, from, count));
    }

    /** Times the limit immediately before {@code contender} does {@code operation}. */
    private void pulse(
            Contender contender, Operation operation, int round, LongSupplier operations) {
        timed.time(name(contender, operation) + LIMIT, round, plan.lookups(), operations);
    }

    private void time(
            Contender contender,
            Operation operation,
            int round,
            long count,
            LongSupplier operations) {
        timed.time(name(contender, operation), round, count, operations);
    }

    private static String name(Contender contender, Operation operation) {
        return name(contender.id(), operation);
    }

    private static String name(String id, Operation operation) {
        return id + "/" + operation.word;
    }

    /**
     * Ratio of the throughputs of two structures, by id, for operations that both did. After the
     * run.
     */
    Spread ratio(String id, String toId, Operation operation) {
        return timed.ratio(name(id, operation), name(toId, operation));
    }

    private Row row(Contender contender, double bitsPerKey, double fpp) {
        Map<Operation, Spread> mops = new EnumMap<>(Operation.class);
        Map<Operation, Spread> ratios = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            if (operation != Operation.REMOVE || contender instanceof RemovableContender) {
                String name = name(contender, operation);
                mops.put(operation, timed.throughput(name));
                ratios.put(operation, timed.ratio(name, name + LIMIT));
            }
        }
        return new Row(
                contender.id(),
                contender.name(),
                contender.capacity(),
                bitsPerKey,
                fpp,
                mops,
                ratios);
    }

    private long fresh(long count) {
        long from = next;
        next += count;
        return from;
    }
}
