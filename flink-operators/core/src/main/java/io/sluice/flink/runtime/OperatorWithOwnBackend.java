/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import org.apache.flink.metrics.groups.OperatorMetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.KeyContextHandler;
import org.apache.flink.streaming.api.operators.OperatorAttributes;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Runs an operator whose state is in a backend of its own. Flink has one backend for a job, and
 * makes an operator's state where the operator is initialized: only that call is different here,
 * all others are passed on.
 *
 * @param <IN> type of the records
 * @param <FOUND> type of what was found elsewhere
 * @param <OUT> type of the output
 */
final class OperatorWithOwnBackend<IN, FOUND, OUT>
        implements OptionalSecondInput<IN, FOUND, OUT>, KeyContextHandler {

    private final OptionalSecondInput<IN, FOUND, OUT> operator;
    private final transient Environment environment;
    private final transient StateBackend backend;
    private final boolean hasKeyContext;

    /**
     * @param operator set up
     */
    OperatorWithOwnBackend(
            OptionalSecondInput<IN, FOUND, OUT> operator,
            Environment environment,
            StateBackend backend) {
        this.operator = operator;
        this.environment = environment;
        this.backend = backend;
        this.hasKeyContext =
                !(operator instanceof KeyContextHandler handler) || handler.hasKeyContext();
    }

    /**
     * @param ofJob makes state in the backend of the job, which is not used
     */
    @Override
    public void initializeState(StreamTaskStateInitializer ofJob) throws Exception {
        operator.initializeState(OwnClock.initializer(operator, environment, backend));
    }

    @Override
    public void open() throws Exception {
        operator.open();
    }

    @Override
    public void finish() throws Exception {
        operator.finish();
    }

    @Override
    public void close() throws Exception {
        operator.close();
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        operator.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId,
            long timestamp,
            CheckpointOptions options,
            CheckpointStreamFactory storage)
            throws Exception {
        return operator.snapshotState(checkpointId, timestamp, options, storage);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        operator.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        operator.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void setKeyContextElement1(StreamRecord<?> record) throws Exception {
        operator.setKeyContextElement1(record);
    }

    @Override
    public void setKeyContextElement2(StreamRecord<?> record) throws Exception {
        operator.setKeyContextElement2(record);
    }

    @Override
    public void setCurrentKey(Object key) {
        operator.setCurrentKey(key);
    }

    @Override
    public Object getCurrentKey() {
        return operator.getCurrentKey();
    }

    @Override
    public boolean hasKeyContext1() {
        return hasKeyContext;
    }

    @Override
    public boolean hasKeyContext2() {
        return hasKeyContext;
    }

    @Override
    public OperatorMetricGroup getMetricGroup() {
        return operator.getMetricGroup();
    }

    @Override
    public OperatorID getOperatorID() {
        return operator.getOperatorID();
    }

    @Override
    public OperatorAttributes getOperatorAttributes() {
        return operator.getOperatorAttributes();
    }

    @Override
    public void processElement(StreamRecord<IN> record) throws Exception {
        operator.processElement(record);
    }

    @Override
    public void processElement2(StreamRecord<FOUND> record) throws Exception {
        operator.processElement2(record);
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        operator.processWatermark(mark);
    }

    @Override
    public void processWatermark1(Watermark mark) throws Exception {
        operator.processWatermark1(mark);
    }

    @Override
    public void processWatermark2(Watermark mark) throws Exception {
        operator.processWatermark2(mark);
    }

    @Override
    public void processWatermark(WatermarkEvent mark) throws Exception {
        operator.processWatermark(mark);
    }

    @Override
    public void processWatermark1(WatermarkEvent mark) throws Exception {
        operator.processWatermark1(mark);
    }

    @Override
    public void processWatermark2(WatermarkEvent mark) throws Exception {
        operator.processWatermark2(mark);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        operator.processWatermarkStatus(status);
    }

    @Override
    public void processWatermarkStatus1(WatermarkStatus status) throws Exception {
        operator.processWatermarkStatus1(status);
    }

    @Override
    public void processWatermarkStatus2(WatermarkStatus status) throws Exception {
        operator.processWatermarkStatus2(status);
    }

    @Override
    public void processLatencyMarker(LatencyMarker marker) throws Exception {
        operator.processLatencyMarker(marker);
    }

    @Override
    public void processLatencyMarker1(LatencyMarker marker) throws Exception {
        operator.processLatencyMarker1(marker);
    }

    @Override
    public void processLatencyMarker2(LatencyMarker marker) throws Exception {
        operator.processLatencyMarker2(marker);
    }

    @Override
    public void processRecordAttributes(RecordAttributes attributes) throws Exception {
        operator.processRecordAttributes(attributes);
    }

    @Override
    public void processRecordAttributes1(RecordAttributes attributes) throws Exception {
        operator.processRecordAttributes1(attributes);
    }

    @Override
    public void processRecordAttributes2(RecordAttributes attributes) throws Exception {
        operator.processRecordAttributes2(attributes);
    }
}
