/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.memory.Touches;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.LateRecords;
import io.sluice.flink.runtime.WallTimers;
import java.io.Serializable;
import java.util.function.LongSupplier;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an operator knows about ids: a {@link Deduplicator} per key group, their clock, the rule for
 * late records, and the metrics. Operators have one as a member and pass it what Flink tells them.
 *
 * <p>A key group's clock is advanced when a record comes. All clocks are advanced when the
 * watermark has moved by 1/{@value #SWEEPS_PER_WINDOW} of the window or, in processing time, by a
 * timer of the same period. So forgetting goes on without records, and costs O(1) amortised however
 * often watermarks come. The timer belongs to the task and is not keyed: it has no state, and works
 * with raw keyed state on every backend.
 *
 * <p>{@code Watermark.MAX_WATERMARK} says that the input has ended, not that time has passed: ids
 * are not forgotten for it, so a job that was drained into a savepoint still knows its window.
 *
 * @param <T> type of the records
 */
@Internal
public final class SeenIds<T> implements Serializable {

    private static final Logger LOG = LoggerFactory.getLogger(SeenIds.class);

    private static final int SWEEPS_PER_WINDOW = 32;

    /** The timer also refreshes the metrics, so it fires at least this often, in ms. */
    private static final long MAX_TIMER_MILLIS = 5_000;

    private static final long MIN_TIMER_MILLIS = 50;

    private final WindowSettings settings;
    private final OnLate<T> onLate;
    private final PassRule rule;
    private final boolean contents;
    private final boolean eventTime;

    private transient String operator;
    private transient TaskInfo task;
    private transient KeyGroupedState<Deduplicator> groups;
    private transient ProcessingTimeService processingTime;
    private transient Output<?> output;
    private transient DeduplicateMetrics counts;
    private transient long watermark;

    /** Event times up to this are believed; may be too early. */
    private transient long latestTime;

    private transient long nextSweep;
    private transient EventTimeWatch watch;
    private transient MemoryPressure pressure;

    /** The wall clock, without its jumps. */
    private transient LongSupplier clock;

    private transient long snapshotStart;

    public SeenIds(WindowSettings settings, OnLate<T> onLate) {
        this(settings, onLate, PassRule.FIRST, false);
    }

    /**
     * @param contents whether contents are compared
     */
    SeenIds(WindowSettings settings, OnLate<T> onLate, PassRule rule, boolean contents) {
        this.settings = rule.settings(requireNonNull(settings, "settings"), contents);
        this.rule = rule;
        this.contents = contents;
        this.onLate = requireNonNull(onLate, "onLate");
        this.eventTime = settings.timeDomain() == TimeDomain.EVENT;
    }

    /** Returns the layout of the state, in the sense of {@link KeyGroupedState}. */
    public String layout(String engine) {
        return "engine=" + engine + ", timeDomain=" + settings.timeDomain();
    }

    /** Makes, writes and reads the deduplicators of one subtask. */
    public KeyGroupedState.Handler<Deduplicator> handler(TaskInfo task) {
        this.task = task;
        return DeduplicatorHandler.of(settings, task, contents);
    }

    /**
     * Must be called when the state has been restored, or begins empty.
     *
     * @param operator how messages name the operator
     * @param processingTime the wall clock as it is
     * @param clock the wall clock, without its jumps: for what is forgotten
     */
    public void start(
            String operator,
            KeyGroupedState<Deduplicator> groups,
            ProcessingTimeService processingTime,
            LongSupplier clock) {
        this.operator = operator;
        this.clock = clock;
        this.groups = groups;
        this.processingTime = processingTime;
        watch =
                new EventTimeWatch(
                        operator,
                        settings.windowMillis(),
                        LOG::warn,
                        processingTime.getCurrentProcessingTime());
        pressure = new MemoryPressure(operator, settings, LOG::warn);
        watermark = Long.MIN_VALUE;
        latestTimeNow();
        nextSweep = Long.MIN_VALUE;
        if (!eventTime) {
            long now = clock.getAsLong();
            groups.forEach(group -> resume(group, now));
        }
        if (settings.resetClock()) {
            groups.forEach(Deduplicator::resetClock);
        }
    }

    /** A group that was ahead of this machine's clock would stand still until that catches up. */
    private void resume(Deduplicator group, long now) {
        if (!settings.forgetDuringDowntime() || group.timeAt(now) < group.clock()) {
            group.resumeAt(now);
        }
    }

    /** Must be called after {@link #start}, before records. */
    public void open(MetricGroup metrics, Output<?> output) {
        this.output = output;
        counts = new DeduplicateMetrics(metrics);
        DeduplicateMetrics.showRequest(metrics, settings);
        refreshMetrics();
        SizingWarning.atStart(settings, operator, task, metrics);
    }

    /** Returns the cap on the memory of the filters of one subtask. */
    public MemorySize memory() {
        return settings.memory();
    }

    /** Returns how often {@link #onTimer} is to be called. */
    public long timerMillis() {
        return timerMillis(settings.windowMillis());
    }

    /** Returns how often a window is looked after. */
    static long timerMillis(long windowMillis) {
        return Math.max(
                MIN_TIMER_MILLIS, Math.min(MAX_TIMER_MILLIS, windowMillis / SWEEPS_PER_WINDOW));
    }

    /** Forgets by the wall clock, refreshes the metrics, and checks event time. */
    public void onTimer() {
        if (eventTime) {
            watch.check(counts.records(), latestClock(), processingTime.getCurrentProcessingTime());
            counts.eventTimeIs(watch);
        } else {
            // In this order: time that passes between the readings is not ahead.
            long wall = processingTime.getCurrentProcessingTime();
            counts.wallClockIsAheadBy(Math.max(0, wall - clock.getAsLong()));
            advanceAllToNow();
        }
        refreshMetrics();
    }

    private void refreshMetrics() {
        counts.refresh(groups, settings.windowMillis());
        pressure.check(counts, processingTime.getCurrentProcessingTime());
    }

    /** A restored clock may be ahead of all watermarks. */
    private long latestClock() {
        long[] latest = {watermark};
        groups.forEach(group -> latest[0] = Math.max(latest[0], group.clock()));
        return latest[0];
    }

    public DeduplicateMetrics counts() {
        return counts;
    }

    public boolean isEventTime() {
        return eventTime;
    }

    /** Returns whether time goes on in processing time while the job is down. */
    public boolean downtimeCounts() {
        return settings.forgetDuringDowntime();
    }

    /** In processing time: the wall clock, without its jumps. */
    long now() {
        return clock.getAsLong();
    }

    /** Returns when a timer has to fire for a time of {@link #now}, see {@link WallTimers#at}. */
    long timerAt(long time, long fired) {
        return WallTimers.at(time, processingTime, clock, fired);
    }

    /**
     * Returns the time at which records are decided, so that the clock is read once for all records
     * of a batch: in processing time {@link #now}; in event time a meaningless number.
     */
    public long readClock() {
        return eventTime ? 0 : clock.getAsLong();
    }

    /** Notes the memory that {@link #decide} will need, see {@link Deduplicator#touch}. */
    void touch(int keyGroup, long hash, Touches into) {
        Deduplicator group = groups.peek(keyGroup);
        if (group != null) {
            group.touch(hash, into);
        }
    }

    /**
     * Returns what is known of the record's id, with the late policy applied: FIRST if the record
     * is to be treated as new; LATE if it is dealt with already. Counts the record.
     *
     * @param now what {@link #readClock} says for the record
     */
    public Verdict decide(int keyGroup, long hash, StreamRecord<T> record, long now) {
        Deduplicator group = advancedGroup(keyGroup, now);
        long time = timeOf(record, group);
        long kept = keptAs(time);
        Verdict verdict = rule.decide(group, hash, time, kept);
        if (verdict == Verdict.FIRST && !group.decides(time)) {
            counts.countUndecided();
        }
        if (verdict != Verdict.LATE) {
            return verdict;
        }
        Verdict outcome = late(record);
        if (outcome == Verdict.FIRST) {
            rule.remember(group, hash, time, kept);
        }
        return outcome;
    }

    /**
     * As the other, where contents are compared.
     *
     * @param content the hash of the record's content
     */
    Verdict decide(int keyGroup, long hash, long content, StreamRecord<T> record, long now) {
        Deduplicator group = advancedGroup(keyGroup, now);
        long time = timeOf(record, group);
        long kept = keptAs(time);
        Verdict verdict = rule.decide(group, hash, content, time, kept);
        if (verdict == Verdict.FIRST && !group.decides(time)) {
            counts.countUndecided();
        }
        if (verdict != Verdict.LATE) {
            return verdict;
        }
        Verdict outcome = late(record);
        if (outcome == Verdict.FIRST) {
            rule.remember(group, hash, content, time, kept);
        }
        return outcome;
    }

    /**
     * Returns when an id was seen elsewhere, on the clock of its key group. Where its record has no
     * timestamp in event time, that is the present: the watermark, before the first one the time of
     * the last id of the key group, or without any the wall clock.
     *
     * @param now what {@link #readClock} says for the record
     */
    public long timeElsewhere(int keyGroup, StreamRecord<?> record, long now) {
        Deduplicator group = advanced(keyGroup, now);
        boolean hasTime = record.hasTimestamp() && record.getTimestamp() != Long.MIN_VALUE;
        if (eventTime && hasTime) {
            return record.getTimestamp();
        }
        if (group.clock() != Long.MIN_VALUE) {
            return group.clock();
        }
        return group.latest() != Long.MIN_VALUE
                ? Math.min(group.latest(), latestTimeNow())
                : processingTime.getCurrentProcessingTime();
    }

    /**
     * Remembers an id that was seen elsewhere: FIRST if it was not known here, LATE if it is too
     * old to be remembered; then it is counted.
     *
     * @param time what {@link #timeElsewhere} says
     */
    Verdict note(int keyGroup, long hash, long time) {
        return note(keyGroup, hash, time, 0);
    }

    /**
     * As the other, for an id that may be older: in event time, LATE as well if, remembered here,
     * it could be forgotten by now.
     *
     * @param olderMillis by how much at most
     */
    public Verdict note(int keyGroup, long hash, long time, long olderMillis) {
        Deduplicator group = groups.get(keyGroup);
        long older = eventTime ? olderMillis : 0;
        long oldest = Math.max(time, Long.MIN_VALUE + older) - older;
        Verdict verdict =
                group.isLate(oldest)
                        ? group.find(hash, time)
                        : rule.note(group, hash, time, keptAs(time));
        if (verdict == Verdict.LATE) {
            counts.countLate();
        }
        return verdict;
    }

    /**
     * Counts a record, and returns its key group with its clock advanced to the present.
     *
     * @param now what {@link #readClock} says for the record
     */
    Deduplicator advancedGroup(int keyGroup, long now) {
        counts.countRecord();
        return advanced(keyGroup, now);
    }

    private Deduplicator advanced(int keyGroup, long now) {
        Deduplicator group = groups.get(keyGroup);
        if (eventTime) {
            group.advanceTo(watermark, latestTime);
        } else {
            group.advanceTo(group.timeAt(now));
        }
        return group;
    }

    /** Returns the record's time on the clock of its (advanced) key group. */
    long timeOf(StreamRecord<T> record, Deduplicator group) {
        return eventTime ? EventTime.of(record, operator) : group.clock();
    }

    /**
     * Returns the time that a record with this {@link #timeOf} is kept as: its own, or the latest
     * that is believed; then it is counted.
     */
    long keptAs(long time) {
        if (!eventTime || time <= latestTime || time <= latestTimeNow()) {
            return time;
        }
        counts.countFuture();
        return latestTime;
    }

    /**
     * Returns the latest time that is believed now: {@code maxFuture} ahead of the wall clock, or
     * of a watermark that is ahead of it. It does not follow the watermark alone, which may be days
     * behind the records of a backlog.
     */
    private long latestTimeNow() {
        long now = Math.max(watermark, processingTime.getCurrentProcessingTime());
        latestTime = settings.latestTime(now);
        return latestTime;
    }

    /**
     * Returns the record's timestamp in event time, else {@code now}.
     *
     * @param now what {@link #readClock} says for the record
     */
    public long timestampOf(StreamRecord<T> record, long now) {
        return eventTime ? EventTime.of(record, operator) : now;
    }

    /** Counts a late record, and handles it as the policy says; FIRST if it passes. */
    Verdict late(StreamRecord<T> record) {
        counts.countLate();
        return LateRecords.pass(onLate, record, output) ? Verdict.FIRST : Verdict.LATE;
    }

    /** Forgets by the watermark. */
    public void onWatermark(long timestamp) {
        if (!eventTime) {
            return;
        }
        watch.onWatermark(timestamp, processingTime.getCurrentProcessingTime());
        if (timestamp == Long.MAX_VALUE) {
            return;
        }
        watermark = Math.max(watermark, timestamp);
        latestTimeNow();
        if (watermark >= nextSweep) {
            groups.forEach(group -> group.advanceTo(watermark, latestTime));
            long step = Math.max(1, settings.windowMillis() / SWEEPS_PER_WINDOW);
            nextSweep = watermark > Long.MAX_VALUE - step ? Long.MAX_VALUE : watermark + step;
        }
    }

    /** Must be called before the state is written. */
    public void beforeSnapshot() {
        snapshotStart = System.nanoTime();
        // After a restore every clock continues from here, and determines what has left the window.
        if (eventTime) {
            groups.forEach(group -> group.advanceTo(watermark, latestTime));
        } else {
            advanceAllToNow();
        }
    }

    private void advanceAllToNow() {
        long now = clock.getAsLong();
        groups.forEach(group -> group.advanceTo(group.timeAt(now)));
    }

    /** Must be called after the state was written. */
    public void afterSnapshot() {
        counts.snapshotTook(System.nanoTime() - snapshotStart);
    }

    /** Must be called at the end of the input: the metrics then show the last state. */
    public void finish() {
        refreshMetrics();
    }
}
