/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficOptions.Hosts;
import io.sluice.capture.traffic.TrafficOptions.View;
import io.sluice.flink.flow.ConnectionMachine;
import io.sluice.flink.flow.FlowStates;
import io.sluice.flink.machine.store.StateStore;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The TCP packets of a capture in memory, each with the exact state of its flow before it: the
 * reference for filters. Flows do not time out, as in the paper.
 */
final class PacketTrace {
    /** Packets of the same endpoints are one flow for ever, so no flow leaves. */
    static final ConnectionMachine MACHINE = new ConnectionMachine(false);

    private static final int MAX_SOURCES = 1 << 22;

    private long[] hashes = new long[1 << 16];
    private byte[] flags = new byte[1 << 16];
    private boolean[] fromLower = new boolean[1 << 16];

    /** A state, or {@link StateStore#ABSENT}. */
    private byte[] before = new byte[1 << 16];

    private final long[] byState = new long[FlowStates.COUNT];
    private int packets;
    private int flows;
    private int finAndRst;

    private PacketTrace() {}

    /** Writes a capture of this many TCP flows, a share of them seen from one side only. */
    static void generate(Path capture, long flows, long seed) throws IOException {
        int sources = (int) Math.max(1, Math.min(MAX_SOURCES, flows / 4));
        TrafficGenerator.write(
                TrafficOptions.builder(flows)
                        .seed(seed)
                        .hosts(new Hosts(sources, 1.1, 0.1, 1))
                        .view(new View(0.02, 0.1, 0.001, 0.01))
                        .build(),
                capture,
                flow -> {});
    }

    static PacketTrace read(Path capture) throws IOException {
        PacketTrace trace = new PacketTrace();
        Long2IntOpenHashMap states = new Long2IntOpenHashMap();
        states.defaultReturnValue(StateStore.ABSENT);
        FlowPackets flowPackets = new FlowPackets();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                Packet packet = reader.packet();
                if (packet.hasTcpFlags()) {
                    trace.add(flowPackets.hash(packet), packet, states);
                }
            }
        }
        states.values().forEach(state -> trace.byState[state]++);
        trace.flows = states.size();
        return trace;
    }

    private void add(long hash, Packet packet, Long2IntOpenHashMap states) {
        if (packets == hashes.length) {
            int larger = packets + packets / 2;
            hashes = Arrays.copyOf(hashes, larger);
            flags = Arrays.copyOf(flags, larger);
            fromLower = Arrays.copyOf(fromLower, larger);
            before = Arrays.copyOf(before, larger);
        }
        hashes[packets] = hash;
        flags[packets] = (byte) packet.tcpFlags();
        fromLower[packets] = FlowPackets.isFromLower(packet);
        before[packets] = (byte) states.get(hash);
        int transition = transition(packets, before[packets]);
        states.put(hash, ConnectionMachine.nextState(transition));
        finAndRst += ConnectionMachine.hasBoth(transition) ? 1 : 0;
        packets++;
    }

    int packets() {
        return packets;
    }

    int flows() {
        return flows;
    }

    /** Flows that had a FIN and a RST. */
    int finAndRst() {
        return finAndRst;
    }

    /** Share of the flows in each state at the end; none is zero, so that all are possible. */
    double[] shares() {
        double[] shares = new double[byState.length];
        for (int i = 0; i < shares.length; i++) {
            shares[i] = (byState[i] + 1.0) / (flows + (double) shares.length);
        }
        return shares;
    }

    long hash(int packet) {
        return hashes[packet];
    }

    /** The state of the flow before the packet, or {@link StateStore#ABSENT}. */
    int before(int packet) {
        return before[packet];
    }

    /** The transition that the packet causes in a flow in {@code state}, which may be absent. */
    int transition(int packet, int state) {
        return MACHINE.transition(
                state == StateStore.ABSENT ? ConnectionMachine.NONE : state,
                fromLower[packet],
                flags[packet]);
    }
}
