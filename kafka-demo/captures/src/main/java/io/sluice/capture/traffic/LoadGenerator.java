/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.CaptureWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Generates a load: exactly as many packets as asked for, at a steady rate, like those of CAIDA's
 * backbone monitors: raw IP, headers only, nanoseconds, many short flows and a few very long ones.
 * What happens to the flows is not known; {@link TrafficGenerator} makes flows with a truth.
 *
 * <p>Packets are a Poisson process. Each belongs to a new flow or to a random open one, decided by
 * selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S), so that there
 * are exactly as many flows as requested. Some flows are open at the start, and some at the end, as
 * in a capture that begins and ends at an arbitrary time. Two flows may share a 5-tuple by chance.
 * Memory holds the open flows, at most about a tenth of all; equal options give equal bytes,
 * everywhere.
 */
public final class LoadGenerator {
    private static final double FIN_SHARE = 0.65;
    private static final double RST_SHARE = 0.12;

    /** A step through the client ports that visits all before it repeats one. */
    private static final long PORT_STEP = 40503;

    private static final int MAX_OPEN_AT_START = 1 << 16;

    /** Packets for each flow open at the start, so that none of them stays unseen. */
    private static final int PACKETS_PER_OPEN_FLOW = 20;

    private final LoadOptions options;
    private final SplitMix64 random;
    private final FlowSampler sampler;
    private final HeaderWriter headers;
    private final FlowScript script;
    private SyntheticFlow[] flows = new SyntheticFlow[1024];
    private int open;
    private long flowsToBegin;
    private long flowsBegun;

    private LoadGenerator(LoadOptions options) {
        this.options = options;
        random = new SplitMix64(SplitMix64.mix(options.seed()));
        ParetoSampler sizes =
                new ParetoSampler(
                        TrafficOptions.DEFAULT_PARETO_SHAPE,
                        (double) options.packets() / options.flows(),
                        TrafficOptions.DEFAULT_MAX_PACKETS);
        TrafficOptions.Hosts hosts = TrafficOptions.Hosts.of(options.flows(), options.ipv6Share());
        sampler = new FlowSampler(hosts, options.flows(), sizes, random);
        headers = new HeaderWriter(random);
        script = new FlowScript(random, headers);
    }

    /**
     * Writes a capture to {@code target}, compressed if its name ends in {@code .gz}. The file
     * appears when it is complete.
     *
     * @throws IOException if it cannot be written; nothing is left of it then
     */
    public static void write(LoadOptions options, Path target) throws IOException {
        SyntheticCapture.write(target, new LoadGenerator(options)::run);
    }

    /** Writes a capture, uncompressed, to {@code out}, which is closed. */
    public static void write(LoadOptions options, OutputStream out) throws IOException {
        SyntheticCapture.write(out, new LoadGenerator(options)::run);
    }

    private void run(CaptureWriter writer) throws IOException {
        long packets = options.packets();
        long openAtStart =
                Math.min(
                        Math.min(options.flows() / 10, MAX_OPEN_AT_START),
                        (packets - options.flows()) / PACKETS_PER_OPEN_FLOW);
        flowsToBegin = options.flows() - openAtStart;
        for (long i = 0; i < openAtStart; i++) {
            begin(place(), HeaderWriter.HANDSHAKE_PACKETS);
        }
        double meanGapNanos = (double) options.duration().toNanos() / packets;
        long startNanos = TrafficOptions.DEFAULT_START.getEpochSecond() * 1_000_000_000L;
        double elapsedNanos = 0;
        for (long left = packets; left > 0; left--) {
            elapsedNanos += random.nextExponential() * meanGapNanos;
            int index = pick(left);
            SyntheticFlow flow = flows[index];
            script.writeNext(flow);
            writer.write(
                    startNanos + (long) elapsedNanos,
                    headers.data(),
                    headers.length(),
                    headers.wireLength());
            if (flow.isDone() && (open > 1 || flowsToBegin > 0)) {
                flows[index] = flows[--open];
                flows[open] = flow;
            } else if (flow.isDone()) {
                // The last flow grows beyond its size rather than leave packets without a flow.
                flow.fate = Fate.STOPPED;
            }
        }
    }

    /** The flow that the next packet belongs to, when {@code left} packets are left. */
    private int pick(long left) {
        if (open == 0 || random.nextDouble() * left < flowsToBegin) {
            begin(place(), 0);
            flowsToBegin--;
            return open - 1;
        }
        return random.nextInt(open);
    }

    /**
     * Begins a flow.
     *
     * @param before how many of its packets were sent before the capture
     */
    private void begin(SyntheticFlow flow, int before) {
        boolean ipv6 = sampler.isIpv6();
        int client = sampler.client();
        sampler.addresses().assign(flow, ipv6, client, sampler.server());
        sampler.protocolOf(flow);
        long port = flowsBegun++ * PORT_STEP % FlowSampler.CLIENT_PORTS;
        flow.clientPort = FlowSampler.FIRST_CLIENT_PORT + (int) port;
        Fate ending = ending();
        flow.packets = before + sampler.size();
        flow.fate = flow.packets == Fate.REJECTED.leastPackets() ? Fate.REJECTED : ending;
        flow.sent = before;
        sampler.numbersOf(flow);
    }

    private Fate ending() {
        double draw = random.nextDouble();
        if (draw < FIN_SHARE) {
            return Fate.FIN;
        }
        return draw < FIN_SHARE + RST_SHARE ? Fate.RST : Fate.STOPPED;
    }

    /** An object for one more open flow; objects of finished flows are reused. */
    private SyntheticFlow place() {
        if (open == flows.length) {
            flows = Arrays.copyOf(flows, 2 * open);
        }
        if (flows[open] == null) {
            flows[open] = new SyntheticFlow();
        }
        return flows[open++];
    }
}
