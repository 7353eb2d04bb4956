/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.filter.forgetful.SteadyClock;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.VisibleForTesting;
import org.apache.flink.api.common.operators.ProcessingTimeService.ProcessingTimeCallback;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * A keyed operator whose state is a {@link KeyGroupedState}.
 *
 * <p>Raw keyed state has one writer per operator. If RocksDB is configured to keep timers on the
 * heap, Flink's own timer service is that writer: it writes all keyed timers there, synchronously,
 * and every checkpoint of an operator with its own raw state fails, with or without timers. If
 * {@link #usesKeyedTimers} is false there are no timers to write, so they are left out of the
 * snapshot and that setup works too; everywhere else (hash map backend, RocksDB with its default of
 * timers in RocksDB) keyed timers live in managed state and do not conflict.
 *
 * <p>Flink does not set the key context before a record: operators that use keyed state call {@link
 * #setCurrentKey} themselves, for the records that need it.
 *
 * <p>The synchronous part of a checkpoint pins the structures, the asynchronous part writes them:
 * see {@link KeyGroupsSnapshotFuture}. Filters are copied on write, in microseconds for 100 MB; for
 * each checkpoint under way the heap needs room for at most another copy of the subtask's filters,
 * and hardly at all if few ids come in the meantime.
 *
 * <p>An operator that is also an {@link OptionalSecondInput} takes event time from its first input
 * only: of the second, only the end matters.
 *
 * @param <IN> type of the records
 * @param <OUT> type of the output
 * @param <S> type of the structure of a key group
 */
@Internal
public abstract class KeyGroupedOperator<IN, OUT, S> extends AbstractStreamOperator<OUT>
        implements OneInputStreamOperator<IN, OUT> {

    private transient KeyGroupedState<S> groups;
    private transient int maxParallelism;

    /** Set between the two steps of the synchronous part of a checkpoint; otherwise null. */
    private transient PinnedKeyGroups pinned;

    /** Null if it is the machine's. */
    private transient @Nullable LongSupplier steadyNanos;

    /** Whether the end of event time has come from each of two inputs. */
    private transient boolean firstEnded;

    private transient boolean secondEnded;

    protected KeyGroupedOperator() {}

    /** Returns the layout that is written, in the sense of {@link KeyGroupedState}. */
    protected abstract String layout();

    /** Returns the layouts that can be restored. */
    protected abstract Set<String> readableLayouts();

    /** Returns what the structures are made of beyond the layout; called once. */
    protected StateIdentity identity() throws Exception {
        return StateIdentity.NONE;
    }

    /** Makes, writes and reads the structures; called once, before anything is restored. */
    protected abstract KeyGroupedState.Handler<S> createHandler() throws Exception;

    /** Returns whether timers of {@link #getInternalTimerService} are registered. */
    protected boolean usesKeyedTimers() {
        return false;
    }

    /** Returns the structures, from {@link #initializeState} on. */
    protected final KeyGroupedState<S> groups() {
        return groups;
    }

    /** Returns the key group to which Flink assigns a key with this {@code hashCode()}. */
    protected final int keyGroupOf(int keyHashCode) {
        return KeyGroupRangeAssignment.computeKeyGroupForKeyHash(keyHashCode, maxParallelism);
    }

    /** Returns how messages name this operator. */
    protected final String describe() {
        return "'" + getRuntimeContext().getTaskInfo().getTaskName() + "'";
    }

    /**
     * Warns if the heap has no room for this memory in each slot; called when the operator opens.
     */
    protected final void checkHeap(MemorySize memory) {
        HeapCheck.atStart(
                describe(),
                memory,
                getRuntimeContext().getTaskInfo(),
                getContainingTask().getEnvironment().getTaskManagerInfo());
    }

    /**
     * Returns a new view of the wall clock for what is forgotten: it does not jump, see {@link
     * SteadyClock}. A clock that a test sets is used as it is.
     *
     * @param downtimeCounts if not, a machine that slept is like a job that was down
     */
    protected final LongSupplier steadyWallClock(boolean downtimeCounts) {
        LongSupplier wall = getProcessingTimeService()::getCurrentProcessingTime;
        return steadyNanos == null
                ? SteadyClock.of(wall, downtimeCounts)
                : new SteadyClock(wall, steadyNanos, downtimeCounts);
    }

    /** Checks the wall clock by this clock, whether it is the machine's or a test's. */
    @VisibleForTesting
    public final void steadyNanos(LongSupplier nanos) {
        steadyNanos = nanos;
    }

    /**
     * Calls {@code task} with the wall-clock time every {@code periodMillis}, from the task's
     * thread, until the operator ends. These timers have no state and no key. The next timer is set
     * after one has run, so they do not pile up behind a slow record.
     */
    protected final void callEvery(long periodMillis, ProcessingTimeCallback task) {
        long next = getProcessingTimeService().getCurrentProcessingTime() + periodMillis;
        ScheduledFuture<?> unused =
                getProcessingTimeService()
                        .registerTimer(
                                next,
                                now -> {
                                    task.onProcessingTime(now);
                                    callEvery(periodMillis, task);
                                });
    }

    /**
     * Called before anything but a record passes the operator, and at its end: records that wait
     * must not be overtaken.
     */
    protected void beforeControl() throws Exception {}

    /** Handles a watermark that no record waits for any more. */
    protected void advance(Watermark mark) throws Exception {
        super.processWatermark(mark);
    }

    @Override
    public final void processWatermark(Watermark mark) throws Exception {
        beforeControl();
        advance(mark);
    }

    @Override
    public final void processWatermark1(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            firstEnded = true;
            endIfOver();
        } else {
            processWatermark(mark);
        }
    }

    @Override
    public final void processWatermark2(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            secondEnded = true;
            endIfOver();
        }
    }

    /** What the second input still brings must not be late after the end of the first. */
    private void endIfOver() throws Exception {
        if (firstEnded && secondEnded) {
            processWatermark(Watermark.MAX_WATERMARK);
        }
    }

    @Override
    public final void processWatermarkStatus(WatermarkStatus status) throws Exception {
        beforeControl();
        super.processWatermarkStatus(status);
    }

    @Override
    protected final void processWatermarkStatus(WatermarkStatus status, int input)
            throws Exception {
        if (input == 0) {
            processWatermarkStatus(status);
        }
    }

    @Override
    public final void processRecordAttributes(RecordAttributes attributes) throws Exception {
        beforeControl();
        super.processRecordAttributes(attributes);
    }

    @Override
    public final void processRecordAttributes1(RecordAttributes attributes) {
        ThrowingRunnable.unchecked(this::beforeControl).run();
        super.processRecordAttributes1(attributes);
    }

    @Override
    public final void processRecordAttributes2(RecordAttributes attributes) {
        ThrowingRunnable.unchecked(this::beforeControl).run();
        super.processRecordAttributes2(attributes);
    }

    @Override
    public final void processLatencyMarker(LatencyMarker marker) throws Exception {
        beforeControl();
        super.processLatencyMarker(marker);
    }

    @Override
    public final void processLatencyMarker1(LatencyMarker marker) throws Exception {
        processLatencyMarker(marker);
    }

    @Override
    public final void processLatencyMarker2(LatencyMarker marker) throws Exception {
        processLatencyMarker(marker);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        beforeControl();
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        beforeControl();
        if (firstEnded != secondEnded) {
            // The other input was idle when it ended, and so did not say that event time has ended.
            output.emitWatermarkStatus(WatermarkStatus.ACTIVE);
            processWatermark(Watermark.MAX_WATERMARK);
        }
        super.finish();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        if (usesKeyedTimers()) {
            KeyedTimers.requireManaged(getKeyedStateBackend(), describe());
        }
        var task = getRuntimeContext().getTaskInfo();
        maxParallelism = task.getMaxNumberOfParallelSubtasks();
        KeyGroupRange range =
                KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                        maxParallelism,
                        task.getNumberOfParallelSubtasks(),
                        task.getIndexOfThisSubtask());
        groups =
                new KeyGroupedState<>(
                        describe(),
                        range,
                        maxParallelism,
                        layout(),
                        readableLayouts(),
                        identity(),
                        createHandler());
        if (context.isRestored()) {
            OperatorLayout.requireNone(context.getOperatorStateStore(), describe(), layout());
            groups.restore(context.getRawKeyedStateInputs());
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        pinned = groups.pin();
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId,
            long timestamp,
            CheckpointOptions checkpointOptions,
            CheckpointStreamFactory factory)
            throws CheckpointException {
        try {
            OperatorSnapshotFutures futures =
                    stateHandler.snapshotState(
                            this,
                            usesKeyedTimers() ? getTimeServiceManager() : Optional.empty(),
                            getOperatorName(),
                            checkpointId,
                            timestamp,
                            checkpointOptions,
                            factory,
                            isUsingCustomRawKeyedState(),
                            isAsyncKeyOrderedProcessingEnabled());
            writeLater(futures, checkpointId, factory);
            return futures;
        } finally {
            if (pinned != null) {
                pinned.close();
                pinned = null;
            }
        }
    }

    /** Writes what is pinned in place of Flink's own raw keyed state. */
    private void writeLater(
            OperatorSnapshotFutures futures, long checkpointId, CheckpointStreamFactory factory)
            throws CheckpointException {
        // It would stay idle in the task until that ends.
        futures.getKeyedStateRawFuture().cancel(true);
        try {
            futures.setKeyedStateRawFuture(
                    KeyGroupsSnapshotFuture.create(
                            pinned, factory, getContainingTask().getCancelables()));
            pinned = null;
        } catch (IOException taskIsClosing) {
            CheckpointException declined =
                    new CheckpointException(
                            "Could not complete snapshot "
                                    + checkpointId
                                    + " for operator "
                                    + getOperatorName()
                                    + ".",
                            CheckpointFailureReason.CHECKPOINT_DECLINED,
                            taskIsClosing);
            try {
                futures.cancel();
            } catch (Exception e) {
                declined.addSuppressed(e);
            }
            throw declined;
        }
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            // Also called when the task fails half way, or while it is restored.
            if (groups != null) {
                groups.close();
            }
        }
    }

    @Override
    protected boolean isUsingCustomRawKeyedState() {
        return true;
    }

    @Override
    public boolean hasKeyContext1() {
        return false;
    }

    @Override
    public boolean hasKeyContext2() {
        return false;
    }
}
