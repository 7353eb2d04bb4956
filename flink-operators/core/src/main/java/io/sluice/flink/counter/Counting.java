/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnNullId;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.NullIds;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * What counters with and without a filter have in common: what is counted, and when it is emitted.
 *
 * @param selector the counter that an operation is for
 * @param delta what an operation adds
 * @param emitMillis interval of emission; 0 for every update
 * @param serializer of the counters' keys
 * @param hasher of the counters' keys; it gives the key under which Flink keeps a total
 * @param onNullCounter what happens to operations whose counter is null; not to be forwarded
 * @param expiry when totals are forgotten
 * @param acknowledgements where operations go that count or were counted; null for nowhere
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
record Counting<T, K>(
        KeySelector<T, K> selector,
        Delta<T> delta,
        long emitMillis,
        TypeSerializer<K> serializer,
        IdHasher<K> hasher,
        OnNullId<T> onNullCounter,
        CounterExpiry expiry,
        @Nullable OutputTag<T> acknowledgements)
        implements Serializable {

    Counting {
        requireNonNull(selector, "selector");
        requireNonNull(delta, "delta");
        requireNonNull(serializer, "serializer");
        requireNonNull(expiry, "expiry");
        requireNonNull(hasher, "hasher");
        requireNonNull(onNullCounter, "onNullCounter");
    }

    /** For operators to open. */
    NullIds<T> nullCounters() {
        return new NullIds<>(onNullCounter, hasher.role(), "onNullCounter");
    }

    /** Tells that an operation with an id counts, or was counted before. */
    void acknowledge(StreamRecord<T> operation, Output<?> output) {
        if (acknowledgements != null) {
            output.collect(acknowledgements, operation);
        }
    }

    boolean emitsEveryUpdate() {
        return emitMillis == 0;
    }

    /** Returns the same without an interval. */
    Counting<T, K> emittingEach() {
        return new Counting<>(
                selector, delta, 0, serializer, hasher, onNullCounter, expiry, acknowledgements);
    }

    /** Returns what the first of two phases counts, in half of the interval. */
    Counting<T, K> local() {
        return new Counting<>(
                selector,
                delta,
                Math.max(1, emitMillis / 2),
                serializer,
                hasher,
                onNullCounter,
                expiry,
                acknowledgements);
    }

    /** Returns what the second of two phases counts, in the other half. */
    Counting<CounterUpdate<K>, K> global() {
        return new Counting<>(
                CounterUpdate::counter,
                CounterUpdate::delta,
                emitMillis - emitMillis / 2,
                serializer,
                hasher,
                OnNullId.fail(),
                expiry,
                null);
    }
}
