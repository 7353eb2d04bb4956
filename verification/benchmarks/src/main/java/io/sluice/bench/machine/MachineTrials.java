/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.machine;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.Rates;
import io.sluice.flink.machine.MachineCounts;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineGroup;
import io.sluice.flink.machine.Machines;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Memory, error and speed of the operator's stores, each as the operator makes it for a stated
 * error: one key group, one thread, without Flink. Keys are hashes already.
 */
final class MachineTrials {

    private static final double ERROR = 1e-4;

    /** Events between two watermarks, and two looks at what is held. */
    private static final int WATERMARK_EVERY = 256;

    /** Of a trace, for each machine that lives at one time. */
    private static final int EVENTS_A_MACHINE = 8;

    /** The share of machines held that live is found with a trace this much smaller. */
    private static final int PROBE = 16;

    private static final int LEAST_LIVE = 1_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final BenchReport report;
    private final int machines;
    private final int rounds;
    private final long seed;
    private final Table table =
            Table.of(
                    ("machine,store,held_at_most,bits_per_machine,predicted_error,error,"
                                    + "millions_per_second")
                            .split(","));
    private final Map<String, List<double[]>> lines = new LinkedHashMap<>();

    MachineTrials(BenchReport report, int machines, int rounds, long seed) {
        this.report = report;
        this.machines = machines;
        this.rounds = rounds;
        this.seed = seed;
    }

    /** How a store is asked for. */
    private record Asked(String name, UnaryOperator<Machines<Long, Long>> options) {}

    /**
     * A pass over a trace.
     *
     * @param wrong events of which the store gave another state, or none
     * @param held the most machines at one time
     * @param bits of each of them then
     * @param predicted by the store then
     */
    private record Pass(
            MachineCounts counts, long wrong, long held, double bits, double predicted) {}

    void run() throws IOException {
        for (MachineWorkload each : MachineWorkload.values()) {
            run(each);
        }
        report.table("machines_stores.csv", table);
        Chart chart =
                Chart.logarithmic(
                        "Error of " + machines + " machines",
                        "bits per machine",
                        "share of events answered wrongly");
        lines.forEach(chart::measured);
        report.add(chart.note("The exact store has no errors; for its memory see the table."));
    }

