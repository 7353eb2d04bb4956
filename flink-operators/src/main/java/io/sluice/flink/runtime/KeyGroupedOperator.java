/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.operators.ProcessingTimeService.ProcessingTimeCallback;
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

/**
 * A keyed operator whose state is a {@link KeyGroupedState}.
 *
 * <p>Raw keyed state has one writer per operator. Flink's own timer service is one where RocksDB is
 * told to keep timers on the heap: it then writes all keyed timers there, synchronously, and every
 * checkpoint of an operator with raw state of its own fails, whether it has timers or not. Where
 * {@link #usesKeyedTimers} is false there are none to write, so they are left out of the snapshot
 * and that setup works too; everywhere else (hash map backend, RocksDB with its default of timers
 * in RocksDB) keyed timers live in managed state and do not conflict.
 *
 * <p>Flink does not set the key context before a record: operators that use keyed state call {@link
 * #setCurrentKey} themselves, for the records that need it.
 *
 * <p>The synchronous part of a checkpoint pins the structures, the asynchronous part writes them:
 * see {@link KeyGroupsSnapshotFuture}. Filters are copied on write, in microseconds for 100 MB; the
 * heap needs room for at most the size of the subtask's filters besides them, for each checkpoint
 * under way, and for about nothing if the ids that come in the meantime are few.
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

    /** Between the two parts of the synchronous part of a checkpoint; else null. */
    private transient PinnedKeyGroups pinned;

    protected KeyGroupedOperator() {}

    /** What is written, in the sense of {@link KeyGroupedState}. */
    protected abstract String layout();

    /** What can be restored. */
    protected abstract Set<String> readableLayouts();

    /** What the structures are made of beyond the layout; asked for once. */
    protected StateIdentity identity() throws Exception {
        return StateIdentity.NONE;
    }

    /** Makes, writes and reads the structures; asked for once, before anything is restored. */
    protected abstract KeyGroupedState.Handler<S> createHandler() throws Exception;

    /** Whether timers of {@link #getInternalTimerService} are registered. */
    protected boolean usesKeyedTimers() {
        return false;
    }

    /** The structures, from {@link #initializeState} on. */
    protected final KeyGroupedState<S> groups() {
        return groups;
    }

    /** The key group of a key with this {@code hashCode()}: the one that Flink sent it here for. */
    protected final int keyGroupOf(int keyHashCode) {
        return KeyGroupRangeAssignment.computeKeyGroupForKeyHash(keyHashCode, maxParallelism);
    }

    /** How messages name this operator. */
    protected final String describe() {
        return "'" + getRuntimeContext().getTaskInfo().getTaskName() + "'";
    }

    /**
     * Calls {@code task} with the wall-clock time every {@code periodMillis}, from the task's
     * thread, until the operator ends. These timers have no state and no key. The next is set when
     * one has run, so that they do not pile up behind a slow record.
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

    /** Puts the writing of what is pinned in the place of Flink's own raw keyed state. */
    private void writeLater(
            OperatorSnapshotFutures futures, long checkpointId, CheckpointStreamFactory factory)
            throws CheckpointException {
        // It has nothing to do, but the task would keep it until its end.
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
            // Also when the task fails half way, or while it is restored.
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
}
