/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * What is counted, and when it is emitted: what counters with and without a filter have in common.
 *
 * @param selector the counter that an operation is for
 * @param delta what an operation adds
 * @param emitMillis interval of emission; 0 for every update
 * @param serializer of the counters' keys
 * @param expiry when totals are forgotten
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
record Counting<T, K>(
        KeySelector<T, K> selector,
        Delta<T> delta,
        long emitMillis,
        TypeSerializer<K> serializer,
        CounterExpiry expiry)
        implements Serializable {

    Counting {
        requireNonNull(selector, "selector");
        requireNonNull(delta, "delta");
        requireNonNull(serializer, "serializer");
        requireNonNull(expiry, "expiry");
    }

    boolean emitsEveryUpdate() {
        return emitMillis == 0;
    }
}
