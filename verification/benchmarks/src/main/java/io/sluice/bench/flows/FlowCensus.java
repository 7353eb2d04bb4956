/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.filter.keyvalue.KeyValueModel;
import io.sluice.filter.keyvalue.KeyValueSizing;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.FlowTracker;
import io.sluice.flink.flow.IdleClass;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The counts of one capture: TCP packets by flags, and flows by an exact store and by a kBF side by
 * side. Flows are distinguished only by their endpoints and do not time out, as in tools that list
 * conversations.
 */
final class FlowCensus {
    private static final int BITS_PER_FLOW = 64;

    /** Generations are sized for the existing flows, but at least for this many. */
    private static final long MIN_FLOWS = 64;

    /** Standard errors by which a random count may be off. */
    private static final double SIGMAS = 5;

    /** Number of loads, between none and the peak, at which the model is evaluated. */
    private static final int STEPS = 16;

    private static final double MIN_LOAD = 1e-6;

    /** Packets between two checks of the number of flows. */
    private static final int LOOK_EVERY = 64;

    /** Always allowed, because small counts are skewed. */
    private static final double FREE = 2;

    private static final KeyValueGenerations GENERATIONS =
            new KeyValueGenerations(BITS_PER_FLOW, 0, Storage.HEAP, IdleClass.frequencies());

    private final FlowCounts exactCounts = new FlowCounts();
    private final FlowCounts approximateCounts = new FlowCounts();
    private double falsePositives;
    private double ambiguous;
    private long packets;
    private long syn;
    private long fin;
    private long rst;

    private FlowCensus() {}

    static FlowCensus of(Path capture) throws IOException {
        FlowCensus census = new FlowCensus();
        FlowTimeouts timeouts = FlowTimeouts.DEFAULT;
        StoreMemory memory = StoreMemory.unlimited();
        FlowTracker exact = tracker(new ExactStore(timeouts.states(), memory), census.exactCounts);
        FlowPeaks peaks = new FlowPeaks();
        follow(capture, exact, census, () -> peaks.look(exact.store()));
        peaks.look(exact.store());
        long flows = Math.max(MIN_FLOWS, census.exactCounts.began());
        census.predict(peaks, flows);
        StateStore store = new GenerationalStore(GENERATIONS, timeouts.states(), memory, flows);
        follow(capture, tracker(store, census.approximateCounts), new FlowCensus(), () -> {});
        return census;
    }

    private static void follow(
            Path capture, FlowTracker tracker, FlowCensus census, Runnable fromTimeToTime)
            throws IOException {
        FlowPackets flowPackets = new FlowPackets();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                Packet packet = reader.packet();
                if (packet.hasTcpFlags()) {
                    // The same time for all, so that nothing times out.
                    tracker.follow(
                            flowPackets.hash(packet),
                            FlowPackets.isFromLower(packet),
                            packet.tcpFlags(),
                            0);
                    census.count(packet.tcpFlags());
                    if (census.packets % LOOK_EVERY == 0) {
                        fromTimeToTime.run();
                    }
                }
            }
        }
    }

    private static FlowTracker tracker(StateStore store, FlowCounts counts) {
        return new FlowTracker(PacketTrace.MACHINE, store, counts, FlowTracker.TimedOut.IGNORE);
    }

    private void count(int flags) {
        packets++;
        syn += (flags & Packet.SYN) != 0 ? 1 : 0;
        fin += (flags & Packet.FIN) != 0 ? 1 : 0;
        rst += (flags & Packet.RST) != 0 ? 1 : 0;
    }

    /** A count, by its name in tables of truth. */
    long exact(String count) {
        return get(count, exactCounts);
    }

    /** The kBF's count. */
    long approximate(String count) {
        return get(count, approximateCounts);
    }

    private long get(String count, FlowCounts counts) {
        return switch (count) {
            case "tcp_packets" -> packets;
            case "syn_any" -> syn;
            case "fin" -> fin;
            case "rst" -> rst;
            case "tuples_bidir" -> counts.began();
            case "tuples_bidir_with_fin_and_rst" -> counts.finAndRst();
            default -> throw new IllegalArgumentException("no count " + count);
        };
    }

    /**
     * How far the kBF may be off, by the model of its generations while they fill. A new flow is
     * missed if a generation takes it for a held one; a later event of a flow is missed if a
     * generation cannot tell its state. Adds five standard errors.
     */
    double allowed(String count) {
        double missed = exactCounts.began() * falsePositives;
        double expected =
                switch (count) {
                    case "tuples_bidir" -> missed;
                    case "tuples_bidir_with_fin_and_rst" ->
                            missed + exactCounts.finAndRst() * ambiguous;
                    default -> -1;
                };
        return expected < 0 ? 0 : expected + SIGMAS * Math.sqrt(expected) + FREE;
    }

    /** From no flows to the peak of each class, with capacity {@code flows}. */
    private void predict(FlowPeaks peaks, long flows) {
        for (IdleClass of : IdleClass.values()) {
            KeyValueSizing.Plan plan = GENERATIONS.plan(of.code());
            for (int step = 0; step < STEPS; step++) {
                double load = peaks.most(of) * (step + 0.5) / STEPS / flows;
                KeyValueModel model =
                        KeyValueModel.of(
                                plan.code(),
                                plan.probes(),
                                plan.cellsPerKey() / Math.max(load, MIN_LOAD),
                                plan.tagBits(),
                                peaks.shares(of));
                falsePositives += model.falsePositives() / STEPS;
                ambiguous += model.ambiguous() / STEPS;
            }
        }
    }
}
