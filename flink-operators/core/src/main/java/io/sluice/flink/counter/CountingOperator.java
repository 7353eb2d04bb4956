/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.NullIds;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts operations, whatever decides which of them count, and whatever is emitted of it.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <S> what is held of each key group beside the counters
 * @param <OUT> type of what is emitted
 */
abstract class CountingOperator<T, K, S, OUT> extends KeyGroupedOperator<T, OUT, S> {

    private final Counting<T, K> counting;
    private final CountedOperations.Emission<K, OUT> emission;
    private final NullIds<T> nullCounters;

    private transient CountedOperations<K, OUT> counted;

    CountingOperator(Counting<T, K> counting, CountedOperations.Emission<K, OUT> emission) {
        this.counting = requireNonNull(counting, "counting");
        this.emission = requireNonNull(emission, "emission");
        this.nullCounters = counting.nullCounters();
    }

    final Counting<T, K> counting() {
        return counting;
    }

    /** Restores what is emitted. {@code initializeState} calls it. */
    final void startCounting(StateInitializationContext context, LongSupplier clock)
            throws Exception {
        counted = emission.start(this, counting, context, clock);
    }

    @Override
    protected final boolean usesKeyedTimers() {
        return emission.usesKeyedTimers(counting);
    }

    @Override
    public void open() throws Exception {
        super.open();
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        nullCounters.open(describe(), metrics, DeduplicateMetrics.NULL_COUNTERS, output);
        counted.open(this, getMetricGroup(), output);
        if (!counting.emitsEveryUpdate()) {
            callEvery(counting.emitMillis(), now -> counted.flush());
        }
    }

    /** What {@code onNullCounter} says of an operation without a counter. */
    final void withoutCounter(StreamRecord<T> record) throws Exception {
        boolean unused = nullCounters.pass(record);
    }

    /** Counts a missed operation without a counter. */
    final void missedWithoutCounter() {
        nullCounters.count();
    }

    /** Adds {@code amount} to a counter, of which {@code undercount} is expected to be missing. */
    final void add(K counter, long amount, double undercount, long timestamp) throws Exception {
        counted.apply(counter, amount, undercount, timestamp);
    }

    /** See {@link ExpiringCounters#wallClockAheadMillis}. */
    final long wallClockAheadMillis() {
        return counted.wallClockAheadMillis();
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        counted.beforeWatermark(mark.getTimestamp());
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            // The input has ended, but no time has passed: timers would forget what a restore
            // needs.
            output.emitWatermark(mark);
            return;
        }
        counted.onWatermark(mark.getTimestamp());
        super.advance(mark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        counted.flush();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        counted.snapshot();
        super.snapshotState(context);
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        counted.flush();
    }
}
