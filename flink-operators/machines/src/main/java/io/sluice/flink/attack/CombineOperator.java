/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.Attempt;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Combines attempts before they are sent to the subtask that watches their party. It has no state:
 * it holds nothing across a checkpoint, a watermark that closes a pane, the end of the input, or
 * idleness, during which other inputs advance the watermark.
 */
final class CombineOperator extends AbstractStreamOperator<Tally>
        implements OneInputStreamOperator<Attempt, Tally> {

    private final AttackSettings settings;

    private transient Combiner combiner;
    private transient StreamRecord<Tally> record;

    CombineOperator(AttackSettings settings) {
        this.settings = requireNonNull(settings, "settings");
    }

    @Override
    public void open() throws Exception {
        super.open();
        record = new StreamRecord<>(null);
        combiner = new Combiner(settings, this::emit);
    }

    /**
     * Gives it the last time of its pane, which no watermark has passed unless the attempts were
     * late.
     */
    private void emit(Tally tally) {
        long pane = Math.floorDiv(tally.lastMillis(), settings.paneMillis());
        output.collect(record.replace(tally, AttackWatch.lastMillis(pane, settings.paneMillis())));
    }

    @Override
    public void processElement(StreamRecord<Attempt> attempt) {
        combiner.add(attempt.getValue());
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            combiner.flush();
        } else {
            combiner.flushClosed(mark.getTimestamp());
        }
        super.processWatermark(mark);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        combiner.flush();
        super.processWatermarkStatus(status);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        combiner.flush();
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        combiner.flush();
        super.finish();
    }
}
