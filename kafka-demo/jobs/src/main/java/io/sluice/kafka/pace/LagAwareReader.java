/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.kafka.fill.FillPhase;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.common.TopicPartition;

/**
 * Tells {@link PartitionLags} which partitions come and go; the Kafka reader does everything else.
 */
// The interface allows close() to be interrupted; so does the wrapped reader.
@SuppressWarnings("try")
final class LagAwareReader<T> implements SourceReader<T, KafkaPartitionSplit> {
    private final SourceReader<T, KafkaPartitionSplit> kafka;
    private final PartitionLags lags;
    private final EndProbe probe;
    private final ExecutorService asker;
    private final Map<String, TopicPartition> names = new HashMap<>();
    private final @Nullable PartitionPace pace;
    private final @Nullable FillPhase fill;
    private boolean noMoreSplits;
    private @Nullable Output output;
    private boolean started;

    private LagAwareReader(
            SourceReader<T, KafkaPartitionSplit> kafka,
            PartitionLags lags,
            EndProbe probe,
            ExecutorService asker,
            @Nullable PartitionPace pace,
            @Nullable FillPhase fill) {
        this.kafka = kafka;
        this.lags = lags;
        this.probe = probe;
        this.asker = asker;
        this.pace = pace;
        this.fill = fill;
    }

    /**
     * Wraps the reader of a source.
     *
     * @param consumer settings for asking the broker where partitions end
     * @param pace holds partitions back that the reader then does not read; null if none does
     * @param fill what is read first; null if nothing is
     */
    static <T> LagAwareReader<T> of(
            SourceReader<T, KafkaPartitionSplit> kafka,
            PartitionLags lags,
            Properties consumer,
            @Nullable PartitionPace pace,
            @Nullable FillPhase fill) {
        EndProbe probe = new EndProbe(consumer);
        ExecutorService asker =
                Executors.newSingleThreadExecutor(
                        task -> {
                            Thread thread = new Thread(task, "sluice-partition-ends");
                            thread.setDaemon(true);
                            return thread;
                        });
        lags.open(probe, asker);
        if (pace != null) {
            lags.hold(pace);
        }
        return new LagAwareReader<>(kafka, lags, probe, asker, pace, fill);
    }

    @Override
    public void start() {
        started = true;
        kafka.start();
        if (fill != null) {
            fill.start();
        }
        // The others wait for what this one says, even if it is that it has nothing to read.
        lags.settle();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> to) throws Exception {
        Output known = output;
        if (known == null || known.to != to) {
            known = new Output(to);
            output = known;
        }
        InputStatus status = kafka.pollNext(known);
        lags.settle();
        return status;
    }

    @Override
    public void addSplits(List<KafkaPartitionSplit> splits) {
        // Those before the start are of a checkpoint, and nobody has assigned them now.
        if (pace != null && started) {
            pace.assigned(splits.size());
        }
        List<KafkaPartitionSplit> now = fill == null ? splits : fill.add(splits);
        if (now.size() < splits.size()) {
            // All but those that are read at once.
            splits.forEach(
                    split -> lags.park(split.getTopicPartition(), split.getStartingOffset()));
        }
        read(now);
    }

    private void read(List<KafkaPartitionSplit> splits) {
        for (KafkaPartitionSplit split : splits) {
            names.put(split.splitId(), split.getTopicPartition());
            lags.add(split.getTopicPartition(), split.getStartingOffset());
        }
        kafka.addSplits(splits);
        if (started) {
            lags.settle();
        }
    }

    @Override
    public void close() throws Exception {
        try {
            kafka.close();
        } finally {
            // The consumer belongs to the asker's thread, which may be waiting in it.
            probe.wakeUp();
            asker.execute(probe::close);
            asker.shutdown();
        }
    }

    @Override
    public List<KafkaPartitionSplit> snapshotState(long checkpointId) {
        List<KafkaPartitionSplit> splits = kafka.snapshotState(checkpointId);
        return fill == null ? splits : fill.whole(splits);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return kafka.isAvailable();
    }

    @Override
    public void notifyNoMoreSplits() {
        if (fill == null || fill.isOver()) {
            kafka.notifyNoMoreSplits();
        } else {
            // Without those that wait it would end.
            noMoreSplits = true;
        }
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof PartitionPace.Others others) {
            lags.told(others);
        } else if (fill != null && event instanceof FillPhase.Over) {
            read(fill.end());
            if (noMoreSplits) {
                kafka.notifyNoMoreSplits();
            }
        } else {
            kafka.handleSourceEvents(event);
        }
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        // It commits offsets, and a group from whose offsets the job begins must not be set back.
        if (fill == null || fill.isOver()) {
            kafka.notifyCheckpointComplete(checkpointId);
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        kafka.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void pauseOrResumeSplits(Collection<String> pause, Collection<String> resume) {
        kafka.pauseOrResumeSplits(pause, resume);
    }

    /** Notices which partitions have ended. */
    private final class Output implements ReaderOutput<T> {
        private final ReaderOutput<T> to;

        Output(ReaderOutput<T> to) {
            this.to = to;
        }

        @Override
        public void releaseOutputForSplit(String splitId) {
            TopicPartition name = names.remove(splitId);
            KafkaPartitionSplit left = fill == null || name == null ? null : fill.finished(name);
            if (left != null) {
                // Without its output, event time would run ahead of what is left.
                lags.park(name, left.getStartingOffset());
                return;
            }
            if (name != null) {
                lags.remove(name);
            }
            to.releaseOutputForSplit(splitId);
        }

        @Override
        public SourceOutput<T> createOutputForSplit(String splitId) {
            return to.createOutputForSplit(splitId);
        }

        @Override
        public void collect(T record) {
            to.collect(record);
        }

        @Override
        public void collect(T record, long timestamp) {
            to.collect(record, timestamp);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            to.emitWatermark(watermark);
        }

        @Override
        public void markIdle() {
            to.markIdle();
        }

        @Override
        public void markActive() {
            to.markActive();
        }
    }
}
