/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.FollowingOperator;
import io.sluice.flink.machine.store.ExpiryListener;
import io.sluice.flink.machine.store.Lookup;
import io.sluice.flink.machine.store.StateStore;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * Follows flows: asks the store for the state of a packet's flow and the machine for the next
 * state, and stores that. This is what the operator does for each key group, without Flink.
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

    private final ConnectionMachine machine;
    private final StateStore store;
    private final FlowCounts counts;
    private final ExpiryListener expired;

    /** The flow of the packet that is followed. */
    private final Lookup flow = new Lookup();

    public FlowTracker(
            ConnectionMachine machine, StateStore store, FlowCounts counts, TimedOut timedOut) {
        this.machine = requireNonNull(machine, "machine");
        this.store = requireNonNull(store, "store");
        this.counts = requireNonNull(counts, "counts");
        this.expired = new Expired(counts, requireNonNull(timedOut, "timedOut"));
    }

    /** Flows that had ended were already reported, and just leave. */
    private record Expired(FlowCounts counts, TimedOut timedOut) implements ExpiryListener {

        @Override
        public void expired(long hash, int state, long millis) {
            if (!FlowStates.isClosed(state)) {
                ConnState conn = FlowStates.connState(state);
                counts.timedOut(conn, 1);
                timedOut.timedOut(hash, conn, millis);
            }
        }

        @Override
        public void expired(int state, long count) {
            if (!FlowStates.isClosed(state)) {
                counts.timedOut(FlowStates.connState(state), count);
            }
        }
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
        counts.packet(TcpFlags.isIllegal(flags));
        int state = store.find(hash, millis, flow, expired);
        if (state == StateStore.AMBIGUOUS) {
            counts.countAmbiguous();
            return NOT_FOLLOWED;
        }
        int transition =
                machine.transition(
                        state == StateStore.ABSENT ? ConnectionMachine.NONE : state,
                        fromLower,
                        flags);
        switch (store.put(flow, ConnectionMachine.nextState(transition), expired)) {
            case YES -> {
                counts.followed(transition);
                return transition;
            }
            case NO_ROOM -> counts.countWithoutRoom();
            case REFUSED -> counts.countRefused();
        }
        return NOT_FOLLOWED;
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
        store.advance(watermark, latest, expired);
    }

    /**
     * Reports all flows that have not ended, with the time at which their timeout would be over;
     * they are still held. Flows whose hashes the store does not know are only counted.
     *
     * @param counted is told about flows of which only the number is known
     */
    public void forEachOpen(TimedOut open, OpenFlows counted) {
        store.forEachOpen(
                new ExpiryListener() {
                    @Override
                    public void expired(long hash, int state, long millis) {
                        ConnState conn = FlowStates.connState(state);
                        counted.open(conn, 1);
                        open.timedOut(hash, conn, millis);
                    }

                    @Override
                    public void expired(int state, long count) {
                        counted.open(FlowStates.connState(state), count);
                    }
                });
    }

    /** Counts flows. */
    @FunctionalInterface
    public interface OpenFlows {
        void open(ConnState state, long count);
    }

    /** Writes counts and flows. The stream is neither flushed nor closed. */
    public void writeTo(OutputStream out) throws IOException {
        counts.writeTo(out);
        store.writeTo(out);
    }

    /** The counts of packets and flows. */
    public FlowCounts counts() {
        return counts;
    }

    /** The flows. */
    public StateStore store() {
        return store;
    }
}
