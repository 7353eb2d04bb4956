/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.machine.Emission;
import javax.annotation.Nullable;
import org.apache.flink.util.OutputTag;

/** Emits what is reported of flows. Only what is emitted is allocated. Not thread-safe. */
final class FlowReports {

    private final Emission<FinishedFlow> emission;
    @Nullable private final OutputTag<FlowAlert> alerts;

    FlowReports(Emission<FinishedFlow> emission, @Nullable OutputTag<FlowAlert> alerts) {
        this.emission = requireNonNull(emission, "emission");
        this.alerts = alerts;
    }

    /**
     * A packet was followed.
     *
     * @param ends of the packet; null if not known, or if the packet ended no flow
     * @param totals of the flow that it ended; null if not known
     */
    void followed(
            long flow,
            int flags,
            int transition,
            long millis,
            @Nullable Endpoints ends,
            @Nullable FlowTotals totals) {
        if (ConnectionMachine.ends(transition)) {
            Endpoints ordered =
                    ends != null && ConnectionMachine.isReply(transition) ? ends.reversed() : ends;
            ConnState end = ConnectionMachine.end(transition);
            emit(FinishedFlow.of(flow, end, Reason.ENDED, millis, ordered, totals));
        }
        if (ConnectionMachine.hasBoth(transition)) {
            alert(FlowAlert.Kind.FIN_AND_RST, flow, flags, millis);
        }
    }

    /** A packet came, followed or not. */
    void packet(long flow, int flags, long millis) {
        if (TcpFlags.isIllegal(flags)) {
            alert(FlowAlert.Kind.ILLEGAL_FLAGS, flow, flags, millis);
        }
    }

    void timedOut(long flow, ConnState state, long millis, @Nullable FlowTotals totals) {
        emit(FinishedFlow.of(flow, state, Reason.TIMED_OUT, millis, null, totals));
    }

    void openAtEnd(long flow, ConnState state, long millis, @Nullable FlowTotals totals) {
        emit(FinishedFlow.of(flow, state, Reason.END_OF_INPUT, millis, null, totals));
    }

    private void emit(FinishedFlow flow) {
        emission.collect(flow, flow.millis());
    }

    private void alert(FlowAlert.Kind kind, long flow, int flags, long millis) {
        if (alerts != null) {
            emission.collect(alerts, FlowAlert.of(kind, flow, flags, millis), millis);
        }
    }
}
