/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.job.PartitionPace.Others;
import io.sluice.job.PartitionPace.Report;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/**
 * Tells each subtask of a source how far the others are, so that its {@link PartitionPace} holds
 * what is too far ahead. A subtask that has not said yet how far it is, or that has been assigned
 * partitions of which it does not know yet, holds all others back; one that has nothing to wait for
 * is not told anything. Assigning splits is left to the enumerator of the source.
 */
final class PaceEnumerator<S extends SourceSplit, C> implements SplitEnumerator<S, C> {

    /** Makes the enumerator of the source. */
    @FunctionalInterface
    interface Factory<S extends SourceSplit, C> {
        SplitEnumerator<S, C> create(SplitEnumeratorContext<S> context) throws Exception;
    }

    private final SplitEnumeratorContext<S> context;
    private final SplitEnumerator<S, C> base;
    private final long driftMillis;

    /** What each subtask said last; null if it has said nothing since it started. */
    private final Report[] reports;

    /** What each subtask was told last; null if nothing. */
    private final Others[] told;

    private final int[] assigned;

    private PaceEnumerator(
            SplitEnumeratorContext<S> context, Factory<S, C> factory, long driftMillis)
            throws Exception {
        this.context = context;
        this.driftMillis = driftMillis;
        int subtasks = context.currentParallelism();
        this.reports = new Report[subtasks];
        this.told = new Others[subtasks];
        this.assigned = new int[subtasks];
        this.base = factory.create(new CountingContext());
    }

    /**
     * Wraps the enumerator of {@code factory}.
     *
     * @param driftMillis as in {@link PartitionPace}
     */
    static <S extends SourceSplit, C> PaceEnumerator<S, C> of(
            SplitEnumeratorContext<S> context, Factory<S, C> factory, long driftMillis)
            throws Exception {
        return new PaceEnumerator<>(context, factory, driftMillis);
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (event instanceof Report report) {
            reports[subtask] = report;
            tellAll();
        } else {
            base.handleSourceEvent(subtask, event);
        }
    }

    /** It has started anew, and knows nothing yet. */
    @Override
    public void addReader(int subtask) {
        forget(subtask);
        base.addReader(subtask);
    }

    @Override
    public void addSplitsBack(List<S> splits, int subtask) {
        forget(subtask);
        base.addSplitsBack(splits, subtask);
    }

    private void forget(int subtask) {
        reports[subtask] = null;
        told[subtask] = null;
        assigned[subtask] = 0;
    }

    private long earliest(int subtask) {
        Report report = reports[subtask];
        return report == null || report.splits() < assigned[subtask]
                ? PartitionPace.UNKNOWN
                : report.earliest();
    }

    private void tellAll() {
        // The least of all but one is the least, or for that one the second.
        int first = -1;
        long least = PartitionPace.NONE;
        long second = PartitionPace.NONE;
        long latest = PartitionPace.UNKNOWN;
        for (int i = 0; i < reports.length; i++) {
            long earliest = earliest(i);
            if (earliest < least) {
                second = least;
                least = earliest;
                first = i;
            } else {
                second = Math.min(second, earliest);
            }
            latest = Math.max(latest, reports[i] == null ? latest : reports[i].latest());
        }
        Map<Integer, ReaderInfo> readers = context.registeredReaders();
        for (int i = 0; i < reports.length; i++) {
            // What has not started cannot be told yet, and what has ended not any more.
            if (reports[i] != null && earliest(i) != PartitionPace.NONE && readers.containsKey(i)) {
                tell(i, new Others(i == first ? second : least, latest));
            }
        }
    }

    private void tell(int subtask, Others news) {
        Others before = told[subtask];
        if (before == null
                || PartitionPace.isNews(news.earliest(), before.earliest(), driftMillis)
                || PartitionPace.isNews(news.latest(), before.latest(), driftMillis)) {
            told[subtask] = news;
            context.sendEventToSourceReader(subtask, news);
        }
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
    public C snapshotState(long checkpointId) throws Exception {
        return base.snapshotState(checkpointId);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        base.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        base.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void close() throws IOException {
        base.close();
    }

    @Override
    public String toString() {
        return "pace of " + Arrays.toString(reports);
    }

    /** Notes which subtasks are assigned splits. */
    private final class CountingContext implements SplitEnumeratorContext<S> {
        @Override
        public void assignSplits(SplitsAssignment<S> assignment) {
            assignment
                    .assignment()
                    .forEach((subtask, splits) -> assigned[subtask] += splits.size());
            context.assignSplits(assignment);
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            return context.metricGroup();
        }

        @Override
        public void sendEventToSourceReader(int subtask, SourceEvent event) {
            context.sendEventToSourceReader(subtask, event);
        }

        @Override
        public int currentParallelism() {
            return context.currentParallelism();
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return context.registeredReaders();
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            context.signalNoMoreSplits(subtask);
        }

        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            context.callAsync(callable, handler);
        }

        @Override
        public <T> void callAsync(
                Callable<T> callable,
                BiConsumer<T, Throwable> handler,
                long initialDelay,
                long period) {
            context.callAsync(callable, handler, initialDelay, period);
        }

        @Override
        public void runInCoordinatorThread(Runnable runnable) {
            context.runInCoordinatorThread(runnable);
        }

        @Override
        public void setIsProcessingBacklog(boolean isProcessingBacklog) {
            context.setIsProcessingBacklog(isProcessingBacklog);
        }
    }
}
