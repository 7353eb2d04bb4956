/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.NullIds;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Holds counters in keyed state, whatever decides which operations count.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <S> what is held of each key group beside the counters
 */
abstract class KeyedCounterOperator<T, K, S> extends KeyGroupedOperator<T, CounterValue<K>, S> {

    private final Counting<T, K> counting;
    private final NullIds<T> nullCounters;

    private transient CounterStore<K> store;
    private transient ExpiringCounters expiring;

    KeyedCounterOperator(Counting<T, K> counting) {
        this.counting = requireNonNull(counting, "counting");
        this.nullCounters = counting.nullCounters();
    }

    final Counting<T, K> counting() {
        return counting;
    }

    final ExpiringCounters expiring() {
        return expiring;
    }

    /** Restores the counters; their expiry reads the clock. {@code initializeState} calls it. */
    final void startExpiring(StateInitializationContext context, LongSupplier clock)
            throws Exception {
        expiring =
                new ExpiringCounters(counting.expiry(), context, getProcessingTimeService(), clock);
    }

    @Override
    protected final boolean usesKeyedTimers() {
        return counting.expiry().isOn();
    }

    @Override
    public void open() throws Exception {
        super.open();
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        nullCounters.open(describe(), metrics, DeduplicateMetrics.NULL_COUNTERS, output);
        ValueState<CounterTotal> totals = getPartitionedState(CounterTotal.descriptor());
        store =
                new CounterStore<>(
                        this,
                        totals,
                        counting.serializer(),
                        counting.hasher(),
                        counting.emitsEveryUpdate(),
                        output,
                        expiring);
        expiring.open(this, totals, getMetricGroup(), store::waits);
        if (!counting.emitsEveryUpdate()) {
            callEvery(counting.emitMillis(), now -> store.flush());
        }
    }

    /** Returns what all counters together are expected to miss, since the start. */
    final double expectedUndercount() {
        return store.expectedUndercount();
    }

    /** What {@code onNullCounter} says of an operation without a counter. */
    final void withoutCounter(StreamRecord<T> record) throws Exception {
        boolean unused = nullCounters.pass(record);
    }

    /** Counts a missed operation without a counter. */
    final void missedWithoutCounter() {
        nullCounters.count();
    }

    /**
     * Adds an operation to its counter.
     *
     * @param fpp probability that the filter missed another in its place
     */
    final void count(K counter, T operation, double fpp, long timestamp) throws Exception {
        add(counter, counting.delta().of(operation), fpp, timestamp);
    }

    /** As {@link #count}, for an operation that adds {@code amount}. */
    final void add(K counter, long amount, double fpp, long timestamp) throws Exception {
        store.apply(counter, amount, fpp, timestamp);
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        store.beforeWatermark(mark.getTimestamp());
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            // The input has ended, but no time has passed: timers would forget what a restore
            // needs.
            output.emitWatermark(mark);
            return;
        }
        expiring.onWatermark(mark.getTimestamp());
        super.advance(mark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        store.flush();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        expiring.snapshot();
        super.snapshotState(context);
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        store.flush();
    }
}
