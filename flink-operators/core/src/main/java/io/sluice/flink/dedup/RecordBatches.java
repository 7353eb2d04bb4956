/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.memory.Touches;
import io.sluice.flink.Batching;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Decides records in batches ({@link Batching}), so that they wait for the filters' memory together
 * instead of one after the other. A record waits until its batch is full, a short time has passed,
 * or something follows that must not overtake it: the operator calls {@link #flush} before it emits
 * or snapshots anything else. Records are decided in the order in which they came. Not thread-safe.
 *
 * @param <T> type of the records
 */
@Internal
public final class RecordBatches<T> {

    /**
     * Decides one record, and acts on the decision.
     *
     * @param <T> type of the records
     */
    @FunctionalInterface
    public interface Action<T> {

        /**
         * Decides one record.
         *
         * @param now what {@link SeenIds#readClock} says for this batch
         */
        void process(StreamRecord<T> record, long hash, int keyGroup, long now) throws Exception;
    }

    /** Decides all records of a batch, in their order, and acts on the decisions. */
    @FunctionalInterface
    interface Decision<T> {
        void decide(RecordBatch<T> batch) throws Exception;
    }

    private final Decision<T> decision;
    private final ProcessingTimeService time;
    private final long delayMillis;
    private final RecordBatch<T> batch;
    private boolean timerIsSet;

    private RecordBatches(
            Decision<T> decision, ProcessingTimeService time, long delayMillis, int records) {
        this.decision = requireNonNull(decision, "decision");
        this.time = requireNonNull(time, "time");
        this.delayMillis = delayMillis;
        this.batch = new RecordBatch<>(records);
    }

    /** Returns the batches of an operator that is being opened, and asks {@code seen}. */
    public static <T> RecordBatches<T> of(
            AbstractStreamOperator<?> operator,
            Batching batching,
            SeenIds<T> seen,
            Action<T> action) {
        Touches touches = new Touches();
        return of(operator, batching, batch -> decide(batch, seen, action, touches));
    }

    /** As the other, for an operator that decides whole batches. */
    static <T> RecordBatches<T> of(
            AbstractStreamOperator<?> operator, Batching batching, Decision<T> decision) {
        // An operator in the same chain may change a record after handing it over.
        boolean mayBeReused =
                !operator.getOperatorConfig().isChainStart()
                        && operator.getExecutionConfig().isObjectReuseEnabled();
        return new RecordBatches<>(
                decision,
                operator.getProcessingTimeService(),
                batching.delayMillis(),
                mayBeReused ? 1 : batching.records());
    }

    /** Hands {@code record} to the action, now or together with others. */
    public void add(StreamRecord<T> record, long hash, int keyGroup) throws Exception {
        batch.add(record, hash, keyGroup);
        if (batch.isFull()) {
            flush();
        } else if (!timerIsSet) {
            setTimer();
        }
    }

    private void setTimer() {
        timerIsSet = true;
        ScheduledFuture<?> unused =
                time.registerTimer(
                        time.getCurrentProcessingTime() + delayMillis,
                        now -> {
                            timerIsSet = false;
                            flush();
                        });
    }

    /** Decides the records that wait. */
    public void flush() throws Exception {
        if (batch.size() == 0) {
            return;
        }
        try {
            decision.decide(batch);
        } finally {
            batch.clear();
        }
    }

    private static <T> void decide(
            RecordBatch<T> batch, SeenIds<T> seen, Action<T> action, Touches touches)
            throws Exception {
        int size = batch.size();
        if (size > 1) {
            for (int i = 0; i < size; i++) {
                seen.touch(batch.keyGroup(i), batch.hash(i), touches);
            }
            touches.read();
        }
        long now = seen.readClock();
        for (int i = 0; i < size; i++) {
            action.process(batch.record(i), batch.hash(i), batch.keyGroup(i), now);
        }
    }
}
