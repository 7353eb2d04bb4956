/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

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
 * that ended it. A flow that no packet ended has none, with either store: keeping them would more
 * than double the 12 bytes that the exact store takes per flow, and the key-value filter does not
 * even know which flows timed out, so it emits no record for them. Such a flow still has its id, a
 * hash of the endpoints that can be recomputed from the packets.
 *
 * <p>In SQL it has the columns of the second constructor, with enums and addresses as text.
 */
@Experimental
@TypeInfo(FlowTypes.OfFinishedFlow.class)
public final class FinishedFlow {

    private static final int NO_PORT = -1;

    private final long flow;
    private final ConnState stateValue;
    private final String state;
    private final Reason reasonValue;
    private final String reason;
    private final long millis;
    private final @Nullable Endpoints ends;
    private final int originatorPort;
    private final int responderPort;

    /** Made when the column is first read; every thread would make the same text. */
    private @Nullable String originator;

    /** Made when the column is first read; every thread would make the same text. */
    private @Nullable String responder;

    /**
     * @param flow its id, a hash of its endpoints
     * @param state how it ended, or its last state
     * @param reason why it is reported; reasons other than {@link Reason#ENDED} occur only with an
     *     exact store and in BATCH execution
     * @param millis event time of the packet that ended it, or the end of its timeout
     * @param ends the originator and the responder; for an {@link ConnState#OTH} flow, whose
     *     beginning was not seen, sender and receiver of its last packet. Null if no packet ended
     *     it, or if {@link TcpView#endpoints} does not know
     */
    public FinishedFlow(
            long flow, ConnState state, Reason reason, long millis, @Nullable Endpoints ends) {
        this.flow = flow;
        this.stateValue = requireNonNull(state, "state");
        this.state = state.name();
        this.reasonValue = requireNonNull(reason, "reason");
        this.reason = reason.name();
        this.millis = millis;
        this.ends = ends;
        this.originatorPort = ends == null ? NO_PORT : ends.fromPort();
        this.responderPort = ends == null ? NO_PORT : ends.toPort();
    }

    /**
     * The same from the columns, as SQL gives them.
     *
     * @param originator null if the ends are not known
     * @param originatorPort -1 if the ends are not known
     * @param responder as {@code originator}
     * @param responderPort as {@code originatorPort}
     */
    public FinishedFlow(
            long flow,
            String state,
            String reason,
            long millis,
            @Nullable String originator,
            int originatorPort,
            @Nullable String responder,
            int responderPort) {
        this(
                flow,
                ConnState.valueOf(state),
                Reason.valueOf(reason),
                millis,
                originator == null || responder == null
                        ? null
                        : new Endpoints(
                                Address.parse(originator),
                                originatorPort,
                                Address.parse(responder),
                                responderPort));
    }

    public long flow() {
        return flow;
    }

    public ConnState state() {
        return stateValue;
    }

    public Reason reason() {
        return reasonValue;
    }

    /** Whether it was idle for too long. */
    public boolean timedOut() {
        return reasonValue == Reason.TIMED_OUT;
    }

    public long millis() {
        return millis;
    }

    public @Nullable Endpoints ends() {
        return ends;
    }

    /** {@link #state} as text: the column. */
    public String getState() {
        return state;
    }

    /** {@link #reason} as text: the column. */
    public String getReason() {
        return reason;
    }

    /** The originator's address as text: the column. Null if the ends are not known. */
    public @Nullable String getOriginator() {
        if (originator == null && ends != null) {
            originator = ends.from().toString();
        }
        return originator;
    }

    /** The originator's port: the column. -1 if the ends are not known. */
    public int getOriginatorPort() {
        return originatorPort;
    }

    /** The responder's address as text: the column. Null if the ends are not known. */
    public @Nullable String getResponder() {
        if (responder == null && ends != null) {
            responder = ends.to().toString();
        }
        return responder;
    }

    /** The responder's port: the column. -1 if the ends are not known. */
    public int getResponderPort() {
        return responderPort;
    }

    /** Why a flow is reported. */
    public enum Reason {
        /** A packet ended it. */
        ENDED(0),

        /** It was idle for too long, or had to make room ({@link WhenFull#EVICT}). */
        TIMED_OUT(1),

        /** The input ended before the flow did. */
        END_OF_INPUT(2);

        private static final Reason[] ALL = values();

        private final int code;

        Reason(int code) {
            this.code = code;
        }

        /** Persistent number; never changes its meaning. */
        public int code() {
            return code;
        }

        /**
         * The reason with this {@link #code}.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Reason ofCode(int code) {
            return Codes.find(ALL, code);
        }
    }

    private Object[] values() {
        return new Object[] {flow, stateValue, reasonValue, millis, ends};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FinishedFlow that && Arrays.equals(values(), that.values());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values());
    }

    @Override
    public String toString() {
        return "FinishedFlow" + Arrays.toString(values());
    }
}
