/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;

/** Finds the totals of {@link IdempotentCounters} in restored keyed state. Stateless. */
@Internal
public final class StoredCounters {

    private StoredCounters() {}

    /** Sees counters. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Sees a counter.
         *
         * @param key of the counter in the stream: a number or text
         */
        void counter(Object key, CounterTotal total) throws Exception;
    }

    /** Returns whether an operator whose state has this layout keeps totals. */
    public static boolean areIn(String layout) {
        return layout.startsWith("engine=" + CounterStore.FILTERED_ENGINE)
                || layout.startsWith("engine=" + PlainCounterOperator.ENGINE)
                || layout.startsWith("engine=" + GlobalCounterOperator.ENGINE);
    }

    /** Returns whether an operator whose state has this layout knows the operations of counters. */
    public static boolean haveOperationsIn(String layout) {
        return layout.startsWith("engine=" + CounterStore.FILTERED_ENGINE)
                || layout.startsWith("engine=" + LocalSums.ENGINE);
    }

    /** Shows every counter once, in any order. O(counters). */
    public static void forEach(KeyedStateBackend<Object> backend, Visitor visitor)
            throws Exception {
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                CounterTotal.descriptor(),
                (key, total) -> {
                    CounterTotal held = total.value();
                    if (held != null) {
                        visitor.counter(key, held);
                    }
                });
    }
}
