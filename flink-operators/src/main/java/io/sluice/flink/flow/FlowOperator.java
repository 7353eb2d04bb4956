/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.KeyGroupedOperator;
import io.sluice.flink.KeyGroupedState;
import io.sluice.flink.OnLate;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Follows the flows of each key group with a {@link FlowTracker} of its own.
 *
 * <p>{@link Watermark#MAX_WATERMARK} says that the input has ended, not that time has passed: no
 * flow times out for it, so that a job that was drained into a savepoint goes on where it was.
 *
 * @param <T> type of the records
 */
final class FlowOperator<T> extends KeyGroupedOperator<T, FinishedFlow, FlowTracker> {

    private static final long METRICS_MILLIS = 1_000;

    /** Flows are let go at most so much of a slice later than they could be. */
    private static final int SWEEPS_PER_SLICE = 8;

    private final TcpView<T> view;
    private final FlowSettings settings;
    private final OnLate<T> onLate;
    @Nullable private final OutputTag<FlowAlert> alerts;
    @Nullable private final OutputTag<Attempt> attempts;

    private transient FlowMemory memory;
    private transient FlowMetrics flowMetrics;
    private transient StreamRecord<FinishedFlow> finished;
    private transient StreamRecord<FlowAlert> alert;
    private transient StreamRecord<Attempt> attempt;
    private transient long watermark;
    private transient long nextSweep;
    private transient long sweepMillis;

    FlowOperator(
            TcpView<T> view,
            FlowSettings settings,
            OnLate<T> onLate,
            @Nullable OutputTag<FlowAlert> alerts,
            @Nullable OutputTag<Attempt> attempts) {
        this.view = requireNonNull(view, "view");
        this.settings = requireNonNull(settings, "settings");
        this.onLate = requireNonNull(onLate, "onLate");
        this.alerts = alerts;
        this.attempts = attempts;
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
        memory = new FlowMemory(settings.memory().getBytes(), settings.whenFull());
        int keyGroups = getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks();
        return new Handler(
                new ConnectionMachine(settings.reopens()),
                settings.stores(keyGroups, memory),
                this::timedOut);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        watermark = Long.MIN_VALUE;
        nextSweep = Long.MIN_VALUE;
        sweepMillis = Long.MAX_VALUE;
        for (IdleClass of : IdleClass.values()) {
            long slice = settings.timeouts().sliceMillis(of);
            sweepMillis = Math.min(sweepMillis, Math.max(1, slice / SWEEPS_PER_SLICE));
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        finished = new StreamRecord<>(null);
        alert = new StreamRecord<>(null);
        attempt = new StreamRecord<>(null);
        flowMetrics = new FlowMetrics(getMetricGroup(), memory);
        flowMetrics.refresh(groups());
        callEvery(METRICS_MILLIS, now -> flowMetrics.refresh(groups()));
    }

    @Override
    public void processElement(StreamRecord<T> record) {
        T packet = record.getValue();
        if (!view.isSegment(packet)) {
            flowMetrics.countSkipped();
            return;
        }
        if (!record.hasTimestamp()) {
            throw new IllegalStateException(
                    "Operator "
                            + describe()
                            + " works in event time, but a record has no timestamp: assign"
                            + " timestamps and watermarks before it.");
        }
        long millis = record.getTimestamp();
        if (millis <= watermark && isDiverted(record)) {
            return;
        }
        long flow = view.flow(packet);
        int flags = view.flags(packet);
        FlowTracker tracker = groups().get(keyGroupOf(Long.hashCode(flow)));
        int transition = tracker.follow(flow, view.fromLower(packet), flags, millis);
        if (transition >= 0 && ConnectionMachine.ends(transition)) {
            ConnState end = ConnectionMachine.end(transition);
            emit(new FinishedFlow(flow, end, false, millis, ends(packet, transition)));
        }
        if (attempts != null && transition >= 0) {
            emitAttempt(packet, transition, millis);
        }
        if (alerts != null) {
            if (TcpFlags.isIllegal(flags)) {
                alert(FlowAlert.Kind.ILLEGAL_FLAGS, flow, flags, millis);
            }
            if (transition >= 0 && ConnectionMachine.hasBoth(transition)) {
                alert(FlowAlert.Kind.FIN_AND_RST, flow, flags, millis);
            }
        }
    }

    private void emitAttempt(T packet, int transition, long millis) {
        Attempt.Kind kind = ConnectionMachine.attempt(transition);
        Endpoints ends = kind == null ? null : ends(packet, transition);
        if (ends != null) {
            Attempt made = new Attempt(kind, ends.from(), ends.to(), ends.toPort(), millis);
            output.collect(attempts, attempt.replace(made, millis));
        }
    }

    /** The originator of the packet's flow and the other side, as far as known; may be null. */
    @Nullable
    private Endpoints ends(T packet, int transition) {
        Endpoints ends = view.endpoints(packet);
        return ends != null && ConnectionMachine.isReply(transition) ? ends.reversed() : ends;
    }

    /** Counts a late packet; true if it is not followed. */
    private boolean isDiverted(StreamRecord<T> record) {
        flowMetrics.countLate();
        if (onLate.sideOutput() != null) {
            output.collect(onLate.sideOutput(), record);
        }
        return !onLate.forwards();
    }

    private void timedOut(long flow, ConnState state, long millis) {
        emit(new FinishedFlow(flow, state, true, millis, null));
    }

    private void emit(FinishedFlow flow) {
        output.collect(finished.replace(flow, flow.millis()));
    }

    private void alert(FlowAlert.Kind kind, long flow, int flags, long millis) {
        output.collect(alerts, alert.replace(new FlowAlert(kind, flow, flags, millis), millis));
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (mark.getTimestamp() != Long.MAX_VALUE) {
            watermark = Math.max(watermark, mark.getTimestamp());
            if (watermark >= nextSweep) {
                // Packets at the watermark itself are late.
                groups().forEach(tracker -> tracker.advance(watermark + 1));
                nextSweep = watermark + sweepMillis;
            }
        }
        super.processWatermark(mark);
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        flowMetrics.refresh(groups());
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
