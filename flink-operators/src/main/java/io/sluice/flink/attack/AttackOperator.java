/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.KeyGroupedOperator;
import io.sluice.flink.KeyGroupedState;
import io.sluice.flink.flow.Attempt;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Watches for one kind of attack, each key group with an {@link AttackWatch} of its own.
 *
 * <p>{@link Watermark#MAX_WATERMARK} says that the input has ended, not that time has passed: what
 * is an attack by then is reported, and a job that was drained into a savepoint goes on where it
 * was.
 */
final class AttackOperator extends KeyGroupedOperator<Attempt, AttackAlert, AttackWatch> {

    private static final long METRICS_MILLIS = 1_000;

    private final AttackSettings settings;

    private transient AttackMetrics attackMetrics;
    private transient StreamRecord<AttackAlert> alert;
    private transient long watermark;

    AttackOperator(AttackSettings settings) {
        this.settings = requireNonNull(settings, "settings");
    }

    /** The key of the stream. */
    static long keyOf(AttackKind kind, Attempt attempt) {
        return kind.partyOf(attempt).hash();
    }

    @Override
    protected String layout() {
        return "attacks, kind=" + settings.kind();
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected KeyGroupedState.Handler<AttackWatch> createHandler() {
        int keyGroups = getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks();
        return new Handler(settings, settings.partiesOfKeyGroup(keyGroups), () -> watermark);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        watermark = Long.MIN_VALUE;
        super.initializeState(context);
    }

    @Override
    public void open() throws Exception {
        super.open();
        alert = new StreamRecord<>(null);
        attackMetrics = new AttackMetrics(getMetricGroup());
        attackMetrics.refresh(groups());
        callEvery(METRICS_MILLIS, now -> attackMetrics.refresh(groups()));
    }

    @Override
    public void processElement(StreamRecord<Attempt> record) {
        Attempt attempt = record.getValue();
        groups().get(keyGroupOf(Long.hashCode(keyOf(settings.kind(), attempt)))).add(attempt);
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            groups().forEach(watch -> watch.endInput(this::emit));
        } else if (mark.getTimestamp() > watermark) {
            watermark = mark.getTimestamp();
            groups().forEach(watch -> watch.advance(watermark, this::emit));
        }
        super.processWatermark(mark);
    }

    private void emit(AttackAlert attack) {
        output.collect(alert.replace(attack, attack.millis()));
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        attackMetrics.refresh(groups());
    }

    /** Makes, writes and reads the watches of key groups. */
    private record Handler(AttackSettings settings, int partiesOfPane, LongSupplier watermark)
            implements KeyGroupedState.Handler<AttackWatch> {

        @Override
        public AttackWatch create() {
            long closed = AttackWatch.closedBy(watermark.getAsLong(), settings.paneMillis());
            return new AttackWatch(settings, partiesOfPane, closed, new AttackCounts());
        }

        @Override
        public void write(AttackWatch watch, OutputStream out) throws IOException {
            AttackWatchFormat.write(watch, out);
        }

        @Override
        public AttackWatch read(InputStream in, String source) throws IOException {
            return AttackWatchFormat.read(in, source, settings, partiesOfPane);
        }
    }
}
