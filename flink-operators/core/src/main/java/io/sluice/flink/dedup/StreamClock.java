/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.state.EventClock;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import javax.annotation.Nullable;
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
 * <p>A mark lives from the greatest time so far, and expires by the watermark. So it outlives the
 * window of its own record, in whatever order records come. Times more than {@code maxFuture} ahead
 * of the wall clock are not believed, nor those more than that and a window ahead of the watermark:
 * otherwise one wild time would keep all marks that follow. The second bound is known from the
 * first watermark on, and holds for marks of before that too; how many records were beyond it is
 * then counted. It does not hold for ids that were seen elsewhere before: all that a job has
 * written may come before the first record.
 */
final class StreamClock implements EventClock {

    private static final Logger LOG = LoggerFactory.getLogger(StreamClock.class);

    private static final int MOST_BUCKETS = 8;

    /**
     * About the most buckets from the watermark to the greatest time that is believed: each is a
     * file.
     */
    private static final long MOST_BUCKETS_AHEAD = 64;

    /** Most slices of time of which the records before the first watermark are counted. */
    private static final int MOST_SLICES = 1 << 10;

    private static final String STALL_ADVICE =
            "ids do not expire, and stay on disk. Assign watermarks before the operator, give a"
                    + " source or partition without records withIdleness(...), or choose"
                    + " timeDomain(PROCESSING).";

    private final WindowSettings settings;
    private final String operator;
    private final ProcessingTimeService wall;
    private final EventTimeWatch watch;
    private final long window;
    private final long slice;

    private long watermark = Long.MIN_VALUE;
    private long latest = Long.MIN_VALUE;

    /** The greatest watermark of a restored key group: times of its marks were believed by it. */
    private long furthest = Long.MIN_VALUE;

    /** The greatest time of an id that was seen elsewhere before the first watermark. */
    private long elsewhere = Long.MIN_VALUE;

    /** Times up to this are believed; may be too early. */
    private long believed = Long.MIN_VALUE;

    /** Records before the first watermark, by the slice of their time; then null. */
    @Nullable private NavigableMap<Long, Long> early = new TreeMap<>();

    /** Of these, the records that are not in the map yet; all of one slice. */
    private long earlyOfSlice;

    private long earlySlice;

    /** The least time from which on all ids of the window are known: it was shorter before. */
    private long coveredSince = Long.MIN_VALUE;

