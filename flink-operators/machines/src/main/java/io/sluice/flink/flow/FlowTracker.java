/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.flink.machine.FollowingOperator;
import io.sluice.flink.machine.MachineGroup;
import io.sluice.flink.machine.store.StateStore;
import java.io.IOException;
import java.io.OutputStream;
import javax.annotation.Nullable;
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
        TimedOut IGNORE = (hash, state, millis, totals) -> {};

        /**
         * A flow has timed out.
         *
         * @param state the last state of the flow
         * @param millis when its timeout was over
         * @param totals null if not known
         */
        void timedOut(long hash, ConnState state, long millis, @Nullable FlowTotals totals);
    }

    private final ConnectionMachine connection;
    private final MachineGroup machines;
    private final FlowCounts counts;
    private final @Nullable TotalsTable totals;

    /** Makes a tracker of the flows that a store holds. */
    public FlowTracker(
            ConnectionMachine connection, StateStore store, FlowCounts counts, TimedOut timedOut) {
        this(connection, store, counts, timedOut, null);
    }

    /**
     * Makes a tracker.
     *
     * @param totals of the flows that the store holds and that have not ended; null to keep none
     */
    FlowTracker(
            ConnectionMachine connection,
            StateStore store,
            FlowCounts counts,
            TimedOut timedOut,
            @Nullable TotalsTable totals) {
        this.connection = requireNonNull(connection, "connection");
        this.counts = requireNonNull(counts, "counts");
        this.totals = totals;
        requireNonNull(timedOut, "timedOut");
        this.machines =
                new MachineGroup(
                        connection.definition(),
                        store,
                        counts.machines(),
                        (hash, state, millis) -> {
                            ConnState conn = FlowStates.connState(state);
                            counts.timedOut(conn, 1);
                            timedOut.timedOut(hash, conn, millis, leaving(totals, hash, state));
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

    /** Returns whether {@link #count} is to be called for what was followed. */
    boolean keepsTotals() {
        return totals != null;
    }

    /** Returns whether {@link #count} needs the ends of the packet. */
    boolean needsEnds(int transition) {
        return totals != null && ConnectionMachine.begins(transition);
    }

    /**
     * Adds packets that were followed to the totals of their flow; only if totals are kept.
     *
     * @param transition of the last call of {@link #follow}
     * @param packets with the same effect, from the same side; 1 if they end the flow
     * @param ends of the packet; null if not known, or if they are not needed
     * @return the totals of the flow that ended; null if none did, or if they are not known
     */
    @Nullable
    FlowTotals count(
            int transition,
            long hash,
            boolean fromLower,
            long packets,
            long bytes,
            long millis,
            @Nullable Endpoints ends) {
        boolean isOver = FlowStates.isClosed(ConnectionMachine.nextState(transition));
        boolean begins = ConnectionMachine.begins(transition);
        if (begins && isOver) {
            return new FlowTotals(ends, millis, millis, packets, bytes, 0, 0);
        }
        // If a flow ends and another one begins, the packet is of the second one.
        FlowTotals before =
                begins && ConnectionMachine.ends(transition)
                        ? take(totals.find(hash), transition, fromLower)
                        : null;
        int row = begins ? totals.begin(hash, ends, fromLower, millis) : totals.find(hash);
        if (row == TotalsTable.ABSENT) {
            return before;
        }
        totals.add(row, fromLower, packets, bytes, millis);
        return isOver ? take(row, transition, fromLower) : before;
    }

    /** Removes the totals of a flow that a packet has ended. */
    private @Nullable FlowTotals take(int row, int transition, boolean fromLower) {
        if (row == TotalsTable.ABSENT) {
            return null;
        }
        boolean originatorIsLower =
                ConnectionMachine.end(transition) == ConnState.OTH
                        ? totals.isFirstFromLower(row)
                        : fromLower != ConnectionMachine.isReply(transition);
        FlowTotals taken = totals.totals(row, originatorIsLower);
        totals.remove(row);
        return taken;
    }

    /** Removes the totals of a flow that the store has dropped. */
    private static @Nullable FlowTotals leaving(
            @Nullable TotalsTable totals, long hash, int state) {
        FlowTotals left = ofOpen(totals, hash, state);
        if (left != null) {
            totals.remove(totals.find(hash));
        }
        return left;
    }

    /** Returns the totals of a flow that no packet has ended; null if they are not known. */
    private static @Nullable FlowTotals ofOpen(@Nullable TotalsTable totals, long hash, int state) {
        int row = totals == null ? TotalsTable.ABSENT : totals.find(hash);
        if (row == TotalsTable.ABSENT) {
            return null;
        }
        boolean originatorIsLower =
                FlowStates.hasOriginator(state)
                        ? FlowStates.originatorIsLower(state)
                        : totals.isFirstFromLower(row);
        return totals.totals(row, originatorIsLower);
    }

    /** Forgets all totals, after the store has forgotten all flows. */
    void clearTotals() {
        if (totals != null) {
            totals.clear();
        }
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
                (hash, state, millis) ->
                        open.timedOut(
                                hash,
                                FlowStates.connState(state),
                                millis,
                                ofOpen(totals, hash, state)),
                (state, flows) -> counted.open(FlowStates.connState(state), flows));
    }

    /** Counts flows. */
    @FunctionalInterface
    public interface OpenFlows {
        void open(ConnState state, long count);
    }

    /**
     * Returns this tracker, which was read.
     *
     * @param source what was read, for messages
     * @throws CorruptFilterException if there are totals of flows that are not open
     */
    FlowTracker checked(String source) throws CorruptFilterException {
        if (totals != null) {
            long[] ofOpen = new long[1];
            forEachOpen(
                    (hash, state, millis, known) -> ofOpen[0] += known == null ? 0 : 1,
                    (state, count) -> {});
            if (ofOpen[0] != totals.flows()) {
                throw new CorruptFilterException(
                        source,
                        0,
                        "has totals of "
                                + totals.flows()
                                + " flows, and holds "
                                + ofOpen[0]
                                + " of them");
            }
        }
        return this;
    }

    /**
     * Writes counts, flows, and totals if they are kept. The stream is neither flushed nor closed.
     */
    public void writeTo(OutputStream out) throws IOException {
        counts.writeTo(out);
        store().writeTo(out);
        if (totals != null) {
            totals.writeTo(out);
        }
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

    /** Returns the totals of the flows; null if none are kept. */
    @Nullable
    TotalsTable totals() {
        return totals;
    }
}
