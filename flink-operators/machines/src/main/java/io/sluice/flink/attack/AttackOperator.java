/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.MinuteLog;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches for one kind of attack. Each key group has its own {@link AttackWatch}; they share a
 * {@link Room}.
 *
 * <p>{@link Watermark#MAX_WATERMARK} says that the input has ended, not that time has passed: what
 * is already an attack is reported, and a job that was drained into a savepoint continues from
 * there.
 */
final class AttackOperator extends KeyGroupedOperator<Tally, AttackAlert, AttackWatch> {

    private static final Logger LOG = LoggerFactory.getLogger(AttackOperator.class);

    private static final long METRICS_MILLIS = 1_000;

    private final AttackSettings settings;

    private transient Room room;
    private transient AttackMetrics attackMetrics;
    private transient EventTimeWatch eventTime;
    private transient MinuteLog log;
    private transient StreamRecord<AttackAlert> alert;
    private transient long watermark;
    private transient long records;
    private transient long forgotten;

    AttackOperator(AttackSettings settings) {
        this.settings = requireNonNull(settings, "settings");
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
        var task = getRuntimeContext().getTaskInfo();
        int keyGroups = task.getMaxNumberOfParallelSubtasks();
        int own =
                KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                                keyGroups,
                                task.getNumberOfParallelSubtasks(),
                                task.getIndexOfThisSubtask())
                        .getNumberOfKeyGroups();
        room = new Room(settings.room(own, keyGroups));
        return new Handler(settings, room, () -> watermark);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        watermark = Long.MIN_VALUE;
        super.initializeState(context);
        room.sort();
    }

    @Override
    public void open() throws Exception {
        super.open();
        alert = new StreamRecord<>(null);
        attackMetrics = new AttackMetrics(getMetricGroup());
        log = new MinuteLog(LOG::warn);
        eventTime =
                new EventTimeWatch(
                        describe(),
                        settings.quiet().toMillis(),
                        line -> {},
                        getProcessingTimeService().getCurrentProcessingTime());
        forgotten = refreshMetrics().forgotten;
        callEvery(METRICS_MILLIS, this::check);
    }

    private AttackCounts refreshMetrics() {
        AttackCounts counts = new AttackCounts();
        groups().forEach(watch -> counts.add(watch.counts()));
        attackMetrics.show(
                counts, room.tallies(), eventTime.stalledMillis(), eventTime.aheadMillis());
        return counts;
    }

    private void check(long now) {
        eventTime.check(records, Long.MIN_VALUE, now);
        AttackCounts counts = refreshMetrics();
        if (eventTime.aheadMillis() > 0) {
            log.write(
                    now,
                    () ->
                            AttackMessages.ahead(
                                    describe(), Duration.ofMillis(eventTime.aheadMillis())));
        } else if (eventTime.stalledMillis() > 0) {
            log.write(
                    now,
                    () ->
                            AttackMessages.stalled(
                                    describe(), Duration.ofMillis(eventTime.stalledMillis())));
        } else if (counts.forgotten > forgotten) {
            long more = counts.forgotten - forgotten;
            log.write(now, () -> AttackMessages.forgotten(describe(), more, settings.parties()));
        }
        forgotten = counts.forgotten;
    }

    @Override
    public void processElement(StreamRecord<Tally> record) {
        records++;
        Tally tally = record.getValue();
        groups().get(keyGroupOf(Long.hashCode(tally.key()))).add(tally);
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        eventTime.onWatermark(
                mark.getTimestamp(), getProcessingTimeService().getCurrentProcessingTime());
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            groups().forEach(watch -> watch.endInput(this::emit));
        } else if (mark.getTimestamp() > watermark) {
            watermark = mark.getTimestamp();
            groups().forEach(watch -> watch.advance(watermark, this::emit));
        }
        super.advance(mark);
    }

    private void emit(AttackAlert attack) {
        output.collect(alert.replace(attack, attack.millis()));
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        AttackCounts unused = refreshMetrics();
    }

    /** Makes, writes and reads the watches of key groups. */
    private record Handler(AttackSettings settings, Room room, LongSupplier watermark)
            implements KeyGroupedState.Handler<AttackWatch> {

        @Override
        public AttackWatch create() {
            return new AttackWatch(settings, room, new AttackCounts())
                    .startedAt(watermark.getAsLong());
        }

        @Override
        public void write(AttackWatch watch, OutputStream out) throws IOException {
            AttackWatchFormat.write(watch, out);
        }

        @Override
        public AttackWatch read(InputStream in, String source) throws IOException {
            return AttackWatchFormat.read(in, source, settings, room);
        }
    }
}
