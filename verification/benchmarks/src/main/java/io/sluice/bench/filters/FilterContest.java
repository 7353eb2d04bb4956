/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.rate.Contender;
import io.sluice.bench.rate.Life;
import io.sluice.bench.rate.Life.Operation;
import io.sluice.bench.rate.RemovableContender;
import io.sluice.bench.rate.Structure;
import io.sluice.bench.rate.WarmUp;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs every structure through the same {@link Life}, one after another, several times. Only one is
 * in memory at a time, beside the limit.
 */
final class FilterContest {
    private final Plan plan;
    private final BenchReport report;
    private final Life life;

    FilterContest(Plan plan, BenchReport report) {
        this.plan = plan;
        this.report = report;
        this.life = new Life(Entrants.limit(plan.slots()), plan.lookups());
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
        all.add(life.limit());
        structures.forEach(structure -> all.add(Contender.of(structure)));
        warmUp(all, structures);
        Map<String, Double> fpp = new HashMap<>();
        Map<String, Double> bits = new HashMap<>();
        for (int round = 1; round <= plan.rounds(); round++) {
            report.progress("    round " + round + " of " + plan.rounds());
            for (Contender contender : all) {
                life.live(
                        contender,
                        round,
                        () -> {
                            bits.put(contender.id(), contender.bitsPerKey());
                            fpp.computeIfAbsent(contender.id(), id -> measuredFpp(contender));
                        });
            }
        }
        return all.stream()
                .map(contender -> row(contender, bits.get(contender.id()), fpp.get(contender.id())))
                .toList();
    }

    private double measuredFpp(Contender contender) {
        return contender.measuredFpp(life.fresh(plan.fppProbes()), plan.fppProbes());
    }

    private void warmUp(List<Contender> all, List<Structure> structures) {
        report.progress("    warming up");
        int slots = Math.min(plan.slots(), WarmUp.SLOTS);
        WarmUp.run(life.limit(), Entrants.limit(slots));
        List<Structure> small = Entrants.like(structures, slots);
        for (int i = 0; i < small.size(); i++) {
            WarmUp.run(all.get(i + 1), small.get(i));
        }
    }

    /**
     * Ratio of the throughputs of two structures, by id, for operations that both did. After the
     * run.
     */
    Spread ratio(String id, String toId, Operation operation) {
        return life.ratio(id, toId, operation.word);
    }

    private Row row(Contender contender, double bitsPerKey, double fpp) {
        Map<Operation, Spread> mops = new EnumMap<>(Operation.class);
        Map<Operation, Spread> ratios = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            if (operation != Operation.REMOVE || contender instanceof RemovableContender) {
                mops.put(operation, life.throughput(contender.id(), operation.word));
                ratios.put(operation, life.ratioToLimit(contender.id(), operation.word));
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
}
