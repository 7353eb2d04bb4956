/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The totals of counters in keyed state, and their way out. With an interval of emission, an
 * applied operation costs no access to keyed state: it is added to {@link PendingUpdates}, which
 * reach keyed state when they are emitted.
 *
 * <p>Pending updates are in no snapshot: the operator calls {@link #flush} before every checkpoint
 * barrier and at the end of the input. After a failure the operations since the checkpoint are
 * replayed. Not thread-safe.
 *
 * @param <K> type of the counters' keys
 */
final class CounterStore<K> {

    private final KeyContext keyContext;
    private final ValueState<CounterTotal> totals;
    private final TypeSerializer<K> counterSerializer;
    private final boolean emitsEveryUpdate;
    private final Output<StreamRecord<CounterValue<K>>> output;
    private final PendingUpdates<K> pending = new PendingUpdates<>();
    private final StreamRecord<CounterValue<K>> emitted = new StreamRecord<>(null);

    /**
     * @param totals keyed state of {@link #totals}, whose key is set by {@code keyContext}
     * @param emitsEveryUpdate false if the operator flushes now and then
     */
    CounterStore(
            KeyContext keyContext,
            ValueState<CounterTotal> totals,
            TypeSerializer<K> counterSerializer,
            boolean emitsEveryUpdate,
            Output<StreamRecord<CounterValue<K>>> output) {
        this.keyContext = requireNonNull(keyContext, "keyContext");
        this.totals = requireNonNull(totals, "totals");
        this.counterSerializer = requireNonNull(counterSerializer, "counterSerializer");
        this.emitsEveryUpdate = emitsEveryUpdate;
        this.output = requireNonNull(output, "output");
    }

    /** The keyed state that holds totals. */
    static ValueStateDescriptor<CounterTotal> totals() {
        return new ValueStateDescriptor<>("total", CounterTotalSerializer.INSTANCE);
    }

    /**
     * Applies an operation.
     *
     * @param fpp probability with which it would have been missed
     */
    void apply(K counter, long amount, double fpp, long timestamp) throws Exception {
        double undercount = CounterTotal.undercount(amount, fpp);
        if (emitsEveryUpdate) {
            emit(counter, amount, undercount, timestamp);
            return;
        }
        PendingUpdates.Update update = pending.find(counter);
        if (update == null) {
            if (pending.isFull()) {
                flush();
            }
            update = pending.create(counterSerializer.copy(counter));
        }
        update.add(amount, undercount, timestamp);
    }

    /** Emits all counters that have changed. */
    void flush() throws Exception {
        for (Map.Entry<K, PendingUpdates.Update> entry : pending.all()) {
            PendingUpdates.Update update = entry.getValue();
            emit(entry.getKey(), update.delta(), update.undercount(), update.timestamp());
        }
        pending.clear();
    }

    private void emit(K counter, long amount, double undercount, long timestamp) throws Exception {
        keyContext.setCurrentKey(counter);
        CounterTotal before = totals.value();
        CounterTotal total = (before == null ? CounterTotal.ZERO : before).plus(amount, undercount);
        totals.update(total);
        CounterValue<K> value =
                new CounterValue<>(counter, total.value(), total.expectedUndercount(), timestamp);
        output.collect(emitted.replace(value, timestamp));
    }
}
