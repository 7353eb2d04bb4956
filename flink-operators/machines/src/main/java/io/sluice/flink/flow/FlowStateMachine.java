/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionException;
import io.sluice.flink.SideOutputs;
import io.sluice.flink.machine.FollowingBuilder;
import io.sluice.flink.machine.store.StoreSizing;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.SortedInputFactory;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/**
 * Follows TCP flows, and reports how each one ended.
 *
 * <pre>{@code
 * SingleOutputStreamOperator<FinishedFlow> flows = FlowStateMachine.of(new MyTcpView())
 *         .uid("flows")
 *         .store(StoreKind.EXACT)
 *         .alerts(ALERTS)
 *         .apply(packets);
 * DataStream<FlowAlert> alerts = flows.getSideOutput(ALERTS);
 * }</pre>
 *
 * <p>The guarantee with the exact store: <em>the records of finished flows depend only on the
 * packets of each flow in their order and their times, across failure, restore and rescaling, and
 * each flow is reported once</em> ({@link FinishedFlow} says what a flow is); for packets behind
 * the watermark, also on how far behind they are. With the key-value filter the same holds except
 * for the error of the filter, which is counted where it can be seen ({@link FlowMetrics}:
 * ambiguous, refused); and flows that time out, or are open at the end of the input, are known only
 * by number and state.
 *
 * <p>Packets need timestamps and watermarks. A flow whose packets come through one partition of a
 * source is in order.
 *
 * <p>Event time of what is emitted: a record has the time at which its flow ended, or, if a
 * watermark has passed that already, the time just after the last watermark. So no emitted record
 * is late for operators downstream; {@link FinishedFlow#millis} is the flow's own time in either
 * case.
 *
 * <p>At the end of the input, which includes {@code stop --drain}, open flows are reported with a
 * reason of their own, before the last watermark; they are still held.
 *
 * <p>In BATCH execution Flink sorts the input by flow and by timestamp. Flows are then followed
 * exactly, one after the other, with one in memory, whatever the store; {@code memory}, {@code
 * maxFuture} and {@code onLate} have no effect. Packets of one flow in one millisecond have no
 * order there: they are taken in the order of a connection's life, SYN before FIN before RST. If
 * Flink's state backend for BATCH is switched off ({@code execution.batch-state-backend.enabled}),
 * the job decides like a stream without watermarks.
 *
 * @param <T> type of the records
 */
@Experimental
public final class FlowStateMachine<T> extends FollowingBuilder<T, FlowStateMachine<T>> {

    private final TcpView<T> view;
    private @Nullable OutputTag<FlowAlert> alerts;

    private FlowStateMachine(TcpView<T> view) {
        super(FlowOptions.STORES, FlowOptions.ALL);
        this.view = view;
    }

    /** Starts a builder; {@code view} reads packets out of records. */
    public static <T> FlowStateMachine<T> of(TcpView<T> view) {
        return new FlowStateMachine<>(requireNonNull(view, "view"));
    }

    @Override
    protected FlowStateMachine<T> self() {
        return this;
    }

    /** How long flows may be idle. Default {@link FlowTimeouts#DEFAULT}. */
    public FlowStateMachine<T> timeouts(FlowTimeouts timeouts) {
        set(FlowOptions.OPENING_TIMEOUT, timeouts.opening());
        set(FlowOptions.OPEN_TIMEOUT, timeouts.open());
        set(FlowOptions.CLOSED_TIMEOUT, timeouts.closed());
        return set(FlowOptions.SLICES, timeouts.slices());
    }

    /** Bits of a full key-value filter for each flow. Default 96. */
    public FlowStateMachine<T> bitsPerFlow(double bits) {
        return set(FlowOptions.BITS_PER_FLOW, bits);
    }

    /** Takes all packets of the same endpoints for one flow, even if SYNs come after its end. */
    public FlowStateMachine<T> neverReopen() {
        return set(FlowOptions.NEVER_REOPEN, true);
    }

    /**
     * Keeps the totals of each open flow ({@link FlowTotals}): then a finished flow has them, and
     * one that no packet ended has its endpoints too. Takes about 100 bytes a flow, within the
     * memory; where that is used up, flows are followed without totals, and counted ({@link
     * FlowMetrics#WITHOUT_TOTALS}). Only with the exact store. Fixed once there is a savepoint.
     */
    public FlowStateMachine<T> totals() {
        return set(FlowOptions.TOTALS, true);
    }

    /** Where alerts go. Default: nowhere; they are still counted. */
    public FlowStateMachine<T> alerts(OutputTag<FlowAlert> tag) {
        this.alerts = SideOutputs.plain(requireNonNull(tag, "alerts"));
        return this;
    }

    /**
     * Checks the options, as is done when the operator is applied.
     *
     * @throws OptionException naming option, bound, value and remedy
     */
    public void check() {
        FlowSettings unused = FlowSettings.of(options());
    }

    /**
     * Adds the operator to the stream.
     *
     * @throws IllegalArgumentException if an option is missing or out of range, or if the view
     *     cannot be serialized
     */
    public SingleOutputStreamOperator<FinishedFlow> apply(DataStream<T> packets) {
        String stableUid = requireUid();
        FlowSettings settings = FlowSettings.of(options());
        StoreSizing.warnAtConstruction(
                settings.stores(), stableUid, packets.getExecutionEnvironment());
        TcpView<T> flows =
                Closures.clean(packets.getExecutionEnvironment(), "the view of of(...)", view);
        return packets.keyBy(packet -> flows.flow(packet), Types.LONG)
                .transform(
                        "FlowStateMachine",
                        FlowTypes.FINISHED_FLOW,
                        new SortedInputFactory<>(
                                new FlowOperator<>(flows, settings, late(), alerts),
                                new SortedFlowOperator<>(flows, settings, alerts)))
                .uid(stableUid)
                .name("FlowStateMachine: " + stableUid);
    }
}
