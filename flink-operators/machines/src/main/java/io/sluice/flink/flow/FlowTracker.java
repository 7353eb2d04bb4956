/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.FollowingOperator;
import io.sluice.flink.machine.MachineGroup;
import io.sluice.flink.machine.store.StateStore;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * Follows flows as the machines that they are, and counts what each packet means for its flow. This
 * is what the operator does for each key group, without Flink.
 *
 * <pre>{@code
 * FlowTracker tracker =
 *         new FlowTracker(
 *                 new ConnectionMachine(true),
 *                 new ExactStore(FlowTimeouts.DEFAULT.states(), StoreMemory.unlimited()),
 *                 new FlowCounts(),
 *                 FlowTracker.TimedOut.IGNORE);
 * int transition = tracker.follow(hash, fromLower, flags, millis);
 * if (transition >= 0 && ConnectionMachine.ends(transition)) {
 *     report(hash, ConnectionMachine.end(transition));
 * }
 * }</pre>
 *
 * <p>What is reported has been stored: if a store cannot keep the new state, the packet has no
 * effect at all, so that no end is reported twice. Nothing is allocated per packet. Not
 * thread-safe.
 */
@Internal
public final class FlowTracker implements FollowingOperator.Group {

    /** {@link #follow}: the flow's state could not be told, or not be changed; see the counts. */
    public static final int NOT_FOLLOWED = -1;

    /** Is told about flows that timed out, as far as the store knows their hashes. */
    @FunctionalInterface
    public interface TimedOut {

        /** For callers that need only the numbers, which are in {@link FlowCounts}. */
        TimedOut IGNORE = (hash, state, millis) -> {};

        /**
         * A flow has timed out.
         *
         * @param state the last state of the flow
         * @param millis when its timeout was over
         */
        void timedOut(long hash, ConnState state, long millis);
    }

    private final ConnectionMachine connection;
    private final MachineGroup machines;
    private final FlowCounts counts;

    /** Makes a tracker of the flows that a store holds. */
    public FlowTracker(
            ConnectionMachine connection, StateStore store, FlowCounts counts, TimedOut timedOut) {
        this.connection = requireNonNull(connection, "connection");
        this.counts = requireNonNull(counts, "counts");
        requireNonNull(timedOut, "timedOut");
        this.machines =
                new MachineGroup(
                        connection.definition(),
                        store,
                        counts.machines(),
                        (hash, state, millis) -> {
                            ConnState conn = FlowStates.connState(state);
                            counts.timedOut(conn, 1);
                            timedOut.timedOut(hash, conn, millis);
                        },
                        (state, flows) -> counts.timedOut(FlowStates.connState(state), flows));
    }

    /**
     * Follows a packet.
     *
     * @param hash of its flow, the same for both directions, uniform over 64 bits
     * @param fromLower whether the lower of the flow's two endpoints sent it
     * @param flags of its TCP header
     * @param millis its event time
     * @return what it did, for the methods of {@link ConnectionMachine}, or {@link #NOT_FOLLOWED}
     */
    public int follow(long hash, boolean fromLower, int flags, long millis) {
        counts.flags(flags);
        int event = TcpFlags.event(fromLower, flags);
        if (!machines.follow(hash, event, millis)) {
            return NOT_FOLLOWED;
        }
        int transition = connection.transition(machines.from(), event);
        counts.followed(transition);
        return transition;
    }

    /** Returns the state of the flow before the packet that was followed. */
    int from() {
        return machines.from();
    }

    /** Drops flows that have timed out for every packet from {@code watermark} on. */
    public void advance(long watermark) {
        advance(watermark, Long.MAX_VALUE);
    }

    /**
     * As {@link #advance(long)}; flows whose last use is after {@code latest}, which is not
     * believed, are taken to have been used at {@code latest}.
     */
    @Override
    public void advance(long watermark, long latest) {
        machines.advance(watermark, latest);
    }

    /**
     * Reports all flows that have not ended, with the time at which their timeout would be over;
     * they are still held. Flows whose hashes the store does not know are only counted.
     *
     * @param counted is told about flows of which only the number is known
     */
    public void forEachOpen(TimedOut open, OpenFlows counted) {
        machines.forEachOpen(
                (hash, state, millis) -> open.timedOut(hash, FlowStates.connState(state), millis),
                (state, flows) -> counted.open(FlowStates.connState(state), flows));
    }

    /** Counts flows. */
    @FunctionalInterface
    public interface OpenFlows {
        void open(ConnState state, long count);
    }

    /** Writes counts and flows. The stream is neither flushed nor closed. */
    public void writeTo(OutputStream out) throws IOException {
        counts.writeTo(out);
        store().writeTo(out);
    }

    /** The counts of packets and flows. */
    public FlowCounts counts() {
        return counts;
    }

    /** The flows. */
    @Override
    public StateStore store() {
        return machines.store();
    }
}
