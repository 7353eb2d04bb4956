/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/**
 * A flow under way: its position in its script, the time of its next packet, and what the capture
 * has seen of it. Ordered by the time of the next packet. Objects are reused for other flows.
 */
final class TrafficFlow extends SyntheticFlow implements Comparable<TrafficFlow> {
    /** Which side the capture does not see. */
    enum Hidden {
        NOBODY,
        CLIENT,
        SERVER
    }

    /** Sequence number, in the order in which flows begin; decides between equal times. */
    long number;

    /** Nanoseconds from the capture's beginning to the next packet. */
    long nextNanos;

    /** Mean time between packets once the connection is established. */
    double meanGapNanos;

    Hidden hidden = Hidden.NOBODY;

    /** The attack that the flow is part of, or -1. */
    int attack;

    /** Whether the next packet repeats the last one. */
    boolean repeat;

    int repeatFlags;
    int repeatPayload;
    boolean repeatFromClient;
    int clientSequenceBefore;
    int serverSequenceBefore;

    /** Whether its first packet came before the capture began. */
    boolean isMidstream;

    long clientPackets;
    long serverPackets;
    long wireBytes;
    int clientFlags;
    int serverFlags;
    long firstSeenNanos;
    long lastSeenNanos;

    /** Clears the previous flow. */
    void reset(long newNumber, long startNanos) {
        number = newNumber;
        nextNanos = startNanos;
        isMidstream = startNanos < 0;
        meanGapNanos = 0;
        fate = Fate.STOPPED;
        hidden = Hidden.NOBODY;
        attack = -1;
        illegalFlags = 0;
        repeat = false;
        packets = 1;
        sent = 0;
        clientPackets = 0;
        serverPackets = 0;
        wireBytes = 0;
        clientFlags = 0;
        serverFlags = 0;
        firstSeenNanos = 0;
        lastSeenNanos = 0;
    }

    boolean isHidden(boolean fromClient) {
        return hidden == (fromClient ? Hidden.CLIENT : Hidden.SERVER);
    }

    boolean isSeen() {
        return clientPackets + serverPackets > 0;
    }

    /** Records that the capture has a packet of it. */
    void seen(long nanos, boolean fromClient, int flags, int bytes) {
        if (!isSeen()) {
            firstSeenNanos = nanos;
        }
        lastSeenNanos = nanos;
        wireBytes += bytes;
        if (fromClient) {
            clientPackets++;
            clientFlags |= flags;
        } else {
            serverPackets++;
            serverFlags |= flags;
        }
    }

    @Override
    public int compareTo(TrafficFlow other) {
        int byTime = Long.compare(nextNanos, other.nextNanos);
        return byTime != 0 ? byTime : Long.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
