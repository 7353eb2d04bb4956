/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.Rates;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.flow.ConnectionMachine;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.flink.flow.FlowOptions;
import io.sluice.flink.flow.FlowSettings;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.FlowTracker;
import io.sluice.flink.flow.IdleClass;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;

/**
 * Rates from the bytes of a capture to the states of its flows, in one thread and without Flink:
 * reading, decoding headers, hashing, following, timing out. The stores are the operator's, with
 * its timeouts, so flows come and go.
 */
final class CaptureRates {
    private static final int BITS_PER_FLOW = 64;

    /** Packets between two watermarks. */
    private static final int WATERMARK_EVERY = 1024;

    private static final int ROUNDS = 3;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final String READ = "reading alone";
    private static final String EXACT = "exact store";
    private static final String KBF = "kBF store";
    private static final String FINGERPRINTS = "store of fingerprints";

    private final Path capture;
    private final long flows;
    private final Rates<String> millionsPerSecond = new Rates<>();

    private CaptureRates(Path capture, long flows) {
        this.capture = capture;
        this.flows = flows;
    }

    /** Rates for a capture with this many flows. */
    static void run(BenchReport report, Path capture, long flows) throws IOException {
        new CaptureRates(capture, flows).run(report);
    }

    /**
     * A run over the whole capture.
     *
     * @param bitsPerFlow of the store when it held the most flows
     */
    private record Followed(FlowCounts counts, long mostFlows, double bitsPerFlow) {}

    private void run(BenchReport report) throws IOException {
        report.progress(
                "from capture bytes to flow states, %.0f MB, %d rounds",
                Files.size(capture) / 1e6, ROUNDS);
        long packets = read();
        Followed[] last = new Followed[3];
        // The first round warms up.
        for (int round = 0; round <= ROUNDS; round++) {
            boolean counts = round > 0;
            time(READ, counts, packets, this::read);
            time(EXACT, counts, packets, () -> packets(last, 0));
            time(KBF, counts, packets, () -> packets(last, 1));
            time(FINGERPRINTS, counts, packets, () -> packets(last, 2));
        }
        rate(report, KBF, "flows.packetsPerSecondPerCore", ">= 1000000", packets);
        rate(report, EXACT, "flows.exact.packetsPerSecondPerCore", "", packets);
        rate(report, FINGERPRINTS, "flows.fingerprints.packetsPerSecondPerCore", "", packets);
        rate(report, READ, "flows.readOnly.packetsPerSecondPerCore", "", packets);
        bits(report, "flows.kbf.bitsPerFlow", last[1]);
        bits(report, "flows.exact.bitsPerFlow", last[0]);
        bits(report, "flows.fingerprints.bitsPerFlow", last[2]);
    }

    /** Work over the whole capture; returns how many packets it found. */
    @FunctionalInterface
    private interface Pass {
        long run() throws IOException;
    }

    /** Measured by this thread's processor time: the figures are for a core, not for this host. */
    private void time(String name, boolean counts, long packets, Pass pass) throws IOException {
        long start = THREADS.getCurrentThreadCpuTime();
        if (pass.run() < 1) {
            throw new IllegalStateException("the capture has no packets");
        }
        long nanos = THREADS.getCurrentThreadCpuTime() - start;
        if (counts) {
            millionsPerSecond.add(name, 1e3 * packets / nanos);
        }
    }

    private long packets(Followed[] last, int which) throws IOException {
        StoreMemory memory = StoreMemory.unlimited();
        FlowTimeouts timeouts = FlowTimeouts.DEFAULT;
        StateStore store =
                switch (which) {
                    case 0 -> new ExactStore(timeouts.states(), memory);
                    case 1 ->
                            new GenerationalStore(
                                    new KeyValueGenerations(
                                            BITS_PER_FLOW,
                                            0,
                                            Storage.HEAP,
                                            IdleClass.frequencies()),
                                    timeouts.states(),
                                    memory,
                                    Math.max(1, flows / 4));
                    default -> fingerprints(memory);
                };
        last[which] = follow(capture, store);
        return last[which].counts.packets();
    }

    private StateStore fingerprints(StoreMemory memory) {
        Configuration options =
                new Configuration()
                        .set(FlowOptions.STORE, StoreKind.FINGERPRINTS)
                        .set(FlowOptions.EXPECTING, flows);
        return FlowSettings.of(options).stores().stores(1, memory).create();
    }

    private long read() throws IOException {
        long sum = 0;
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                sum++;
            }
        }
        return sum;
    }

    /** What an exact store finds in a capture with the operator's timeouts. */
    static FlowCounts followExactly(Path capture) throws IOException {
        StateStore store = new ExactStore(FlowTimeouts.DEFAULT.states(), StoreMemory.unlimited());
        return follow(capture, store).counts;
    }

    private static Followed follow(Path capture, StateStore store) throws IOException {
        FlowCounts counts = new FlowCounts();
        FlowTracker tracker =
                new FlowTracker(
                        new ConnectionMachine(true), store, counts, FlowTracker.TimedOut.IGNORE);
        FlowPackets flowPackets = new FlowPackets();
        long mostFlows = 0;
        double bits = 0;
        long packets = 0;
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                Packet packet = reader.packet();
                if (!packet.hasTcpFlags()) {
                    continue;
                }
                long millis = FlowPackets.millis(packet);
                tracker.follow(
                        flowPackets.hash(packet),
                        FlowPackets.isFromLower(packet),
                        packet.tcpFlags(),
                        millis);
                if (++packets % WATERMARK_EVERY == 0) {
                    tracker.advance(millis);
                    if (store.machines() > mostFlows) {
                        mostFlows = store.machines();
                        bits = 8.0 * store.sizeInBytes() / mostFlows;
                    }
                }
            }
        }
        return new Followed(counts, mostFlows, bits);
    }

    private void rate(
            BenchReport report, String operation, String figure, String goal, long packets) {
        report.add(
                new Figure(
                        figure,
                        1e6 * millionsPerSecond.median(operation),
                        "packets/s",
                        READ,
                        goal,
                        operation
                                + ", for each second of a core, from an uncompressed capture of "
                                + packets
                                + " packets; in millions "
                                + millionsPerSecond.of(operation)));
    }

    private static void bits(BenchReport report, String name, Followed followed) {
        report.add(
                name,
                followed.bitsPerFlow,
                "bits",
                "",
                "the operator's store, all generations and free slots, when it held "
                        + followed.mostFlows
                        + " flows");
    }
}
