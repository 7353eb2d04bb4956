/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Makes a trace like those of CAIDA's backbone monitors: raw IP, headers only, nanoseconds, many
 * short flows and a few very long ones.
 *
 * <p>Packets are a Poisson process. Each belongs to a new flow or to a random open one, decided by
 * selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S), so that there
 * are exactly as many flows as requested. Some flows are open at the start, and some at the end, as
 * in a capture that begins and ends at an arbitrary time. Two flows may share a 5-tuple by chance.
 * Memory holds the open flows, at most about a tenth of all; equal options give equal bytes,
 * everywhere.
 */
public final class TraceGenerator {
    /** The value in CAIDA's files; the headers are shorter. */
    private static final int SNAP_LENGTH = 65535;

    private static final int MAX_OPEN_AT_START = 1 << 16;

    /** Packets for each flow open at the start, so that none of them stays unseen. */
    private static final int PACKETS_PER_OPEN_FLOW = 20;

    private final TraceOptions options;
    private final SplitMix64 random;
    private final FlowFactory factory;
    private final HeaderWriter headers;
    private SyntheticFlow[] flows = new SyntheticFlow[1024];
    private int open;
    private long flowsToBegin;

    private TraceGenerator(TraceOptions options) {
        this.options = options;
        random = new SplitMix64(SplitMix64.mix(options.seed()));
        factory = new FlowFactory(options, random);
        headers = new HeaderWriter(random);
    }

    /**
     * Writes a trace to {@code target}, compressed if its name ends in {@code .gz}. The file
     * appears when it is complete.
     *
     * @throws IOException if it cannot be written; nothing is left of it then
     */
    public static void write(TraceOptions options, Path target) throws IOException {
        boolean compressed = target.toString().endsWith(".gz");
        AtomicFile.write(
                target,
                out -> {
                    if (compressed) {
                        writeCompressed(options, out);
                    } else {
                        write(options, out);
                    }
                });
    }

    /** Writes a trace, uncompressed, to {@code out}, which is closed. */
    public static void write(TraceOptions options, OutputStream out) throws IOException {
        try (CaptureWriter writer = new CaptureWriter(out, LinkType.RAW, SNAP_LENGTH)) {
            new TraceGenerator(options).run(writer);
        }
    }

    private static void writeCompressed(TraceOptions options, OutputStream out) throws IOException {
        GZIPOutputStream gzip =
                new GZIPOutputStream(new BufferedOutputStream(out)) {
                    {
                        def.setLevel(Deflater.BEST_SPEED);
                    }
                };
        write(options, gzip);
    }

    private void run(CaptureWriter writer) throws IOException {
        long packets = options.packets();
        long openAtStart =
                Math.min(
                        Math.min(options.flows() / 10, MAX_OPEN_AT_START),
                        (packets - options.flows()) / PACKETS_PER_OPEN_FLOW);
        flowsToBegin = options.flows() - openAtStart;
        for (long i = 0; i < openAtStart; i++) {
            factory.beginBefore(place());
        }
        double meanGapNanos = (double) options.duration().toNanos() / packets;
        long startNanos = options.start().getEpochSecond() * 1_000_000_000L;
        double elapsedNanos = 0;
        for (long left = packets; left > 0; left--) {
            elapsedNanos += random.nextExponential() * meanGapNanos;
            int index = pick(left);
            SyntheticFlow flow = flows[index];
            headers.write(flow);
            writer.write(
                    startNanos + (long) elapsedNanos,
                    headers.data(),
                    headers.length(),
                    headers.wireLength());
            // The last flow grows beyond its size rather than leave packets without a flow.
            if (flow.isDone() && (open > 1 || flowsToBegin > 0)) {
                flows[index] = flows[--open];
                flows[open] = flow;
            }
        }
    }

    /** The flow that the next packet belongs to, when {@code left} packets are left. */
    private int pick(long left) {
        if (open == 0 || random.nextDouble() * left < flowsToBegin) {
            factory.begin(place());
            flowsToBegin--;
            return open - 1;
        }
        return random.nextInt(open);
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
