/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.memory.Touches;
import io.sluice.flink.Batching;
import io.sluice.flink.OnLate;
import io.sluice.flink.WindowSettings;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Decides records in batches ({@link Batching}), so that they wait for the filters' memory together
 * and not one after the other. A record waits until its batch is full, a short time has passed, or
 * something follows that must not overtake it. Records are decided in the order in which they came.
 *
 * @param <IN> type of the records
 * @param <OUT> type of the output
 */
@Internal
public abstract class BatchedOperator<IN, OUT> extends ForgetfulOperator<IN, OUT> {

    private final Batching batching;

    private transient RecordBatch<IN> batch;
    private transient boolean timerIsSet;
    private transient Touches touches;

    /**
     * @param schemeCode persistent code of what is hashed
     */
    protected BatchedOperator(
            WindowSettings settings, Batching batching, int schemeCode, OnLate<IN> onLate) {
        super(settings, schemeCode, onLate);
        this.batching = requireNonNull(batching, "batching");
    }

    /** {@link #decide decides} one record, and does what follows from it. */
    protected abstract void processRecord(StreamRecord<IN> record, long hash, int keyGroup)
            throws Exception;

    @Override
    public void open() throws Exception {
        super.open();
        // A record that an operator in the same chain hands over may be changed by it afterwards.
        boolean mayBeReused =
                !getOperatorConfig().isChainStart() && getExecutionConfig().isObjectReuseEnabled();
        touches = new Touches();
        batch = new RecordBatch<>(mayBeReused ? 1 : batching.records());
    }

    /** Hands {@code record} to {@link #processRecord}, now or with others. */
    protected final void batch(StreamRecord<IN> record, long hash, int keyGroup) throws Exception {
        batch.add(record, hash, keyGroup);
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

    /** Decides the records that wait. */
    protected final void processBatch() throws Exception {
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
