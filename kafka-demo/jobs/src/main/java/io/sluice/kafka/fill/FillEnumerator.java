/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import io.sluice.kafka.ForwardingContext;
import io.sluice.kafka.fill.FillPhase.Filled;
import io.sluice.kafka.fill.FillPhase.Over;
import io.sluice.kafka.identity.StartedSplit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.kafka.common.TopicPartition;

/**
 * Lets all subtasks read what is only remembered before any of them reads on. When all have emitted
 * it, some of it may still be on its way to the operator that remembers; so they go on when a
 * checkpoint has completed that began after that. A job that is restored from such a checkpoint
 * goes on at once.
 */
public final class FillEnumerator
        implements SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> {

    /** Makes the enumerator of the source. */
    @FunctionalInterface
    public interface Factory {
        SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> create(
                SplitEnumeratorContext<KafkaPartitionSplit> context) throws Exception;
    }

    private static final long NONE = -1;

    private final SplitEnumeratorContext<KafkaPartitionSplit> context;

    private final @Nullable String only;

    /** Of the partitions that are not assigned, at least. */
    private final Map<TopicPartition, Long> starts;

    private final SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> base;

    /** What each subtask said last; null if it has said nothing since it started. */
    private final Filled[] reports;

    private final int[] assigned;

    /** Whether all subtasks have emitted what is only remembered. */
    private boolean filled;

    /** The first checkpoint that began after that. */
    private long checkpoint = NONE;

    private boolean over;

    private FillEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context,
            Map<TopicPartition, Long> starts,
            @Nullable String only,
            Factory factory)
            throws Exception {
        this.context = context;
        this.only = only;
        this.starts = new HashMap<>(starts);
        this.reports = new Filled[context.currentParallelism()];
        this.assigned = new int[context.currentParallelism()];
        this.base = factory.create(new StartingContext());
    }

    /** Wraps the enumerator of a job that begins. */
    public static FillEnumerator begin(
            SplitEnumeratorContext<KafkaPartitionSplit> context, FillFirst<?> fill, Factory factory)
            throws Exception {
        return new FillEnumerator(context, fill.starts(), fill.only(), factory);
    }

    /**
     * Wraps the enumerator of a job that is restored. Its partitions have their starts in its
     * state; those that come anew have none, and are written from their beginning.
     */
    public static FillEnumerator restore(
            SplitEnumeratorContext<KafkaPartitionSplit> context,
            KafkaSourceEnumState state,
            FillFirst<?> fill,
            Factory factory)
            throws Exception {
        return new FillEnumerator(
                context,
                state instanceof FillState with ? with.starts() : Map.of(),
                fill.only(),
                factory);
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (!(event instanceof Filled report)) {
            base.handleSourceEvent(subtask, event);
            return;
        }
        reports[subtask] = report;
        if (over) {
            context.sendEventToSourceReader(subtask, new Over());
        } else if (areFilled()) {
            filled = true;
            boolean hasRead = false;
            for (Filled each : reports) {
                hasRead |= each.hasRead();
            }
            if (!hasRead) {
                end();
            }
        }
    }

    private boolean areFilled() {
        for (int i = 0; i < reports.length; i++) {
            if (reports[i] == null || reports[i].splits() < assigned[i]) {
                return false;
            }
        }
        try {
            KafkaSourceEnumState state = base.snapshotState(NONE);
            return state.initialDiscoveryFinished() && state.unassignedSplits().isEmpty();
        } catch (Exception e) {
            throw new FlinkRuntimeException("the partitions of the source are not known", e);
        }
    }

    private void end() {
        over = true;
        context.registeredReaders()
                .keySet()
                .forEach(subtask -> context.sendEventToSourceReader(subtask, new Over()));
    }

    @Override
    public KafkaSourceEnumState snapshotState(long checkpointId) throws Exception {
        if (filled && checkpoint == NONE) {
            checkpoint = checkpointId;
        }
        KafkaSourceEnumState state = base.snapshotState(checkpointId);
        Map<TopicPartition, Long> left = new HashMap<>(starts);
        state.assignedSplits().forEach(split -> left.remove(split.getTopicPartition()));
        return left.isEmpty() ? state : new FillState(state, left);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        base.notifyCheckpointComplete(checkpointId);
        if (!over && checkpoint != NONE && checkpointId >= checkpoint) {
            end();
        }
    }

    /** It has started anew, and may read again what it has emitted. */
    @Override
    public void addReader(int subtask) {
        forget(subtask);
        base.addReader(subtask);
    }

    @Override
    public void addSplitsBack(List<KafkaPartitionSplit> splits, int subtask) {
        forget(subtask);
        for (KafkaPartitionSplit split : splits) {
            if (split instanceof StartedSplit with) {
                starts.put(split.getTopicPartition(), with.start());
            }
        }
        base.addSplitsBack(splits, subtask);
    }

    private void forget(int subtask) {
        reports[subtask] = null;
        assigned[subtask] = 0;
        filled = false;
        checkpoint = NONE;
    }

    @Override
    public void start() {
        base.start();
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        base.handleSplitRequest(subtask, host);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        base.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void close() throws IOException {
        base.close();
    }

    /** Gives splits their starts, and counts them. */
    private final class StartingContext extends ForwardingContext<KafkaPartitionSplit> {
        StartingContext() {
            super(context);
        }

        @Override
        protected SplitsAssignment<KafkaPartitionSplit> assigned(
                SplitsAssignment<KafkaPartitionSplit> assignment) {
            Map<Integer, List<KafkaPartitionSplit>> started = new HashMap<>();
            assignment
                    .assignment()
                    .forEach(
                            (subtask, splits) -> {
                                List<KafkaPartitionSplit> list = new ArrayList<>();
                                for (KafkaPartitionSplit split : splits) {
                                    KafkaPartitionSplit with = started(split);
                                    if (with instanceof StartedSplit
                                            || !split.getTopic().equals(only)) {
                                        list.add(with);
                                    }
                                }
                                assigned[subtask] += list.size();
                                started.put(subtask, list);
                            });
            return new SplitsAssignment<>(started);
        }

        private KafkaPartitionSplit started(KafkaPartitionSplit split) {
            Long start = starts.get(split.getTopicPartition());
            return start == null || split instanceof StartedSplit
                    ? split
                    : new StartedSplit(split, start);
        }
    }
}
