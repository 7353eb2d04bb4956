/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * A flow that is over. There is one of each flow, whatever fails, and a <b>flow</b> is: packets of
 * the same endpoints, up to the end of the connection and what trails behind it, with no pause in
 * which the flow times out ({@link FlowTimeouts}). So a connection that is silent for longer than
 * its timeout is two flows: the first is reported as {@link Reason#TIMED_OUT}, as it stood then,
 * and what comes after the pause as a flow of which nobody saw the beginning ({@link
 * ConnState#OTH}). A packet behind the watermark, by which its flow has timed out, begins a flow
 * likewise.
 *
 * <p>{@link Reason#END_OF_INPUT} is not an end: it says how a flow stood when there was no more to
 * read. The operator still holds that flow, in the savepoint of a job that was drained; a job that
 * goes on from there reports how the flow ends in truth, as if the input had not ended in between.
 *
 * <p>Stores know a flow by the hash of its endpoints, so the endpoints are those of the packet that
 * ended it. A flow that no packet ended has none, with either store: to keep them would more than
 * double the 12 bytes that the exact store takes for a flow, and the key-value filter does not even
 * know which flows timed out, so it makes no record of them. What is left is the id; whoever sees
 * the packets can hash the same endpoints.
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

    /** Made when a column is first asked for; all threads would make the same. */
    private @Nullable String originator;

    /** Made when a column is first asked for; all threads would make the same. */
    private @Nullable String responder;

    /**
     * @param flow its id, a hash of its endpoints
     * @param state how it ended, or how it stood
     * @param reason why it is reported; others than {@link Reason#ENDED} are known of single flows
     *     with an exact store only, and in BATCH execution
     * @param millis event time of the packet that ended it, or when its timeout was, or would be,
     *     over
     * @param ends the originator and the responder; of an {@link ConnState#OTH} flow, of which
     *     nobody saw who began, sender and receiver of its last packet. Null if no packet ended it,
     *     or where {@link TcpView#endpoints} does not know
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
