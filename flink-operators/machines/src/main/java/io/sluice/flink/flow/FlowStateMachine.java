/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.OptionException;
import io.sluice.flink.SideOutputs;
import io.sluice.flink.Uid;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.WhenFull;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.SortedInputFactory;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
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
public final class FlowStateMachine<T> {

    private final TcpView<T> view;
    private @Nullable String uid;
    private final Configuration options = new Configuration();
    private OnLate<T> onLate = OnLate.forward();
    private @Nullable OutputTag<FlowAlert> alerts;

    private FlowStateMachine(TcpView<T> view) {
        this.view = view;
    }

    /** Starts a builder; {@code view} reads packets out of records. */
    public static <T> FlowStateMachine<T> of(TcpView<T> view) {
        return new FlowStateMachine<>(requireNonNull(view, "view"));
    }

    /** Required. The uid of the operator, which keeps its state across changes of the job. */
    public FlowStateMachine<T> uid(String uid) {
        this.uid = uid;
        return this;
    }

    /**
     * What remembers flows. Default: the exact store. Cannot be changed for an existing savepoint.
     */
    public FlowStateMachine<T> store(StoreKind store) {
        return set(FlowOptions.STORE, store);
    }

    /** How long flows may be idle. Default {@link FlowTimeouts#DEFAULT}. */
    public FlowStateMachine<T> timeouts(FlowTimeouts timeouts) {
        set(FlowOptions.OPENING_TIMEOUT, timeouts.opening());
        set(FlowOptions.OPEN_TIMEOUT, timeouts.open());
        set(FlowOptions.CLOSED_TIMEOUT, timeouts.closed());
        return set(FlowOptions.SLICES, timeouts.slices());
    }

    /** Flows of the whole stream at one time. Default 100,000; filters adapt. */
    public FlowStateMachine<T> expecting(long flows) {
        return set(FlowOptions.EXPECTING, flows);
    }

    /** Bits of a full key-value filter for each flow. Default 96. */
    public FlowStateMachine<T> bitsPerFlow(double bits) {
        return set(FlowOptions.BITS_PER_FLOW, bits);
    }

    /** Hard cap on the memory of the flows of one subtask. Default 256 MiB. */
    public FlowStateMachine<T> memory(MemorySize memory) {
        return set(FlowOptions.MEMORY, memory);
    }

    /** What gives when the memory is used up. Default: further flows are ignored, and counted. */
    public FlowStateMachine<T> whenFull(WhenFull whenFull) {
        return set(FlowOptions.WHEN_FULL, whenFull);
    }

    /**
     * How far ahead of the watermark a timestamp is believed. A packet further ahead is counted,
     * and is followed as if it were exactly that far ahead, so that no wild time keeps a flow for
     * years. Default: the longest timeout, at least an hour.
     */
    public FlowStateMachine<T> maxFuture(Duration maxFuture) {
        return set(FlowOptions.MAX_FUTURE, maxFuture);
    }

    /** Takes all packets of the same endpoints for one flow, even if SYNs come after its end. */
    public FlowStateMachine<T> neverReopen() {
        return set(FlowOptions.NEVER_REOPEN, true);
    }

    /**
     * Sets what happens to packets behind the watermark; they are always counted. Default: followed
     * like others, which is right as long as their flow has not timed out.
     */
    public FlowStateMachine<T> onLate(OnLate<T> onLate) {
        this.onLate = requireNonNull(onLate, "onLate");
        return this;
    }

    /** Where alerts go. Default: nowhere; they are still counted. */
    public FlowStateMachine<T> alerts(OutputTag<FlowAlert> tag) {
        this.alerts = SideOutputs.plain(requireNonNull(tag, "alerts"));
        return this;
    }

    /** Takes every option of {@link FlowOptions} that {@code configuration} sets. */
    public FlowStateMachine<T> configure(ReadableConfig configuration) {
        FlowOptions.ALL.forEach(option -> copy(configuration, option));
        return this;
    }

    private <V> void copy(ReadableConfig configuration, ConfigOption<V> option) {
        configuration.getOptional(option).ifPresent(value -> set(option, value));
    }

    private <V> FlowStateMachine<T> set(ConfigOption<V> option, V value) {
        options.set(option, requireNonNull(value, OptionException.inBuilder(option, null)));
        return this;
    }

    /**
     * Checks the options, as is done when the operator is applied.
     *
     * @throws OptionException naming option, bound, value and remedy
     */
    public void check() {
        FlowSettings unused = FlowSettings.of(options);
    }

    /**
     * Adds the operator to the stream.
     *
     * @throws IllegalArgumentException if an option is missing or out of range, or if the view
     *     cannot be serialized
     */
    public SingleOutputStreamOperator<FinishedFlow> apply(DataStream<T> packets) {
        String stableUid = Uid.require(uid);
        FlowSettings settings = FlowSettings.of(options);
        FlowSizing.warnAtConstruction(settings, stableUid, packets.getExecutionEnvironment());
        TcpView<T> flows =
                Closures.clean(packets.getExecutionEnvironment(), "the view of of(...)", view);
        return packets.keyBy(packet -> flows.flow(packet), Types.LONG)
                .transform(
                        "FlowStateMachine",
                        FlowTypes.FINISHED_FLOW,
                        new SortedInputFactory<>(
                                new FlowOperator<>(flows, settings, onLate, alerts),
                                new SortedFlowOperator<>(flows, settings, alerts)))
                .uid(stableUid)
                .name("FlowStateMachine: " + stableUid);
    }
}
