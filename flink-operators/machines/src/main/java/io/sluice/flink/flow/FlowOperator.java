/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the flows of each key group with its own {@link FlowTracker}.
 *
 * <p>{@link Watermark#MAX_WATERMARK} says that the input has ended, not that time has passed: no
 * flow times out for it. Open flows are reported as such but still held, so that a job that was
 * drained into a savepoint continues from there.
 *
 * <p>Flows that a watermark times out are emitted before it. A flow can time out only when a slice
 * of some class ends, so watermarks in between cost nothing.
 *
 * @param <T> type of the records
 */
final class FlowOperator<T> extends KeyGroupedOperator<T, FinishedFlow, FlowTracker>
        implements BoundedOneInput {

    private static final Logger LOG = LoggerFactory.getLogger(FlowOperator.class);

    private static final long METRICS_MILLIS = 1_000;

    private final TcpView<T> view;
    private final FlowSettings settings;
    private final OnLate<T> onLate;
    @Nullable private final OutputTag<FlowAlert> alerts;

    private transient StoreMemory memory;
    private transient FlowMetrics flowMetrics;
    private transient FlowPressure pressure;
    private transient EventTimeWatch watch;
    private transient FlowReports reports;
    private transient long watermark;
    private transient long latest;
    private transient long nextSweep;
    private transient boolean hasEnded;

    FlowOperator(
            TcpView<T> view,
            FlowSettings settings,
            OnLate<T> onLate,
            @Nullable OutputTag<FlowAlert> alerts) {
        this.view = requireNonNull(view, "view");
        this.settings = requireNonNull(settings, "settings");
        this.onLate = requireNonNull(onLate, "onLate");
        this.alerts = alerts;
    }

    @Override
    protected String layout() {
        return "flows, store="
                + settings.store()
                + ", flow="
                + view.scheme()
                + (settings.reopens() ? "" : ", never reopened");
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected KeyGroupedState.Handler<FlowTracker> createHandler() {
        TaskInfo task = getRuntimeContext().getTaskInfo();
        FlowSizing sizing = FlowSizing.of(settings, task);
        memory =
                new StoreMemory(
                        settings.memory().getBytes(), settings.whenFull(), sizing.keyGroups());
        return new Handler(
                new ConnectionMachine(settings.reopens()),
                settings.stores(task.getMaxNumberOfParallelSubtasks(), memory),
                (flow, state, millis) -> reports.timedOut(flow, state, millis));
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        watermark = Long.MIN_VALUE;
        latest = Long.MAX_VALUE;
        nextSweep = Long.MIN_VALUE;
        hasEnded = false;
    }

    @Override
    public void open() throws Exception {
        super.open();
        reports = new FlowReports(output, alerts);
        flowMetrics = new FlowMetrics(getMetricGroup(), memory);
        pressure = new FlowPressure(describe(), settings, memory, LOG::warn);
        long now = getProcessingTimeService().getCurrentProcessingTime();
        watch =
                new EventTimeWatch(
                        describe(),
                        settings.timeouts().longestMillis(),
                        "no flow times out, and whenFull decides about flows that do not fit into"
                                + " the option memory. Assign watermarks before the operator, or"
                                + " give a source or partition without records withIdleness(...).",
                        "packets with right timestamps are late. Keep wild timestamps out of the"
                                + " watermarks, then start from a savepoint: the next watermark"
                                + " sets the clock.",
                        LOG::warn,
                        now);
        FlowSizing.of(settings, getRuntimeContext().getTaskInfo())
                .start(describe(), getMetricGroup());
        refreshMetrics(now);
        callEvery(METRICS_MILLIS, this::refreshMetrics);
    }

    private void refreshMetrics(long now) {
        flowMetrics.refresh(groups()::forEach);
        watch.check(flowMetrics.packets(), watermark, now);
        flowMetrics.eventTimeIs(watch);
        pressure.check(now);
    }

    @Override
    public void processElement(StreamRecord<T> record) {
        T packet = record.getValue();
        if (!view.isSegment(packet)) {
            flowMetrics.countSkipped();
            return;
        }
        long millis = FlowTime.of(record, this::describe);
        if (millis <= watermark && isDiverted(record)) {
            return;
        }
        if (millis > latest) {
            flowMetrics.countFuture();
            millis = latest;
        }
        long flow = view.flow(packet);
        int flags = view.flags(packet);
        FlowTracker tracker = groups().get(keyGroupOf(Long.hashCode(flow)));
        int transition = tracker.follow(flow, view.fromLower(packet), flags, millis);
        if (transition >= 0) {
            Endpoints ends = ConnectionMachine.ends(transition) ? view.endpoints(packet) : null;
            reports.followed(flow, flags, transition, millis, ends);
        }
        reports.packet(flow, flags, millis);
    }

    /** Counts a late packet; true if it is not followed. */
    private boolean isDiverted(StreamRecord<T> record) {
        flowMetrics.countLate();
        if (onLate.sideOutput() != null) {
            output.collect(onLate.sideOutput(), record);
        }
        return !onLate.forwards();
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        watch.onWatermark(
                mark.getTimestamp(), getProcessingTimeService().getCurrentProcessingTime());
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            reportOpenFlows();
        } else if (mark.getTimestamp() > watermark) {
            watermark = mark.getTimestamp();
            latest = settings.latestTime(watermark);
            if (watermark >= nextSweep) {
                // Packets at the watermark itself are late.
                groups().forEach(tracker -> tracker.advance(watermark + 1, latest));
                nextSweep = settings.timeouts().nextSliceEnd(watermark);
            }
            reports.forwarding(watermark);
        }
        super.advance(mark);
    }

    /** Before the last watermark, or without one. */
    private void reportOpenFlows() {
        if (!hasEnded) {
            hasEnded = true;
            groups().forEach(
                            tracker ->
                                    tracker.forEachOpen(
                                            reports::openAtEnd, flowMetrics::countOpenAtEnd));
        }
    }

    @Override
    public void endInput() {
        reportOpenFlows();
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        flowMetrics.refresh(groups()::forEach);
    }

    /** Makes, writes and reads the trackers of key groups. */
    private record Handler(
            ConnectionMachine machine, FlowSettings.Stores stores, FlowTracker.TimedOut timedOut)
            implements KeyGroupedState.Handler<FlowTracker> {

        @Override
        public FlowTracker create() {
            return new FlowTracker(machine, stores.create(), new FlowCounts(), timedOut);
        }

        @Override
        public void write(FlowTracker tracker, OutputStream out) throws IOException {
            tracker.writeTo(out);
        }

        @Override
        public FlowTracker read(InputStream in, String source) throws IOException {
            FlowCounts counts = FlowCounts.readFrom(in, source);
            return new FlowTracker(machine, stores.read(in, source), counts, timedOut);
        }
    }
}
