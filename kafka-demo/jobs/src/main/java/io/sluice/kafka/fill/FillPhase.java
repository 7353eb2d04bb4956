/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import io.sluice.kafka.identity.StartedSplit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions of one subtask while it reads what is only remembered: each is read up to its
 * start and then waits, until {@link FillEnumerator} says that all subtasks have come so far. What
 * is in checkpoints is a partition as a whole. Runs on the task's thread.
 */
public final class FillPhase {

    /**
     * Tells that every partition of this subtask is at its start.
     *
     * @param splits that it was assigned since it started, without restored ones
     * @param hasRead whether it has read something since then
     */
    record Filled(int splits, boolean hasRead) implements SourceEvent {
        private static final long serialVersionUID = 1L;
    }

    /** Tells a subtask that everything that is only remembered was read. */
    public record Over() implements SourceEvent {
        private static final long serialVersionUID = 1L;
    }

    private final @Nullable String only;
    private final Consumer<SourceEvent> tell;
    private final Map<TopicPartition, Long> starts = new HashMap<>();

    /** The whole of each partition that is being read. */
    private final Map<TopicPartition, KafkaPartitionSplit> filling = new HashMap<>();

    /** What is left of the others. */
    private final Map<TopicPartition, KafkaPartitionSplit> waiting = new HashMap<>();

    private boolean started;
    private boolean over;
    private boolean hasRead;
    private int splits;

    /**
     * @param only as in {@link FillFirst}
     * @param tell tells {@link FillEnumerator}
     */
    public FillPhase(@Nullable String only, Consumer<SourceEvent> tell) {
        this.only = only;
        this.tell = tell;
    }

    /** Begins to tell how far this subtask is. */
    public void start() {
        started = true;
        tellIfFilled();
    }

    /** Whether what is read now is written. */
    public boolean isOver() {
        return over;
    }

    /** Takes more partitions, and returns what is to be read of them now. */
    public List<KafkaPartitionSplit> add(List<KafkaPartitionSplit> added) {
        // Those before the start are of a checkpoint, and nobody has assigned them now.
        splits += started ? added.size() : 0;
        List<KafkaPartitionSplit> now = new ArrayList<>();
        for (KafkaPartitionSplit split : added) {
            TopicPartition name = split.getTopicPartition();
            if (split instanceof StartedSplit with) {
                starts.put(name, with.start());
            }
            Long start = starts.get(name);
            if (over && !isOnly(name)) {
                now.add(split);
            } else if (start != null && split.getStartingOffset() < start) {
                hasRead = true;
                filling.put(name, split);
                now.add(part(split, split.getStartingOffset(), start));
            } else if (!isOnly(name)) {
                waiting.put(name, split);
            }
        }
        tellIfFilled();
        return now;
    }

    /** Of such a partition nothing is left when it is at its start. */
    private boolean isOnly(TopicPartition partition) {
        return partition.topic().equals(only);
    }

    /**
     * Nothing more comes of what was to be read of a partition.
     *
     * @return what is left of it, and waits; null if nothing is
     */
    @Nullable
    public KafkaPartitionSplit finished(TopicPartition partition) {
        KafkaPartitionSplit whole = filling.remove(partition);
        if (whole == null) {
            return null;
        }
        KafkaPartitionSplit left = null;
        if (!isOnly(partition)) {
            left =
                    part(
                            whole,
                            starts.get(partition),
                            whole.getStoppingOffset()
                                    .orElse(KafkaPartitionSplit.NO_STOPPING_OFFSET));
            waiting.put(partition, left);
        }
        tellIfFilled();
        return left;
    }

    private void tellIfFilled() {
        if (started && filling.isEmpty()) {
            tell.accept(new Filled(splits, hasRead));
        }
    }

    /**
     * All subtasks have come so far.
     *
     * @return what is to be read from now on
     */
    public List<KafkaPartitionSplit> end() {
        over = true;
        List<KafkaPartitionSplit> left = List.copyOf(waiting.values());
        waiting.clear();
        return left;
    }

    /**
     * What goes to a checkpoint.
     *
     * @param read what is left of the partitions that are being read
     */
    public List<KafkaPartitionSplit> whole(List<KafkaPartitionSplit> read) {
        List<KafkaPartitionSplit> all = new ArrayList<>();
        for (KafkaPartitionSplit split : read) {
            KafkaPartitionSplit whole = filling.getOrDefault(split.getTopicPartition(), split);
            all.add(
                    part(
                            split,
                            split.getStartingOffset(),
                            whole.getStoppingOffset()
                                    .orElse(KafkaPartitionSplit.NO_STOPPING_OFFSET)));
        }
        all.addAll(waiting.values());
        all.replaceAll(
                split -> {
                    Long start = starts.get(split.getTopicPartition());
                    return start == null ? split : new StartedSplit(split, start);
                });
        return all;
    }

    private static KafkaPartitionSplit part(KafkaPartitionSplit of, long from, long to) {
        return new KafkaPartitionSplit(of.getTopicPartition(), from, to);
    }
}