    private void run(MachineWorkload workload) throws IOException {
        MachineDefinition machine = workload.define();
        EventTrace trace = trace(machine);
        long held = pass(trace, store(trace, exact(), 1)).held();
        report.progress("%s: %,d machines at most, %,d events", workload, held, trace.length());
        Asked fingerprints =
                new Asked(
                        "fingerprints",
                        with -> with.errorProbability(ERROR).store(StoreKind.FINGERPRINTS));
        Pass small = pass(trace, store(trace, fingerprints, held));
        double equal = Math.max(16, small.bits());
        List<Asked> all =
                List.of(
                        exact(),
                        fingerprints,
                        new Asked("kbf", with -> with.errorProbability(ERROR).store(StoreKind.KBF)),
                        new Asked(
                                "kbfSmall",
                                with -> with.store(StoreKind.KBF).bitsPerMachine(equal)));
        Rates<String> rates = new Rates<>();
        Map<String, Pass> last = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            for (Asked each : all) {
                StateStore store = store(trace, each, held);
                long start = THREADS.getCurrentThreadCpuTime();
                Pass pass = pass(trace, store);
                long nanos = THREADS.getCurrentThreadCpuTime() - start;
                last.put(each.name(), pass);
                // The first round warms up.
                if (round > 0) {
                    rates.add(each.name(), 1e3 * trace.length() / nanos);
                }
            }
        }
        last.forEach((name, pass) -> report(workload, trace, name, pass, rates));
    }

    private static Asked exact() {
        return new Asked("exact", with -> with.store(StoreKind.EXACT));
    }

    /** Finished machines may be held too, so fewer live. */
    private EventTrace trace(MachineDefinition machine) {
        int few = Math.max(LEAST_LIVE, machines / PROBE);
        EventTrace probe = EventTrace.of(machine, few, EVENTS_A_MACHINE * few, seed);
        double heldOfOne = (double) pass(probe, store(probe, exact(), 1)).held() / few;
        int live = (int) Math.max(LEAST_LIVE, machines / heldOfOne);
        return EventTrace.of(machine, live, EVENTS_A_MACHINE * live, seed);
    }

    private static StateStore store(EventTrace trace, Asked asked, long expected) {
        Machines<Long, Long> machines =
                asked.options()
                        .apply(
                                Machines.<Long, Long>by(id -> id)
                                        .machine(trace.machine())
                                        .expecting(expected));
        StoreSettings settings = machines.sizing(1, 1).settings();
        return settings.stores(1, StoreMemory.unlimited()).create();
    }

    private static Pass pass(EventTrace trace, StateStore store) {
        MachineCounts counts = new MachineCounts();
        MachineGroup group =
                new MachineGroup(
                        trace.machine(),
                        store,
                        counts,
                        (id, state, millis) -> {},
                        (state, n) -> {});
        long wrong = 0;
        long held = 0;
        long bytes = 0;
        double predicted = 0;
        for (int i = 0; i < trace.length(); i++) {
            long millis = trace.millis(i);
            boolean isFollowed = group.follow(trace.id(i), trace.event(i), millis);
            wrong += isFollowed && group.from() == trace.state(i) ? 0 : 1;
            if (i % WATERMARK_EVERY == 0) {
                group.advance(millis, Long.MAX_VALUE);
                if (store.machines() > held) {
                    held = store.machines();
                    bytes = store.sizeInBytes();
                    predicted = store.predictedError();
                }
            }
        }
        return new Pass(counts, wrong, held, (double) Byte.SIZE * bytes / held, predicted);
    }

    private void report(
            MachineWorkload workload,
            EventTrace trace,
            String store,
            Pass pass,
            Rates<String> rates) {
        double error = (double) pass.wrong() / trace.length();
        double rate = rates.median(store);
        table.add(workload, store, pass.held(), pass.bits(), pass.predicted(), error, rate);
        lines.computeIfAbsent(workload + " " + store, name -> new ArrayList<>())
                .add(new double[] {pass.bits(), error});
        boolean isFingerprints = store.equals("fingerprints");
        String name = "machines." + workload + "." + store;
        report.add(
                name + ".bits",
                pass.bits(),
                "bits",
                isFingerprints ? "<= 32" : "",
                "of each of %d machines, the most that were held at one time",
                pass.held());
        report.add(
                name + ".error",
                error,
                "share",
                isFingerprints ? "<= 0.0001" : "",
                "of %d events; predicted at most %.2e",
                trace.length(),
                pass.predicted());
        report.add(
                new Figure(
                        name + ".perSecond",
                        1e6 * rate,
                        "events/s",
                        "",
                        isFingerprints ? ">= 3000000" : "",
                        String.format(
                                Locale.ROOT,
                                "for each second of a core; in millions %s",
                                rates.of(store))));
        if (store.equals("exact")) {
            report.check(
                    name,
                    pass.wrong() == 0
                            && pass.counts().get(MachineCounts.Of.FINISHED) == trace.finished()
                            && pass.counts().get(MachineCounts.Of.ILLEGAL) == trace.illegal(),
                    "%d states answered wrongly, %d machines finished of %d, %d events illegal of"
                            + " %d",
                    pass.wrong(),
                    pass.counts().get(MachineCounts.Of.FINISHED),
                    trace.finished(),
                    pass.counts().get(MachineCounts.Of.ILLEGAL),
                    trace.illegal());
        } else if (isFingerprints) {
            double most = pass.predicted() * trace.length();
            // Wrong answers come in groups: machines that share a fingerprint meet again.
            double allowed = most + 5 * Math.sqrt(EVENTS_A_MACHINE * Math.max(1, most));
            report.check(
                    name,
                    pass.wrong() <= allowed,
                    "%d events answered wrongly, %.0f allowed by the prediction",
                    pass.wrong(),
                    allowed);
        }
    }
}
