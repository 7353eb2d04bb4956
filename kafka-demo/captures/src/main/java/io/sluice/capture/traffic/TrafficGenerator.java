/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.CaptureWriter;
import io.sluice.capture.Packet;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Generates traffic: flows of which the truth is known. Each flow begins at its time, has its own
 * size and duration, and ends according to its fate. The options decide what the capture sees of a
 * flow: what lies between its beginning and end, one direction or both, without lost packets.
 * Scans, SYN floods and packets with illegal flags are added. Raw IP, headers only, nanoseconds.
 *
 * <p>For a load rather than a truth, {@link LoadGenerator} makes exactly the requested number of
 * packets, at a steady rate.
 *
 * <p>Memory holds the flows under way and eight bytes for each source; equal options give equal
 * bytes, everywhere. Use once, from one thread.
 */
public final class TrafficGenerator {
    /** Attacks begin in the first half of the capture, and last up to half of its duration. */
    private static final double ATTACK_PART = 0.5;

    /** Receives every flow that the capture has a packet of, after its last packet. */
    @FunctionalInterface
    public interface FlowListener {
        /** Receives a flow, which may be overwritten after the call. */
        void ended(SeenFlow flow) throws IOException;
    }

    private final TrafficOptions options;
    private final FlowListener listener;
    private final SplitMix64 random;
    private final TrafficFactory factory;
    private final HeaderWriter headers;
    private final FlowScript script;
    private final TrafficCounter counter;
    private final List<TrafficSource> sources = new ArrayList<>();
    private final PriorityQueue<TrafficFlow> underWay = new PriorityQueue<>();
    private final List<TrafficFlow> free = new ArrayList<>();
    private final SeenFlow seen;
    private final long startNanos;
    private final long endNanos;
    private long flowsBegun;

    private TrafficGenerator(TrafficOptions options, FlowListener listener) {
        this.options = options;
        this.listener = listener;
        random = new SplitMix64(SplitMix64.mix(options.seed()));
        factory = new TrafficFactory(options, random);
        headers = new HeaderWriter(random);
        script = new FlowScript(random, headers);
        counter = new TrafficCounter(options);
        startNanos = options.start().getEpochSecond() * 1_000_000_000L;
        endNanos = options.duration().toNanos();
        seen = new SeenFlow(startNanos);
    }

    /**
     * Writes a capture to {@code target}, compressed if its name ends in {@code .gz}, and shows its
     * flows to {@code listener}. The file appears when it is complete.
     *
     * @throws IOException if it cannot be written; nothing is left of it then
     */
    public static TrafficTruth write(TrafficOptions options, Path target, FlowListener listener)
            throws IOException {
        TrafficGenerator generator = new TrafficGenerator(options, listener);
        SyntheticCapture.write(target, generator::run);
        return generator.counter.truth();
    }

    /** Writes a capture, uncompressed, to {@code out}, which is closed. */
    public static TrafficTruth write(
            TrafficOptions options, OutputStream out, FlowListener listener) throws IOException {
        TrafficGenerator generator = new TrafficGenerator(options, listener);
        SyntheticCapture.write(out, generator::run);
        return generator.counter.truth();
    }

    private void run(CaptureWriter writer) throws IOException {
        addSources();
        long midstream = Math.round(options.flows() * options.view().midstreamShare());
        for (long i = 0; i < midstream; i++) {
            TrafficFlow flow = place();
            factory.makeMidstream(flow, flowsBegun++);
            underWay.add(flow);
        }
        while (true) {
            TrafficSource next = earliestSource();
            long begin = next.peek();
            TrafficFlow flow = underWay.peek();
            if (flow != null && flow.nextNanos < begin) {
                underWay.remove();
                step(flow, writer);
            } else if (begin < Long.MAX_VALUE) {
                TrafficFlow begun = place();
                next.begin(begun, flowsBegun++);
                underWay.add(begun);
            } else {
                return;
            }
        }
    }

    private void addSources() {
        addSource(options.flows(), 0, 1, factory::makeOrdinary);
        TrafficOptions.Attacks attacks = options.attacks();
        for (int scan = 0; scan < attacks.scans(); scan++) {
            String kind = TrafficFactory.isOfPorts(scan) ? "scan-ports" : "scan-hosts";
            int number = counter.addAttack(kind, factory.scanner(scan));
            addAttack(attacks.probesPerScan(), factory.probes(scan, number));
        }
        for (int flood = 0; flood < attacks.floods(); flood++) {
            int number = counter.addAttack("syn-flood", factory.flooded(flood));
            addAttack(attacks.packetsPerFlood(), factory.flood(flood, number));
        }
        addSource(attacks.illegalPackets(), 0, 1, factory::makeIllegal);
    }

    private void addAttack(int flows, TrafficSource.Maker maker) {
        double from = random.nextDouble() * ATTACK_PART;
        addSource(flows, from, from + (1 - random.nextDouble()) * ATTACK_PART, maker);
    }

    /** Adds a source of {@code flows} flows within a part of the capture's duration. */
    private void addSource(long flows, double from, double to, TrafficSource.Maker maker) {
        Arrivals arrivals = new Arrivals(random, flows, from * endNanos, to * endNanos);
        sources.add(new TrafficSource(arrivals, maker));
    }

    private TrafficSource earliestSource() {
        TrafficSource earliest = sources.get(0);
        for (int i = 1; i < sources.size(); i++) {
            if (sources.get(i).peek() < earliest.peek()) {
                earliest = sources.get(i);
            }
        }
        return earliest;
    }

    /** Handles the next packet of {@code flow}, after which the flow continues or ends. */
    private void step(TrafficFlow flow, CaptureWriter writer) throws IOException {
        boolean again = flow.repeat;
        if (again) {
            script.writeAgain(flow);
        } else {
            script.writeRepeatable(flow);
        }
        if (flow.nextNanos >= 0) {
            capture(flow, again, writer);
        }
        double repeatedShare = options.view().repeatedShare();
        flow.repeat =
                !again
                        && flow.protocol == Packet.TCP
                        && flow.fate != Fate.UNANSWERED
                        && repeatedShare > 0
                        && random.nextDouble() < repeatedShare;
        if (flow.isDone() && !flow.repeat) {
            end(flow);
            return;
        }
        flow.nextNanos += Math.min(script.gapNanos(flow), endNanos);
        if (flow.nextNanos < endNanos) {
            underWay.add(flow);
        } else {
            end(flow);
        }
    }

    private void capture(TrafficFlow flow, boolean again, CaptureWriter writer) throws IOException {
        double lossShare = options.view().lossShare();
        if (flow.isHidden(headers.isFromClient())) {
            counter.hiddenPacket();
        } else if (lossShare > 0 && random.nextDouble() < lossShare) {
            counter.lostPacket();
        } else {
            long nanos = startNanos + flow.nextNanos;
            writer.write(nanos, headers.data(), headers.length(), headers.wireLength());
            flow.seen(
                    flow.nextNanos,
                    headers.isFromClient(),
                    headers.tcpFlags(),
                    headers.wireLength());
            counter.packet(flow, headers, nanos, again);
        }
    }

    private void end(TrafficFlow flow) throws IOException {
        counter.end(flow);
        if (flow.isSeen()) {
            listener.ended(seen.of(flow));
        }
        free.add(flow);
    }

    private TrafficFlow place() {
        return free.isEmpty() ? new TrafficFlow() : free.remove(free.size() - 1);
    }
}
