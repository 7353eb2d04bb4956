/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The totals of counters in keyed state, and their way out. With an interval of emission, an
 * applied operation costs no access to keyed state: that is done when the counter is emitted.
 *
 * @param <K> type of the counters' keys
 */
final class CounterStore<K> extends CountedOperations<K, CounterValue<K>> {

    /** Layout of an operator with a filter that emits values. */
    static final String FILTERED_ENGINE = "counters with filter";

    private final ExpiringCounters expiring;

    /**
     * Keys of the counters that wait for emission, and when the first operation of each came; none
     * where no counter expires.
     */
    private final Map<Object, Long> waiting = new HashMap<>();

    private KeyContext keyContext;
    private ValueState<CounterTotal> totals;

    private CounterStore(Counting<?, K> counting, ExpiringCounters expiring) {
        super(counting, new PendingUpdates<>(PendingUpdates.Until.YOUNGEST_PASSED));
        this.expiring = requireNonNull(expiring, "expiring");
    }

    /** Returns what emits the values of counters. */
    static <K> Emission<K, CounterValue<K>> emission() {
        return new Values<>();
    }

    private static final class Values<K> implements Emission<K, CounterValue<K>> {

        @Override
        public CountedOperations<K, CounterValue<K>> start(
                AbstractStreamOperator<CounterValue<K>> operator,
                Counting<?, K> counting,
                StateInitializationContext context,
                LongSupplier clock)
                throws Exception {
            return new CounterStore<>(
                    counting,
                    new ExpiringCounters(
                            counting.expiry(),
                            context,
                            operator.getProcessingTimeService(),
                            clock));
        }

        @Override
        public String engine() {
            return FILTERED_ENGINE;
        }

        @Override
        public boolean usesKeyedTimers(Counting<?, K> counting) {
            return counting.expiry().isOn();
        }
    }

    @Override
    void open(
            AbstractStreamOperator<CounterValue<K>> operator,
            MetricGroup metrics,
            Output<StreamRecord<CounterValue<K>>> output)
            throws Exception {
        super.open(operator, metrics, output);
        keyContext = operator;
        totals =
                operator.getKeyedStateBackend()
                        .getPartitionedState(
                                VoidNamespace.INSTANCE,
                                VoidNamespaceSerializer.INSTANCE,
                                CounterTotal.descriptor());
        expiring.open(operator, totals, metrics, waiting::containsKey);
    }

    @Override
    void beginWaiting(K counter) throws Exception {
        if (expiring.isOn()) {
            waiting.put(counting().hasher().key(counter), expiring.now());
        }
    }

    @Override
    void onWatermark(long watermark) {
        expiring.onWatermark(watermark);
    }

    @Override
    void update(K counter, long amount, double undercount, long timestamp) throws Exception {
        Object key = counting().hasher().key(counter);
        Long came = waiting.remove(key);
        keyContext.setCurrentKey(key);
        expiring.touch(came == null ? expiring.now() : came, timestamp);
        CounterTotal before = totals.value();
        CounterTotal total = (before == null ? CounterTotal.ZERO : before).plus(amount, undercount);
        totals.update(total);
        emit(
                new CounterValue<>(counter, total.value(), total.expectedUndercount(), timestamp),
                timestamp);
    }

    @Override
    long wallClockAheadMillis() {
        return expiring.wallClockAheadMillis();
    }

    @Override
    void snapshot() throws Exception {
        expiring.snapshot();
    }
}
