/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.Emission;
import io.sluice.flink.machine.FollowedTime;
import io.sluice.flink.machine.store.OneMachineStore;
import io.sluice.flink.machine.store.StoreMemory;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Follows flows whose packets are sorted by flow, and by timestamp within a flow: exact, with one
 * flow in memory and no state. No packet is late. A flow times out when its own next packet shows
 * that it was idle for too long; one that is open when its packets end is reported as open at the
 * end of the input.
 *
 * <p>Sorting leaves the packets of one millisecond in any order, so they are collected and taken in
 * the order of a connection's life: SYN, SYN-ACK, others, FIN, RST. One of each kind and side is
 * enough, as each state absorbs what led to it.
 *
 * @param <T> type of the records
 */
final class SortedFlowOperator<T> extends AbstractStreamOperator<FinishedFlow>
        implements OneInputStreamOperator<T, FinishedFlow>, BoundedOneInput {

    private static final int[] ORDER = {
        TcpFlags.KIND_SYN,
        TcpFlags.KIND_SYN_ACK,
        TcpFlags.KIND_OTHER,
        TcpFlags.KIND_FIN,
        TcpFlags.KIND_RST,
        TcpFlags.KIND_FIN_RST
    };

    private final TcpView<T> view;
    private final FlowSettings settings;
    @Nullable private final OutputTag<FlowAlert> alerts;

    private transient OneMachineStore store;
    private transient FlowTracker tracker;
    private transient FlowReports reports;
    private transient FlowMetrics flowMetrics;
    private transient String description;

    /** Flow and time of the current packets. */
    private transient long flow;

    private transient long millis;

    /** How many of the current packets have each kind and side. */
    private transient int[] packets;

    /** The first packet of each kind and side. */
    private transient int[] flags;

    private transient Endpoints[] ends;

    /** Bytes of the first packet of each kind and side, and of all of them; if totals are kept. */
    private transient long[] firstBytes;

    private transient long[] bytes;

    /** Whether there is a current flow. */
    private transient boolean begun;

    SortedFlowOperator(
            TcpView<T> view, FlowSettings settings, @Nullable OutputTag<FlowAlert> alerts) {
        this.view = requireNonNull(view, "view");
        this.settings = requireNonNull(settings, "settings");
        this.alerts = alerts;
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = "'" + getRuntimeContext().getTaskInfo().getTaskName() + "'";
        reports = new FlowReports(new Emission<>(output), alerts);
        flowMetrics = new FlowMetrics(getMetricGroup(), StoreMemory.unlimited());
        store = new OneMachineStore(settings.stores().times());
        tracker =
                new FlowTracker(
                        new ConnectionMachine(settings.reopens()),
                        store,
                        new FlowCounts(),
                        reports::timedOut,
                        settings.totals() ? new TotalsTable(StoreMemory.unlimited()) : null);
        packets = new int[2 * TcpFlags.KINDS];
        flags = new int[2 * TcpFlags.KINDS];
        ends = new Endpoints[2 * TcpFlags.KINDS];
        firstBytes = new long[2 * TcpFlags.KINDS];
        bytes = new long[2 * TcpFlags.KINDS];
    }

    @Override
    public void processElement(StreamRecord<T> record) {
        T packet = record.getValue();
        if (!view.isSegment(packet)) {
            flowMetrics.countSkipped();
            return;
        }
        long time = FollowedTime.of(record, () -> description);
        long hash = view.flow(packet);
        if (begun && hash != flow) {
            endFlow();
        } else if (begun && time != millis) {
            follow();
        }
        begun = true;
        flow = hash;
        millis = time;
        int its = view.flags(packet);
        int index = TcpFlags.event(view.fromLower(packet), its);
        if (tracker.keepsTotals()) {
            int more = view.bytes(packet);
            firstBytes[index] = packets[index] == 0 ? more : firstBytes[index];
            bytes[index] = packets[index] == 0 ? more : bytes[index] + more;
        }
        if (packets[index]++ == 0) {
            flags[index] = its;
            ends[index] = view.endpoints(packet);
        } else {
            tracker.counts().packet(its);
        }
        reports.packet(hash, its, time);
    }

    /** Follows the current packets. */
    private void follow() {
        for (int kind : ORDER) {
            for (int side = 0; side < 2; side++) {
                int index = kind << 1 | side;
                if (packets[index] > 0) {
                    int transition = tracker.follow(flow, side == 0, flags[index], millis);
                    FlowTotals totals =
                            tracker.keepsTotals() ? count(index, side == 0, transition) : null;
                    reports.followed(flow, flags[index], transition, millis, ends[index], totals);
                    packets[index] = 0;
                    ends[index] = null;
                }
            }
        }
    }

    /** Counts packets that were followed as one; if the first one ends the flow, others trail. */
    private @Nullable FlowTotals count(int index, boolean fromLower, int transition) {
        boolean isOver = FlowStates.isClosed(ConnectionMachine.nextState(transition));
        return tracker.count(
                transition,
                flow,
                fromLower,
                isOver ? 1 : packets[index],
                isOver ? firstBytes[index] : bytes[index],
                millis,
                ends[index]);
    }

    /** The flow has no more packets. */
    private void endFlow() {
        if (begun) {
            follow();
            tracker.forEachOpen(reports::openAtEnd, flowMetrics::countOpenAtEnd);
            store.clear();
            tracker.clearTotals();
            begun = false;
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        endFlow();
        super.processWatermark(mark);
    }

    @Override
    public void endInput() {
        endFlow();
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        flowMetrics.refresh(action -> action.accept(tracker));
    }

    @Override
    public boolean hasKeyContext1() {
        return false;
    }
}
