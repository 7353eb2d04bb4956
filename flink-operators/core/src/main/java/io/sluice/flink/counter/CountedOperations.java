/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The operations that count, summed per counter until they are emitted. With an interval of
 * emission they wait in {@link PendingUpdates}, which are in no snapshot: the operator calls {@link
 * #flush} before every checkpoint barrier and at the end of the input. After a failure the
 * operations since the checkpoint are replayed.
 *
 * <p>No record is emitted late: updates leave before a watermark that passes them, and an update by
 * a late operation gets the time just after the watermark. Not thread-safe.
 *
 * @param <K> type of the counters' keys
 * @param <OUT> type of what is emitted
 */
abstract class CountedOperations<K, OUT> {

    /**
     * What an operator emits, and from which state.
     *
     * @param <K> type of the counters' keys
     * @param <OUT> type of what is emitted
     */
    interface Emission<K, OUT> extends Serializable {

        /**
         * To be called in {@code initializeState}.
         *
         * @param clock the wall clock, without its jumps
         */
        CountedOperations<K, OUT> start(
                AbstractStreamOperator<OUT> operator,
                Counting<?, K> counting,
                StateInitializationContext context,
                LongSupplier clock)
                throws Exception;

        /** Returns what the layout of the state calls an operator with a filter that emits this. */
        String engine();

        /** Returns whether keyed timers are registered. */
        boolean usesKeyedTimers(Counting<?, K> counting);
    }

    private final Counting<?, K> counting;
    private final PendingUpdates<K> pending;
    private final StreamRecord<OUT> emitted = new StreamRecord<>(null);

    private Output<StreamRecord<OUT>> output;

    /**
     * No record may be emitted with an earlier timestamp: it would be late for operators
     * downstream.
     */
    private long earliest = Long.MIN_VALUE;

    /**
     * @param pending where updates wait, if they do
     */
    CountedOperations(Counting<?, K> counting, PendingUpdates<K> pending) {
        this.counting = requireNonNull(counting, "counting");
        this.pending = requireNonNull(pending, "pending");
    }

    final Counting<?, K> counting() {
        return counting;
    }

    /** Must be called in {@code open}. */
    void open(
            AbstractStreamOperator<OUT> operator,
            MetricGroup metrics,
            Output<StreamRecord<OUT>> output)
            throws Exception {
        this.output = requireNonNull(output, "output");
    }

    /** Adds {@code amount} to a counter, of which {@code undercount} is expected to be missing. */
    final void apply(K counter, long amount, double undercount, long timestamp) throws Exception {
        if (counting.emitsEveryUpdate()) {
            update(counter, amount, undercount, timestamp);
            return;
        }
        PendingUpdates.Update update = pending.find(counter);
        if (update == null) {
            if (pending.isFull()) {
                flush();
            }
            update = pending.create(counting.serializer().copy(counter));
            beginWaiting(counter);
        }
        pending.add(update, amount, undercount, timestamp);
    }

    /** Called when the first operation of a counter waits for emission. */
    void beginWaiting(K counter) throws Exception {}

    /**
     * Emits what {@code watermark} passes: to be called before it is forwarded. The last one,
     * {@code Watermark.MAX_WATERMARK}, passes everything.
     */
    final void beforeWatermark(long watermark) throws Exception {
        pending.takeUntil(watermark, this::update);
        if (watermark >= earliest) {
            earliest = watermark == Long.MAX_VALUE ? watermark : watermark + 1;
        }
    }

    /** To be called before the timers of a watermark that is not the last. */
    void onWatermark(long watermark) {}

    /** Emits all counters that have changed. */
    final void flush() throws Exception {
        pending.takeUntil(Long.MAX_VALUE, this::update);
    }

    private void update(K counter, PendingUpdates.Update update) throws Exception {
        update(counter, update.delta(), update.undercount(), update.timestamp());
    }

    /** Adds to a counter and {@link #emit}s. */
    abstract void update(K counter, long amount, double undercount, long timestamp)
            throws Exception;

    final void emit(OUT value, long timestamp) {
        output.collect(emitted.replace(value, Math.max(timestamp, earliest)));
    }

    /** See {@link ExpiringCounters#wallClockAheadMillis}. */
    long wallClockAheadMillis() {
        return 0;
    }

    /** To be called in {@code snapshotState}. */
    void snapshot() throws Exception {}
}
