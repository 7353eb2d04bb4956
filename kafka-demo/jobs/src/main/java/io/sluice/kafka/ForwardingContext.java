/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/**
 * The context of an enumerator that another one wraps, which sees what is assigned.
 *
 * @param <S> type of the splits
 */
public abstract class ForwardingContext<S extends SourceSplit>
        implements SplitEnumeratorContext<S> {
    private final SplitEnumeratorContext<S> context;

    /**
     * @param context takes everything
     */
    protected ForwardingContext(SplitEnumeratorContext<S> context) {
        this.context = context;
    }

    /** Returns what is assigned in its place. Called once for each assignment. */
    protected abstract SplitsAssignment<S> assigned(SplitsAssignment<S> assignment);

    @Override
    public void assignSplits(SplitsAssignment<S> assignment) {
        context.assignSplits(assigned(assignment));
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
