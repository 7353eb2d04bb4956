/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.IdHasher;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
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
 * replayed.
 *
 * <p>No record is emitted late: updates leave before a watermark that passes them, and an update by
 * a late operation gets the time just after the watermark. Not thread-safe.
 *
 * @param <K> type of the counters' keys
 */
final class CounterStore<K> {

    /** Amount that the counters are expected to miss, since the subtask started. */
    static final String EXPECTED_UNDERCOUNT = "expectedUndercount";

    private final KeyContext keyContext;
    private final ValueState<CounterTotal> totals;
    private final TypeSerializer<K> counterSerializer;
    private final IdHasher<K> counterHasher;
    private final boolean emitsEveryUpdate;
    private final Output<StreamRecord<CounterValue<K>>> output;
    private final ExpiringCounters expiring;
    private final PendingUpdates<K> pending = new PendingUpdates<>();

    /**
     * Keys of the counters in {@link #pending}, and when the first operation of each came; none
     * where no counter expires.
     */
    private final Map<Object, Long> waiting = new HashMap<>();

    private final StreamRecord<CounterValue<K>> emitted = new StreamRecord<>(null);

    /**
     * No record may be emitted with an earlier timestamp: it would be late for operators
     * downstream.
     */
    private long earliest = Long.MIN_VALUE;

    /** Read by threads of metrics, which may see an older value. */
    private double expectedUndercount;

    /**
     * @param totals state of {@link CounterTotal#descriptor}, whose key is set by {@code
     *     keyContext}
     * @param emitsEveryUpdate false if the operator flushes periodically
     */
    CounterStore(
            KeyContext keyContext,
            ValueState<CounterTotal> totals,
            TypeSerializer<K> counterSerializer,
            IdHasher<K> counterHasher,
            boolean emitsEveryUpdate,
            Output<StreamRecord<CounterValue<K>>> output,
            ExpiringCounters expiring) {
        this.keyContext = requireNonNull(keyContext, "keyContext");
        this.totals = requireNonNull(totals, "totals");
        this.counterSerializer = requireNonNull(counterSerializer, "counterSerializer");
        this.counterHasher = requireNonNull(counterHasher, "counterHasher");
        this.emitsEveryUpdate = emitsEveryUpdate;
        this.output = requireNonNull(output, "output");
        this.expiring = requireNonNull(expiring, "expiring");
    }

    /**
     * Applies an operation.
     *
     * @param fpp probability with which it would have been missed
     */
    void apply(K counter, long amount, double fpp, long timestamp) throws Exception {
        double undercount = CounterTotal.undercount(amount, fpp);
        expectedUndercount += undercount;
        if (emitsEveryUpdate) {
            Object key = counterHasher.key(counter);
            emit(counter, key, expiring.now(), amount, undercount, timestamp);
            return;
        }
        PendingUpdates.Update update = pending.find(counter);
        if (update == null) {
            if (pending.isFull()) {
                flush();
            }
            update = pending.create(counterSerializer.copy(counter));
            if (expiring.isOn()) {
                waiting.put(counterHasher.key(counter), expiring.now());
            }
        }
        pending.add(update, amount, undercount, timestamp);
    }

    /**
     * Emits what {@code watermark} passes: to be called before it is forwarded. The last one,
     * {@code Watermark.MAX_WATERMARK}, passes everything.
     */
    void beforeWatermark(long watermark) throws Exception {
        pending.takeUntil(watermark, this::emit);
        if (watermark >= earliest) {
            earliest = watermark == Long.MAX_VALUE ? watermark : watermark + 1;
        }
    }

    /** Returns what all counters together are expected to miss, since the start. */
    double expectedUndercount() {
        return expectedUndercount;
    }

    /** Returns whether an update of the counter with this key has not yet reached keyed state. */
    boolean waits(Object key) {
        return waiting.containsKey(key);
    }

    /** Emits all counters that have changed. */
    void flush() throws Exception {
        pending.takeUntil(Long.MAX_VALUE, this::emit);
    }

    private void emit(K counter, PendingUpdates.Update update) throws Exception {
        Object key = counterHasher.key(counter);
        Long came = waiting.remove(key);
        emit(
                counter,
                key,
                came == null ? expiring.now() : came,
                update.delta(),
                update.undercount(),
                update.timestamp());
    }

    private void emit(
            K counter, Object key, long came, long amount, double undercount, long timestamp)
            throws Exception {
        keyContext.setCurrentKey(key);
        expiring.touch(came, timestamp);
        CounterTotal before = totals.value();
        CounterTotal total = (before == null ? CounterTotal.ZERO : before).plus(amount, undercount);
        totals.update(total);
        CounterValue<K> value =
                new CounterValue<>(counter, total.value(), total.expectedUndercount(), timestamp);
        output.collect(emitted.replace(value, Math.max(timestamp, earliest)));
    }
}
