/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.memory.Touches;
import io.sluice.flink.Duplicates;
import io.sluice.flink.IdHasher;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.WindowSettings;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Passes first occurrences. No key context and no keyed state: an id is selected once and hashed
 * once, and nothing is allocated per record.
 *
 * <p>Records wait in a batch ({@link Batching}) until it is full, a short time has passed, or
 * something follows that must not overtake them. They are decided and emitted in the order in which
 * they came.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
class DeduplicateOperator<T, K> extends ForgetfulOperator<T, T> {

    static final String ENGINE = "deduplicate filter";

    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final Batching batching;

    private transient RecordBatch<T> batch;
    private transient boolean timerIsSet;
    private transient Touches touches;

    DeduplicateOperator(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate) {
        super(settings, hasher.scheme().code(), onLate);
        this.batching = requireNonNull(batching, "batching");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
    }

    @Override
    protected String engine() {
        return ENGINE;
    }

    @Override
    protected Set<String> readableEngines() {
        return Set.of(ENGINE, VerifyingDeduplicateOperator.ENGINE);
    }

    @Override
    public void open() throws Exception {
        super.open();
        // A record that an operator in the same chain hands over may be changed by it afterwards.
        boolean mayBeReused =
                !getOperatorConfig().isChainStart() && getExecutionConfig().isObjectReuseEnabled();
        touches = new Touches();
        batch = new RecordBatch<>(mayBeReused ? 1 : batching.records());
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        K id = idSelector.getKey(record.getValue());
        batch.add(record, hasher.hash(id), keyGroupOf(StreamKey.hashCode(id)));
        if (batch.isFull()) {
            processBatch();
        } else if (!timerIsSet) {
            setTimer();
        }
    }

    private void setTimer() {
        timerIsSet = true;
        ProcessingTimeService time = getProcessingTimeService();
        ScheduledFuture<?> unused =
                time.registerTimer(
                        time.getCurrentProcessingTime() + batching.delayMillis(),
                        now -> {
                            timerIsSet = false;
                            processBatch();
                        });
    }

    private void processBatch() throws Exception {
        int size = batch.size();
        if (size == 0) {
            return;
        }
        if (size > 1) {
            for (int i = 0; i < size; i++) {
                Deduplicator group = groups().peek(batch.keyGroup(i));
                if (group != null) {
                    group.touch(batch.hash(i), touches);
                }
            }
            touches.read();
        }
        readClock();
        try {
            for (int i = 0; i < size; i++) {
                processRecord(batch.record(i), batch.hash(i), batch.keyGroup(i));
            }
        } finally {
            batch.clear();
        }
    }

    private void processRecord(StreamRecord<T> record, long hash, int keyGroup) throws Exception {
        switch (decide(keyGroup, hash, record)) {
            case FIRST -> output.collect(record);
            case DUPLICATE -> duplicate(record);
            case LATE -> {}
        }
    }

    private void duplicate(StreamRecord<T> record) throws Exception {
        counts().countDuplicate();
        Duplicates.handle(onDuplicate, record, output);
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        processBatch();
        super.processWatermark(mark);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        processBatch();
        super.processWatermarkStatus(status);
    }

    @Override
    public void processRecordAttributes(RecordAttributes attributes) throws Exception {
        processBatch();
        super.processRecordAttributes(attributes);
    }

    @Override
    public void processLatencyMarker(LatencyMarker marker) throws Exception {
        processBatch();
        super.processLatencyMarker(marker);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        processBatch();
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        processBatch();
        super.finish();
    }
}
