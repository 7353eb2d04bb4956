/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

/**
 * What became of packets and flows, counted. Each packet is followed, or ambiguous, or refused, or
 * without room, or late. Each flow that began ended, timed out, or is held still.
 *
 * <p>Written by one thread; others may read, and see values of a moment ago.
 */
public final class FlowCounts {

    private long packets;
    private long ambiguous;
    private long refused;
    private long withoutRoom;
    private long illegal;
    private long began;
    private long finAndRst;
    private final long[] ended = new long[ConnState.COUNT];
    private final long[] timedOut = new long[ConnState.COUNT];

    /** All packets given. */
    public long packets() {
        return packets;
    }

    /** Packets whose flow's state could not be told: they changed nothing. */
    public long ambiguous() {
        return ambiguous;
    }

    /** Packets whose change of state an approximate store refused. */
    public long refused() {
        return refused;
    }

    /** Packets whose change of state found no room. */
    public long withoutRoom() {
        return withoutRoom;
    }

    /** Packets whose flags contradict each other ({@link TcpFlags#isIllegal}). */
    public long illegal() {
        return illegal;
    }

    /** Flows that began. */
    public long began() {
        return began;
    }

    /** Flows that had a FIN and a RST. */
    public long finAndRst() {
        return finAndRst;
    }

    /** Flows that ended in this way. */
    public long ended(ConnState state) {
        return ended[state.code()];
    }

    /** Flows that ended. */
    public long ended() {
        return sum(ended);
    }

    /** Flows that stood like this when they timed out. */
    public long timedOut(ConnState state) {
        return timedOut[state.code()];
    }

    /** Flows that timed out. */
    public long timedOut() {
        return sum(timedOut);
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    void packet(boolean isIllegal) {
        packets++;
        if (isIllegal) {
            illegal++;
        }
    }

    void countAmbiguous() {
        ambiguous++;
    }

    void countRefused() {
        refused++;
    }

    void countWithoutRoom() {
        withoutRoom++;
    }

    void followed(int transition) {
        if (ConnectionMachine.begins(transition)) {
            began++;
        }
        if (ConnectionMachine.hasBoth(transition)) {
            finAndRst++;
        }
        if (ConnectionMachine.ends(transition)) {
            ended[ConnectionMachine.end(transition).code()]++;
        }
    }

    void timedOut(ConnState state, long count) {
        timedOut[state.code()] += count;
    }
}
