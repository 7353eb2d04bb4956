/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.GroupExchanges.Fate;
import io.sluice.flink.reconcile.ReconcileOutputs.Tags;
import io.sluice.flink.reconcile.element.ElementIds;
import io.sluice.flink.reconcile.element.GroupKeys;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the exchanges of a subtask's key groups. First input: the records, with the watermark that
 * closes windows. Second input: the peer's messages; its watermarks are ignored.
 *
 * <p>Elements are in managed keyed state. Exchanges are on the heap, and every checkpoint copies
 * them into keyed state. Both inputs have the key group's key ({@link GroupKeys}), which {@link
 * StateHost} sets. Messages leave with completed checkpoints ({@link Outbox}).
 *
 * <p><b>The end of the records</b> closes all windows, with the next checkpoint rather than
 * immediately: if both inputs end together, as in a drain, there is nobody left to answer. The
 * windows then stay as they are, for a restore, and are reported as unfinished.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class ReconcileOperator<T, K> extends AbstractStreamOperator<Repair<K>>
        implements TwoInputStreamOperator<T, Tuple2<Integer, byte[]>, Repair<K>> {

    private static final Logger LOG = LoggerFactory.getLogger(ReconcileOperator.class);

    private final ReconcileSettings settings;
    private final KeySelector<T, K> idSelector;
    private final ElementIds<K> ids;
    private final @Nullable Multiplicity<T> multiplicity;
    private final Tags<T, K> tags;

    private transient ReconcileState state;
    private transient ReconcileMetrics counts;
    private transient List<GroupExchanges> groups;
    private transient int firstGroup;
    private transient ReconcileClock clock;
    private transient ReconcileEmitter<T, K> emitter;
    private transient StateHost<K> host;

    /** Not the wall clock, which may be set: what waits would be given up when it is set ahead. */
    private transient @Nullable LongSupplier steadyMillis;

    private transient long lastCheckpointMillis;

    private transient boolean recordsEnded;
    private transient boolean messagesEnded;
    private transient boolean finished;

    /**
     * @param multiplicity null if each id counts once
     */
    ReconcileOperator(
            ReconcileSettings settings,
            KeySelector<T, K> idSelector,
            ElementIds<K> ids,
            @Nullable Multiplicity<T> multiplicity,
            Tags<T, K> tags) {
        this.settings = requireNonNull(settings, "settings");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.ids = requireNonNull(ids, "ids");
        this.multiplicity = multiplicity;
        this.tags = requireNonNull(tags, "tags");
    }

    /** A clock that never jumps, instead of the machine's. */
    void steadyClock(LongSupplier millis) {
        steadyMillis = millis;
    }

    private long steadyMillis() {
        return steadyMillis != null
                ? steadyMillis.getAsLong()
                : TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        var task = getRuntimeContext().getTaskInfo();
        int maxParallelism = task.getMaxNumberOfParallelSubtasks();
        if (maxParallelism != settings.setup().groups()) {
            throw new IllegalStateException(
                    "The maximum parallelism of '"
                            + task.getTaskName()
                            + "' must be groups = "
                            + settings.setup().groups()
                            + ", but is "
                            + maxParallelism
                            + ": do not set it, or set groups to it on both replicas.");
        }
        KeyGroupRange range =
                KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                        maxParallelism,
                        task.getNumberOfParallelSubtasks(),
                        task.getIndexOfThisSubtask());
        Integer[] keys = GroupKeys.of(maxParallelism);
        firstGroup = range.getStartKeyGroup();
        String name = "Operator '" + task.getTaskName() + "'";
        long now = getProcessingTimeService().getCurrentProcessingTime();
        clock =
                new ReconcileClock(
                        name, settings.maxFutureMillis(), getProcessingTimeService(), LOG::warn);
        state = new ReconcileState(getKeyedStateBackend(), settings, ids.typeName());
        groups = new ArrayList<>();
        for (int group : range) {
            setCurrentKey(keys[group]);
            GroupExchanges exchanges = state.restore(group, Math.max(1, now), name, keys[group]);
            clock.resumeAt(exchanges.watermark());
            groups.add(exchanges);
        }
        counts = new ReconcileMetrics(getMetricGroup());
        emitter =
                new ReconcileEmitter<>(
                        name,
                        settings.setup(),
                        ids,
                        tags,
                        output,
                        clock,
                        counts,
                        getProcessingTimeService(),
                        LOG::warn);
        host = new StateHost<>(this, keys, ids, state, emitter);
        lastCheckpointMillis = steadyMillis();
    }

    @Override
    public void processElement1(StreamRecord<T> record) throws Exception {
        if (!record.hasTimestamp() || record.getTimestamp() == Long.MIN_VALUE) {
            throw new IllegalStateException(
                    "Records to be reconciled need timestamps, to know their windows: call"
                            + " assignTimestampsAndWatermarks before.");
        }
        long time = record.getTimestamp();
        if (!settings.setup().hasWindow(time) || !clock.believes(time)) {
            refuse(record);
            return;
        }
        long copies = multiplicity == null ? OwnMultiset.ONCE : multiplicity.of(record.getValue());
        if (copies < 1 && multiplicity != null) {
            counts.countNoCopies();
            if (copies < 0) {
                emitter.late(record);
            }
            return;
        }
        K id = idSelector.getKey(record.getValue());
        if (id == null) {
            counts.countNullId();
            emitter.late(record);
            return;
        }
        long hash = ids.hash(id);
        int group = settings.setup().groupOf(hash);
        Fate fate = at(group).add(time, hash, ids.bytes(id), copies, host);
        counts.countRecord(fate);
        if (fate != Fate.COUNTED) {
            emitter.late(record);
        }
    }

    private void refuse(StreamRecord<T> record) {
        counts.countFuture();
        clock.wildRecord(record.getTimestamp());
        emitter.late(record);
    }

    @Override
    public void processElement2(StreamRecord<Tuple2<Integer, byte[]>> record) throws Exception {
        Message message = MessageFormat.read(record.getValue().f1, "a message of the peer");
        at(message.head().group()).receive(message, host);
    }

    /** The exchanges of a key group, up to the watermark; the host has turned to it. */
    private GroupExchanges at(int group) throws Exception {
        host.enter(group);
        GroupExchanges exchanges = groups.get(group - firstGroup);
        if (exchanges.watermark() < clock.watermark()) {
            exchanges.advance(clock.watermark(), host);
        }
        return exchanges;
    }

    @Override
    public void processWatermark1(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            recordsEnded = true;
            endIfOver();
        } else {
            advance(mark.getTimestamp());
        }
    }

    private void advance(long timestamp) throws Exception {
        if (!clock.advance(timestamp)) {
            return;
        }
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).nextEnd() - 1 <= timestamp) {
                at(firstGroup + i);
            }
        }
        super.processWatermark(new Watermark(timestamp));
        clock.forwarded(timestamp);
    }

    /** Event time is that of the records; for the messages only their end matters. */
    @Override
    public void processWatermark2(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            messagesEnded = true;
            endIfOver();
        }
    }

    private void endIfOver() throws Exception {
        if (!recordsEnded || !messagesEnded) {
            return;
        }
        for (GroupExchanges group : groups) {
            for (Reconciliation exchange : group.exchanges()) {
                WindowReport report = exchange.unfinished();
                if (report != null) {
                    emitter.report(report);
                }
            }
        }
        output.emitWatermark(Watermark.MAX_WATERMARK);
        clock.forwarded(Long.MAX_VALUE);
    }

    @Override
    protected void processWatermarkStatus(WatermarkStatus status, int index) {
        if (index == 0) {
            output.emitWatermarkStatus(status);
        }
    }

    /** Here rather than in the snapshot: what it emits must come before the barrier. */
    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        long now = steadyMillis();
        long elapsed = now - lastCheckpointMillis;
        lastCheckpointMillis = now;
        advance(clock.takeHeld());
        for (int i = 0; i < groups.size(); i++) {
            GroupExchanges exchanges = at(firstGroup + i);
            if (recordsEnded && !messagesEnded) {
                exchanges.end(host);
            }
            exchanges.beforeCheckpoint(elapsed, host);
            state.write(exchanges);
        }
        state.outbox().begin(checkpointId);
        counts.refresh(groups, clock);
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId,
            long timestamp,
            CheckpointOptions options,
            CheckpointStreamFactory factory)
            throws Exception {
        if (options.getCheckpointType() instanceof SavepointType savepoint
                && savepoint.isSynchronous()) {
            state.outbox().beginStop(checkpointId);
        }
        return super.snapshotState(checkpointId, timestamp, options, factory);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        if (!finished) {
            state.outbox().complete(checkpointId, this, emitter::message);
        }
    }

    @Override
    public void finish() throws Exception {
        finished = true;
        super.finish();
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
