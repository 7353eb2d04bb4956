/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import io.sluice.capture.Packet;

/** Decides what the next packet of a flow is, and how long after it the following one comes. */
final class FlowScript {
    private static final double HALF_ROUND_TRIP_NANOS = 20e6;
    private static final double REPEAT_NANOS = 200e6;

    /**
     * How long the first SYN waits for an answer; each further one waits twice as long (RFC 6298).
     */
    private static final long SYN_TIMEOUT_NANOS = 1_000_000_000L;

    private final SplitMix64 random;
    private final HeaderWriter headers;

    FlowScript(SplitMix64 random, HeaderWriter headers) {
        this.random = random;
        this.headers = headers;
    }

    /** Writes the next packet of {@code flow}, and advances the flow by one. */
    void writeNext(SyntheticFlow flow) {
        if (flow.protocol == Packet.TCP) {
            writeSegment(flow);
        } else {
            headers.writeDatagram(flow);
        }
        flow.sent++;
    }

    /** Like {@link #writeNext}, and a segment can be written again. */
    void writeRepeatable(TrafficFlow flow) {
        flow.clientSequenceBefore = flow.clientSequence;
        flow.serverSequenceBefore = flow.serverSequence;
        writeNext(flow);
        flow.repeatFlags = headers.tcpFlags();
        flow.repeatFromClient = headers.isFromClient();
        flow.repeatPayload = headers.wireLength() - headers.length();
    }

    /** Writes the previous packet again. */
    void writeAgain(TrafficFlow flow) {
        flow.clientSequence = flow.clientSequenceBefore;
        flow.serverSequence = flow.serverSequenceBefore;
        headers.writeSegment(flow, flow.repeatFromClient, flow.repeatFlags, flow.repeatPayload);
    }

    private void writeSegment(SyntheticFlow flow) {
        boolean first = flow.sent == 0;
        switch (flow.fate) {
            case ILLEGAL -> headers.writeSegment(flow, true, flow.illegalFlags, 0);
            case UNANSWERED -> {
                // Each SYN repeats the first one.
                flow.clientSequence -= first ? 0 : 1;
                headers.writeSegment(flow, true, Packet.SYN, 0);
            }
            case REJECTED ->
                    headers.writeSegment(
                            flow, first, first ? Packet.SYN : Packet.RST | Packet.ACK, 0);
            case HALF_OPEN -> {
                boolean last = flow.sent == 2;
                int answer = last ? Packet.RST : Packet.SYN | Packet.ACK;
                headers.writeSegment(flow, first || last, first ? Packet.SYN : answer, 0);
            }
            default -> writeConnection(flow);
        }
    }

    private void writeConnection(SyntheticFlow flow) {
        long left = flow.packets - flow.sent;
        if (flow.sent == 0) {
            headers.writeSegment(flow, true, Packet.SYN, 0);
        } else if (flow.sent == 1) {
            headers.writeSegment(flow, false, Packet.SYN | Packet.ACK, 0);
        } else if (flow.sent == 2) {
            headers.writeSegment(flow, true, Packet.ACK, 0);
        } else if (flow.fate == Fate.RST && left == 1) {
            headers.writeSegment(flow, random.nextInt(2) == 0, Packet.RST | Packet.ACK, 0);
        } else if (flow.fate == Fate.FIN && left <= 3) {
            int flags = left == 1 ? Packet.ACK : Packet.FIN | Packet.ACK;
            headers.writeSegment(flow, left != 2, flags, 0);
        } else if (flow.fate == Fate.FIN_AND_RST && left <= 2) {
            int flags = left == 2 ? Packet.FIN | Packet.ACK : Packet.RST | Packet.ACK;
            headers.writeSegment(flow, left == 2, flags, 0);
        } else {
            headers.writeData(flow);
        }
    }

    /** Nanoseconds from the packet just written to the next one of the flow. */
    long gapNanos(TrafficFlow flow) {
        if (flow.repeat) {
            return (long) (random.nextExponential() * REPEAT_NANOS);
        }
        if (flow.fate == Fate.UNANSWERED && flow.protocol == Packet.TCP) {
            return SYN_TIMEOUT_NANOS << (flow.sent - 1);
        }
        boolean handshake =
                flow.protocol == Packet.TCP && flow.sent < HeaderWriter.HANDSHAKE_PACKETS;
        double mean = handshake ? HALF_ROUND_TRIP_NANOS : flow.meanGapNanos;
        return (long) (random.nextExponential() * mean);
    }
}
