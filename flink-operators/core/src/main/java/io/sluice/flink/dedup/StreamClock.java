/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.state.EventClock;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event time of one subtask, for marks that expire by it in a state backend, with what is counted
 * of records that are out of order.
 *
 * <p>A mark lives from the greatest time so far, so however far its record is ahead of the others
 * it outlives a window of its own time, and it expires by the watermark. Times more than {@code
 * maxFuture} ahead of the wall clock are not believed, nor those more than that and a window ahead
 * of the watermark: otherwise one wild time would keep all marks that follow. The second bound is
 * known at the first watermark; marks of before that are beyond it then live from there. It is not
 * for ids that were seen elsewhere, which may come before all records.
 */
final class StreamClock implements EventClock {

    private static final Logger LOG = LoggerFactory.getLogger(StreamClock.class);

    private final WindowSettings settings;
    private final String operator;
    private final ProcessingTimeService wall;
    private final EventTimeWatch watch;

    private long watermark = Long.MIN_VALUE;

    /** A window before the watermark: what is earlier is late. */
    private long windowStart = Long.MIN_VALUE;

    private long latest = Long.MIN_VALUE;

    /** The greatest time of an id that was seen elsewhere. */
    private long elsewhere = Long.MIN_VALUE;

    /** Times up to this are believed; may be too early. */
    private long believed = Long.MIN_VALUE;

    /** Before the first watermark, the least time, and records far ahead of it. */
    private long least = Long.MAX_VALUE;

    private long farAhead;
    private int resets;

    private volatile long stalledMillis;
    private volatile long aheadMillis;
    private final Counter late = new SimpleCounter();
    private final Counter future = new SimpleCounter();
    private final Counter undecided = new SimpleCounter();

    /**
     * @param operator how messages name it
     */
    StreamClock(WindowSettings settings, String operator, ProcessingTimeService wall) {
        this.settings = settings;
        this.operator = operator;
        this.wall = wall;
        resets = settings.resetClock() ? 1 : 0;
        watch =
                new EventTimeWatch(
                        operator,
                        settings.windowMillis(),
                        LOG::warn,
                        wall.getCurrentProcessingTime());
    }

    /** Registers the metrics. */
    void open(MetricGroup group) {
        group.counter(DeduplicateMetrics.LATE, late);
        group.counter(DeduplicateMetrics.FUTURE, future);
        group.counter(DeduplicateMetrics.UNDECIDED, undecided);
        group.gauge(DeduplicateMetrics.WATERMARK_STALLED_MILLIS, (Gauge<Long>) () -> stalledMillis);
        group.gauge(DeduplicateMetrics.WATERMARK_AHEAD_MILLIS, (Gauge<Long>) () -> aheadMillis);
    }

    @Override
    public long currentTimestamp() {
        return latest;
    }

    @Override
    public long reached() {
        return watermark;
    }

    @Override
    public int resets() {
        return resets;
    }

    /**
     * Takes over the time of a record. Returns whether the record is late: a window behind the
     * watermark.
     */
    boolean take(StreamRecord<?> record) {
        long time = EventTime.of(record, operator);
        take(time);
        return isLate(time);
    }

    /**
     * Takes over when an id was seen elsewhere: at the timestamp of {@code record}; without one, at
     * present. Returns whether that is late.
     */
    boolean takeElsewhere(StreamRecord<?> record) {
        boolean hasTime = record.hasTimestamp() && record.getTimestamp() != Long.MIN_VALUE;
        long now = wall.getCurrentProcessingTime();
        if (!hasTime && latest != Long.MIN_VALUE) {
            return false;
        }
        long time = hasTime ? record.getTimestamp() : now;
        long bound = settings.latestTime(Math.max(watermark, now));
        if (time > bound) {
            future.inc();
        }
        elsewhere = Math.max(elsewhere, Math.min(time, bound));
        latest = Math.max(latest, elsewhere);
        return isLate(time);
    }

    private void take(long time) {
        if (watermark == Long.MIN_VALUE) {
            least = Math.min(least, time);
            farAhead += time > aheadOf(least) ? 1 : 0;
        }
        if (time <= latest) {
            return;
        }
        if (time > believed) {
            believe();
        }
        if (time > believed) {
            future.inc();
        }
        latest = Math.max(latest, Math.min(time, believed));
    }

    private void believe() {
        believed = settings.latestTime(Math.max(watermark, wall.getCurrentProcessingTime()));
        if (watermark != Long.MIN_VALUE) {
            believed = Math.min(believed, aheadOf(watermark));
        }
    }

    /** How far ahead of a time others are believed. */
    private long aheadOf(long time) {
        long window = settings.windowMillis();
        return settings.latestTime(time > Long.MAX_VALUE - window ? Long.MAX_VALUE : time + window);
    }

    private boolean isLate(long time) {
        return time < windowStart;
    }

    /** Counts a record that passes as what it is, if it is behind the watermark. */
    void countPassed(StreamRecord<?> record) {
        long time = record.getTimestamp();
        if (isLate(time)) {
            late.inc();
        } else if (time < watermark) {
            undecided.inc();
        }
    }

    /** Counts what is late and does not pass. */
    void countLate() {
        late.inc();
    }

    /** Takes over the watermark that a key group had reached. */
    void restore(long reached) {
        if (!settings.resetClock()) {
            reach(reached);
        }
    }

    private void reach(long reached) {
        if (reached <= watermark) {
            return;
        }
        boolean isFirst = watermark == Long.MIN_VALUE;
        watermark = reached;
        long window = settings.windowMillis();
        windowStart = watermark < Long.MIN_VALUE + window ? Long.MIN_VALUE : watermark - window;
        latest = Math.max(latest, watermark);
        believe();
        if (isFirst && latest > Math.max(believed, elsewhere)) {
            latest = Math.max(believed, elsewhere);
            resets++;
            future.inc(Math.max(1, farAhead));
        }
    }

    /** {@code Long.MAX_VALUE} is the end of the input, not a time. */
    void onWatermark(long timestamp) {
        watch.onWatermark(timestamp, wall.getCurrentProcessingTime());
        if (timestamp != Long.MAX_VALUE) {
            reach(timestamp);
        }
    }

    /** To be called every few seconds. */
    void check(long records) {
        watch.check(records, watermark, wall.getCurrentProcessingTime());
        stalledMillis = watch.stalledMillis();
        aheadMillis = watch.aheadMillis();
    }
}
