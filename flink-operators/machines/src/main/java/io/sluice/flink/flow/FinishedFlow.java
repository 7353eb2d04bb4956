/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.store.WhenFull;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * A flow that is over. Each flow is reported once, whatever fails. A <b>flow</b> is the packets of
 * the same endpoints, up to the end of the connection and what trails behind it, without a pause in
 * which the flow times out ({@link FlowTimeouts}). So a connection that is silent for longer than
 * its timeout is two flows: the first is reported as {@link Reason#TIMED_OUT} in its state at that
 * time, and what comes after the pause as a flow whose beginning was not seen ({@link
 * ConnState#OTH}). A late packet whose flow has timed out by the watermark likewise begins a flow.
 *
 * <p>{@link Reason#END_OF_INPUT} is not an end: it gives a flow's state when the input ended. The
 * operator still holds that flow in the savepoint of a drained job; a job that continues from there
 * reports how the flow really ends, as if the input had not ended in between.
 *
 * <p>Stores know a flow by the hash of its endpoints, so the endpoints are taken from the packet
 * that ended it. A flow that no packet ended has none, with either store, unless totals are kept
 * ({@link FlowStateMachine#totals}): they take about 100 bytes a flow, where the exact store takes
 * 12 a slot, and the key-value filter does not even know which flows timed out, so it emits no
 * record for them. With totals, the endpoints are those of the first packet. Such a flow still has
 * its id, a hash of the endpoints that can be recomputed from the packets.
 *
 * <p>A row: its components are its columns in SQL, and Flink serializes it as any record.
 *
 * @param flow its id, a hash of its endpoints
 * @param state how it ended, or its last state: the name of a {@link ConnState}
 * @param reason why it is reported: the name of a {@link Reason}. Reasons other than {@link
 *     Reason#ENDED} occur only with an exact store and in BATCH execution
 * @param millis event time of the packet that ended it, or the end of its timeout
 * @param originator the address of the side that began; for an {@link ConnState#OTH} flow, whose
 *     beginning was not seen, of the sender of its last packet, and with totals of its first one.
 *     Null if no packet ended it and there are no totals, or if {@link TcpView#endpoints} does not
 *     know
 * @param originatorPort -1 if {@code originator} is null
 * @param responder the address of the other side, null if {@code originator} is
 * @param responderPort -1 if {@code originator} is null
 * @param vlan the outermost VLAN of the packet that the endpoints are taken from; 0 if there is
 *     none, or if {@code originator} is null
 * @param innerVlan the innermost VLAN of that packet if there is more than one; otherwise 0
 * @param firstMillis event time of its first packet; -1, as all that follow, if no totals were kept
 *     ({@link FlowStateMachine#totals}), or if there was no room for them
 * @param lastMillis event time of its last packet
 * @param originatorPackets packets that the originator sent
 * @param originatorBytes bytes that the originator sent, as {@link TcpView#bytes} counts them
 * @param responderPackets packets that the responder sent
 * @param responderBytes bytes that the responder sent
 */
@Experimental
public record FinishedFlow(
        long flow,
        String state,
        String reason,
        long millis,
        @Nullable String originator,
        int originatorPort,
        @Nullable String responder,
        int responderPort,
        int vlan,
        int innerVlan,
        long firstMillis,
        long lastMillis,
        long originatorPackets,
        long originatorBytes,
        long responderPackets,
        long responderBytes) {

    private static final int NO_PORT = -1;
    private static final long NO_TOTAL = -1;

    public FinishedFlow {
        requireNonNull(state, "state");
        requireNonNull(reason, "reason");
    }

    /**
     * Returns the row of a flow.
     *
     * @param ends the originator and the responder; null if not known
     */
    public static FinishedFlow of(
            long flow, ConnState state, Reason reason, long millis, @Nullable Endpoints ends) {
        return of(flow, state, reason, millis, ends, null);
    }

    /**
     * Returns the row of a flow with its totals.
     *
     * @param packetEnds the originator and the responder of the packet that ended it; null if none
     *     did, or if they are not known
     * @param totals null if not known; their ends take precedence
     */
    public static FinishedFlow of(
            long flow,
            ConnState state,
            Reason reason,
            long millis,
            @Nullable Endpoints packetEnds,
            @Nullable FlowTotals totals) {
        Endpoints ends = totals == null || totals.ends() == null ? packetEnds : totals.ends();
        return new FinishedFlow(
                flow,
                state.name(),
                reason.name(),
                millis,
                ends == null ? null : ends.from().toString(),
                ends == null ? NO_PORT : ends.fromPort(),
                ends == null ? null : ends.to().toString(),
                ends == null ? NO_PORT : ends.toPort(),
                ends == null ? Endpoints.NO_VLAN : ends.vlan(),
                ends == null ? Endpoints.NO_VLAN : ends.innerVlan(),
                totals == null ? NO_TOTAL : totals.firstMillis(),
                totals == null ? NO_TOTAL : totals.lastMillis(),
                totals == null ? NO_TOTAL : totals.originatorPackets(),
                totals == null ? NO_TOTAL : totals.originatorBytes(),
                totals == null ? NO_TOTAL : totals.responderPackets(),
                totals == null ? NO_TOTAL : totals.responderBytes());
    }

    /** Returns the originator and the responder with their VLANs; null if not known. */
    public @Nullable Endpoints ends() {
        return originator == null || responder == null
                ? null
                : new Endpoints(
                        Address.parse(originator),
                        originatorPort,
                        Address.parse(responder),
                        responderPort,
                        vlan,
                        innerVlan);
    }

    /** Returns the totals; null if not known. */
    public @Nullable FlowTotals totals() {
        return originatorPackets == NO_TOTAL
                ? null
                : new FlowTotals(
                        ends(),
                        firstMillis,
                        lastMillis,
                        originatorPackets,
                        originatorBytes,
                        responderPackets,
                        responderBytes);
    }

    /** Why a flow is reported. */
    public enum Reason {
        /** A packet ended it. */
        ENDED,

        /** It was idle for too long, or had to make room ({@link WhenFull#EVICT}). */
        TIMED_OUT,

        /** The input ended before the flow did. */
        END_OF_INPUT
    }
}