    private volatile long coveredMillis;
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
        window = settings.windowMillis();
        slice = Math.max(1, window / buckets(settings));
        watch =
                new EventTimeWatch(
                        operator,
                        window,
                        STALL_ADVICE,
                        EventTimeWatch.AHEAD_ADVICE,
                        LOG::warn,
                        wall.getCurrentProcessingTime());
    }

    /** Returns how many time buckets a window has on disk. */
    static int buckets(WindowSettings settings) {
        double window = settings.windowMillis();
        double share = window / (window + settings.maxFutureMillis());
        return (int) Math.max(1, Math.min(MOST_BUCKETS, MOST_BUCKETS_AHEAD * share));
    }

    /** Returns the difference, or the least long. */
    static long minus(long time, long millis) {
        return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - millis;
    }

    /** Registers the metrics. */
    void open(MetricGroup group) {
        group.counter(DeduplicateMetrics.LATE, late);
        group.counter(DeduplicateMetrics.FUTURE, future);
        group.counter(DeduplicateMetrics.UNDECIDED, undecided);
        group.gauge(DeduplicateMetrics.WINDOW_MILLIS, (Gauge<Long>) () -> window);
        coveredMillis = covered();
        group.gauge(DeduplicateMetrics.COVERED_MILLIS, (Gauge<Long>) () -> coveredMillis);
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
    public long bound() {
        if (watermark == Long.MIN_VALUE) {
            return Long.MAX_VALUE;
        }
        // Of a filter the end of the last bucket is known.
        long ofMarks = Math.max(aheadOf(Math.max(watermark, furthest)), elsewhere);
        return ofMarks > Long.MAX_VALUE - slice ? Long.MAX_VALUE : ofMarks + slice;
    }

    /** Returns the greatest time of an id that was seen elsewhere before the first watermark. */
    long elsewhere() {
        return elsewhere;
    }

    /**
     * Takes over the time of a record. Returns whether the record is late: a window behind the
     * watermark.
     *
     * @param group its key group, which may have been further before a restore; null if it is new
     */
    boolean take(StreamRecord<?> record, @Nullable ReachedWatermark group) {
        long time = EventTime.of(record, operator);
        if (watermark == Long.MIN_VALUE) {
            countEarly(time);
        }
        take(time);
        return isLate(time, group);
    }

    /**
     * Takes over when an id was seen elsewhere: at the timestamp of {@code record}; without one, at
     * present. Returns whether that is late.
     */
    boolean takeElsewhere(StreamRecord<?> record, @Nullable ReachedWatermark group) {
        boolean hasTime = record.hasTimestamp() && record.getTimestamp() != Long.MIN_VALUE;
        if (!hasTime) {
            if (latest == Long.MIN_VALUE) {
                take(wall.getCurrentProcessingTime());
            }
            return false;
        }
        long time = record.getTimestamp();
        take(time);
        if (watermark == Long.MIN_VALUE) {
            elsewhere = Math.max(elsewhere, Math.min(time, believed));
        }
        return isLate(time, group);
    }

    private void countEarly(long time) {
        long ofTime = Math.floorDiv(time, slice);
        if (ofTime != earlySlice) {
            addEarly();
            earlySlice = ofTime;
        }
        earlyOfSlice++;
    }

    /** The slices of the least times are joined when there are too many. */
    private void addEarly() {
        if (earlyOfSlice > 0) {
            early.merge(earlySlice, earlyOfSlice, Long::sum);
            earlyOfSlice = 0;
        }
        if (early.size() > MOST_SLICES) {
            Map.Entry<Long, Long> least = early.pollFirstEntry();
            early.merge(early.firstKey(), least.getValue(), Long::sum);
        }
    }

    private void take(long time) {
        if (time <= latest) {
            return;
        }
        if (time > believed) {
            believe();
        }
        if (time > believed && watermark != Long.MIN_VALUE) {
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

    /** Returns the greatest time that is believed at this watermark. */
    private long aheadOf(long time) {
        return settings.latestTime(time > Long.MAX_VALUE - window ? Long.MAX_VALUE : time + window);
    }

    private long watermarkOf(@Nullable ReachedWatermark group) {
        return group == null ? watermark : Math.max(watermark, group.millis());
    }

    private boolean isLate(long time, @Nullable ReachedWatermark group) {
        return time < minus(watermarkOf(group), window);
    }

    /** Counts a passing record as late or undecided, if an id that it may repeat has expired. */
    void countPassed(StreamRecord<?> record, @Nullable ReachedWatermark group) {
        long time = record.getTimestamp();
        if (isLate(time, group)) {
            late.inc();
        } else if (time < watermarkOf(group)
                || (group != null && minus(time, window) < group.coveredSince())) {
            undecided.inc();
        }
    }

    /** Counts what is late and does not pass. */
    void countLate() {
        late.inc();
    }

    /**
     * Takes over where the key groups were: the least watermark, since records between it and
     * others may still come, which are decided by the watermark of their own key group.
     */
    void restore(KeyGroupedState<ReachedWatermark> groups) {
        long[] least = {Long.MAX_VALUE};
        groups.forEach(
                group -> {
                    if (settings.resetClock()) {
                        group.reset();
                    }
                    elsewhere = Math.max(elsewhere, group.elsewhere());
                    furthest = Math.max(furthest, group.millis());
                    coveredSince = Math.max(coveredSince, group.coveredSince());
                    least[0] = Math.min(least[0], group.millis());
                });
        watermark = least[0] == Long.MAX_VALUE ? Long.MIN_VALUE : least[0];
        latest = watermark;
    }

    /** {@code Long.MAX_VALUE} is the end of the input, not a time. */
    void onWatermark(long timestamp) {
        watch.onWatermark(timestamp, wall.getCurrentProcessingTime());
        if (timestamp == Long.MAX_VALUE || timestamp <= watermark) {
            return;
        }
        watermark = timestamp;
        believe();
        latest = Math.max(Math.min(latest, Math.max(believed, elsewhere)), watermark);
        if (early != null) {
            countFuture();
            early = null;
        }
    }

    private void countFuture() {
        addEarly();
        // Of the slice that the bound is in, all: some may be beyond it.
        for (long count : early.tailMap(Math.floorDiv(believed, slice), true).values()) {
            future.inc(count);
        }
    }

    /** Returns how much of the window before the watermark is known. */
    private long covered() {
        return coveredSince == Long.MIN_VALUE || coveredSince < minus(watermark, window)
                ? window
                : Math.max(0, watermark - coveredSince);
    }

    /** To be called every few seconds, and at the end. */
    void check(long records) {
        coveredMillis = covered();
        watch.check(records, watermark, wall.getCurrentProcessingTime());
        stalledMillis = watch.stalledMillis();
        aheadMillis = watch.aheadMillis();
    }
}
