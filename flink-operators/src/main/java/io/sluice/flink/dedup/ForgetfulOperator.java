/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.forgetful.WindowedFilter;
import io.sluice.flink.KeyGroupedOperator;
import io.sluice.flink.KeyGroupedState;
import io.sluice.flink.OnLate;
import io.sluice.flink.PinnedStructure;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The shell around {@link Deduplicator}: one per key group, its clock, its state, its metrics.
 *
 * <p>The clock of a key group is moved when a record comes, and for all of them now and then: when
 * the watermark has moved by 1/{@value #SWEEPS_PER_WINDOW} of the window, or, in processing time,
 * by a timer of the same period. So forgetting goes on without records, and costs O(1) amortised
 * however often watermarks come. The timer is one of the task, not a keyed one: it has no state,
 * and runs beside raw keyed state on every backend.
 *
 * <p>{@code Watermark.MAX_WATERMARK} says that the input has ended, not that time has passed: it
 * forgets nothing, so that a job that was drained into a savepoint still knows its window.
 *
 * @param <IN> type of the records
 * @param <OUT> type of the output
 */
@Internal
public abstract class ForgetfulOperator<IN, OUT> extends KeyGroupedOperator<IN, OUT, Deduplicator> {

    private static final int SWEEPS_PER_WINDOW = 32;

    /** The timer also refreshes the metrics, so it comes at least so often, in ms. */
    private static final long MAX_TIMER_MILLIS = 5_000;

    private static final long MIN_TIMER_MILLIS = 50;

    private final WindowSettings settings;
    private final int schemeCode;
    private final OnLate<IN> onLate;

    private transient boolean eventTime;
    private transient long watermark;
    private transient long nextSweep;

    /** The wall clock when the records at hand came. */
    private transient long wallClock;

    private transient DeduplicateMetrics counts;

    /**
     * @param schemeCode persistent code of what is hashed
     */
    protected ForgetfulOperator(WindowSettings settings, int schemeCode, OnLate<IN> onLate) {
        this.settings = requireNonNull(settings, "settings");
        this.schemeCode = schemeCode;
        this.onLate = requireNonNull(onLate, "onLate");
    }

    /** The name of the engine, the first part of the layout. */
    protected abstract String engine();

    /** Engines whose state can be restored; at least the present one. */
    protected Set<String> readableEngines() {
        return Set.of(engine());
    }

    protected final WindowSettings settings() {
        return settings;
    }

    protected final boolean isEventTime() {
        return eventTime;
    }

    protected final DeduplicateMetrics counts() {
        return counts;
    }

    @Override
    protected final String layout() {
        return layout(engine());
    }

    @Override
    protected final Set<String> readableLayouts() {
        return readableEngines().stream().map(this::layout).collect(Collectors.toUnmodifiableSet());
    }

    private String layout(String engine) {
        return "engine=" + engine + ", ids=" + schemeCode + ", timeDomain=" + settings.timeDomain();
    }

    @Override
    protected KeyGroupedState.Handler<Deduplicator> createHandler() {
        var task = getRuntimeContext().getTaskInfo();
        int keyGroups = task.getMaxNumberOfParallelSubtasks();
        int ownKeyGroups = Math.max(1, keyGroups / task.getNumberOfParallelSubtasks());
        int shadowIds =
                settings.shadowIds() == 0 ? 0 : Math.max(1, settings.shadowIds() / ownKeyGroups);
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(settings.windowMillis())
                        .falsePositiveProbability(settings.fpp())
                        .expectedPerWindow(settings.idsPerWindowAndKeyGroup(keyGroups))
                        .onOverflow(settings.overflow())
                        .build();
        // Filters are made for what is expected at once, if half of the memory is enough for all:
        // the other half is for growth. Else they begin small, and it goes to those that get ids.
        long cap = settings.memory().getBytes();
        boolean suffices = WindowedFilter.expectedBytes(options) <= cap / 2 / ownKeyGroups;
        long firstIds = suffices ? options.expectedPerWindow() : 0;
        return new Handler(options, new MemoryBudget(cap), firstIds, shadowIds);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        eventTime = settings.timeDomain() == TimeDomain.EVENT;
        watermark = Long.MIN_VALUE;
        nextSweep = Long.MIN_VALUE;
        if (!eventTime && !settings.forgetDuringDowntime()) {
            long now = getProcessingTimeService().getCurrentProcessingTime();
            groups().forEach(group -> group.resumeAt(now));
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        counts = new DeduplicateMetrics(getMetricGroup());
        counts.refresh(groups());
        long period =
                Math.max(
                        MIN_TIMER_MILLIS,
                        Math.min(MAX_TIMER_MILLIS, settings.windowMillis() / SWEEPS_PER_WINDOW));
        callEvery(period, this::onTimer);
    }

    /** To be called before records are decided: the clock is read once for all of them. */
    protected final void readClock() {
        if (!eventTime) {
            wallClock = getProcessingTimeService().getCurrentProcessingTime();
        }
    }

    /**
     * What is known of the record's id, with the late policy applied: FIRST if the record is to be
     * treated as new; LATE if nothing more is to be done with it. Counts the record. {@link
     * #readClock} comes before.
     */
    protected final Verdict decide(int keyGroup, long hash, StreamRecord<IN> record) {
        Deduplicator group = advancedGroup(keyGroup, record);
        long time = timeOf(record, group);
        Verdict verdict = group.decide(hash, time);
        if (verdict != Verdict.LATE) {
            return verdict;
        }
        Verdict outcome = late(record);
        if (outcome == Verdict.FIRST && time >= group.windowStart()) {
            group.remember(hash, time);
        }
        return outcome;
    }

    /** Counts the record, and returns its key group with the clock at the present time. */
    protected final Deduplicator advancedGroup(int keyGroup, StreamRecord<IN> record) {
        counts.countRecord();
        Deduplicator group = groups().get(keyGroup);
        group.advanceTo(eventTime ? watermark : group.timeAt(wallClock));
        return group;
    }

    /**
     * The record's time on the clock of its (advanced) key group. Counts it if it is too far in the
     * future, and brings it nearer.
     */
    protected final long timeOf(StreamRecord<IN> record, Deduplicator group) {
        if (!eventTime) {
            return group.clock();
        }
        long time = eventTimestamp(record);
        long latest = settings.latestTime(group.clock());
        if (time > latest) {
            counts.countFuture();
            return latest;
        }
        return time;
    }

    /** The record's timestamp in event time, else the present wall-clock time. */
    protected final long timestampOf(StreamRecord<IN> record) {
        return eventTime ? eventTimestamp(record) : wallClock;
    }

    private long eventTimestamp(StreamRecord<IN> record) {
        if (!record.hasTimestamp()) {
            throw new IllegalStateException(
                    "Operator "
                            + describe()
                            + " works in event time, but a record has no timestamp: assign"
                            + " timestamps and watermarks before it, or choose"
                            + " timeDomain(PROCESSING).");
        }
        return record.getTimestamp();
    }

    /** Counts a late record, and does with it what the policy says; FIRST if it passes. */
    protected final Verdict late(StreamRecord<IN> record) {
        counts.countLate();
        if (onLate.forwards()) {
            return Verdict.FIRST;
        }
        if (onLate.sideOutput() != null) {
            output.collect(onLate.sideOutput(), record);
        }
        return Verdict.LATE;
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (eventTime && mark.getTimestamp() != Long.MAX_VALUE) {
            watermark = Math.max(watermark, mark.getTimestamp());
            if (watermark >= nextSweep) {
                groups().forEach(group -> group.advanceTo(watermark));
                long step = Math.max(1, settings.windowMillis() / SWEEPS_PER_WINDOW);
                nextSweep = watermark > Long.MAX_VALUE - step ? Long.MAX_VALUE : watermark + step;
            }
        }
        super.processWatermark(mark);
    }

    private void onTimer(long wallClock) {
        if (!eventTime) {
            groups().forEach(group -> group.advanceTo(group.timeAt(wallClock)));
        }
        counts.refresh(groups());
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        long start = System.nanoTime();
        if (!eventTime) {
            // The clock goes on from here after a restore.
            long now = getProcessingTimeService().getCurrentProcessingTime();
            groups().forEach(group -> group.advanceTo(group.timeAt(now)));
        }
        super.snapshotState(context);
        counts.snapshotTook(System.nanoTime() - start);
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        counts.refresh(groups());
    }

    /** Makes, writes and reads deduplicators that share a budget. */
    private record Handler(WindowOptions options, MemoryBudget budget, long firstIds, int shadowIds)
            implements KeyGroupedState.Handler<Deduplicator> {

        @Override
        public Deduplicator create() {
            return Deduplicator.create(options, budget, firstIds, shadowIds);
        }

        @Override
        public void write(Deduplicator group, OutputStream out) throws IOException {
            group.writeTo(out);
        }

        @Override
        public PinnedStructure pin(Deduplicator group) {
            return group.pin();
        }

        @Override
        public Deduplicator read(InputStream in, String source) throws IOException {
            return Deduplicator.readFrom(in, source, options, budget, shadowIds);
        }
    }
}
