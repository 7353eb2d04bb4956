/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.function.LongSupplier;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;

/**
 * The sums of the operations that one subtask found to be new, on their way to the subtasks that
 * have the totals. No state.
 *
 * @param <K> type of the counters' keys
 */
final class LocalSums<K> extends CountedOperations<K, CounterUpdate<K>> {

    /** Layout of an operator with a filter that emits sums. */
    static final String ENGINE = "operations of counters";

    LocalSums(Counting<?, K> counting) {
        super(
                counting,
                // A total that expires must have heard of each operation, as in one phase.
                new PendingUpdates<>(
                        counting.expiry().isOn()
                                ? PendingUpdates.Until.NEXT_WATERMARK
                                : PendingUpdates.Until.YOUNGEST_PASSED));
    }

    /** Returns what emits such sums. */
    static <K> Emission<K, CounterUpdate<K>> emission() {
        return new Updates<>();
    }

    private static final class Updates<K> implements Emission<K, CounterUpdate<K>> {

        @Override
        public CountedOperations<K, CounterUpdate<K>> start(
                AbstractStreamOperator<CounterUpdate<K>> operator,
                Counting<?, K> counting,
                StateInitializationContext context,
                LongSupplier clock) {
            return new LocalSums<>(counting);
        }

        @Override
        public String engine() {
            return ENGINE;
        }

        @Override
        public boolean usesKeyedTimers(Counting<?, K> counting) {
            return false;
        }
    }

    @Override
    void update(K counter, long amount, double undercount, long timestamp) {
        emit(new CounterUpdate<>(counter, amount, undercount, timestamp), timestamp);
    }
}
