/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.FinishedFlow.Reason;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Emits what is reported of flows. No record is emitted behind the forwarded watermark: a record
 * whose own time is behind gets the time just after the watermark. Only what is emitted is
 * allocated. Not thread-safe.
 */
final class FlowReports {

    private final Output<StreamRecord<FinishedFlow>> output;
    @Nullable private final OutputTag<FlowAlert> alerts;
    private final StreamRecord<FinishedFlow> finished = new StreamRecord<>(null);
    private final StreamRecord<FlowAlert> alert = new StreamRecord<>(null);
    private long earliest = Long.MIN_VALUE;

    FlowReports(Output<StreamRecord<FinishedFlow>> output, @Nullable OutputTag<FlowAlert> alerts) {
        this.output = requireNonNull(output, "output");
        this.alerts = alerts;
    }

    /** A watermark, not the last one, is forwarded after this call. */
    void forwarding(long watermark) {
        earliest = Math.max(earliest, watermark + 1);
    }

    /**
     * A packet was followed.
     *
     * @param ends of the packet; null if not known, or if the packet ended no flow
     */
    void followed(long flow, int flags, int transition, long millis, @Nullable Endpoints ends) {
        if (ConnectionMachine.ends(transition)) {
            Endpoints ordered =
                    ends != null && ConnectionMachine.isReply(transition) ? ends.reversed() : ends;
            ConnState end = ConnectionMachine.end(transition);
            emit(FinishedFlow.of(flow, end, Reason.ENDED, millis, ordered));
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

    void timedOut(long flow, ConnState state, long millis) {
        emit(FinishedFlow.of(flow, state, Reason.TIMED_OUT, millis, null));
    }

    void openAtEnd(long flow, ConnState state, long millis) {
        emit(FinishedFlow.of(flow, state, Reason.END_OF_INPUT, millis, null));
    }

    private void emit(FinishedFlow flow) {
        output.collect(finished.replace(flow, emittedAt(flow.millis())));
    }

    private void alert(FlowAlert.Kind kind, long flow, int flags, long millis) {
        if (alerts != null) {
            FlowAlert raised = FlowAlert.of(kind, flow, flags, millis);
            output.collect(alerts, alert.replace(raised, emittedAt(millis)));
        }
    }

    private long emittedAt(long millis) {
        return Math.max(millis, earliest);
    }
}
