/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.job.EventTimeArguments;
import io.sluice.record.PacketRecord;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The IP packets of a {@link CaptureReading}, in their order, from one subtask. It can be read
 * once: a job that reads it does not restart.
 *
 * @param reading its name
 * @param behind how far packets may lie behind the largest time
 * @param maxAhead as for {@link CaptureTime}
 */
record CaptureSource(String reading, Duration behind, Duration maxAhead)
        implements Source<PacketRecord, WholeCapture, Void> {
    static final String UID = "capture";

    /** The packets, with event time that depends on nothing but them. */
    static DataStream<PacketRecord> packets(
            StreamExecutionEnvironment env, CaptureReading reading, EventTimeArguments times) {
        return env.fromSource(
                        new CaptureSource(reading.name(), times.outOfOrderness(), times.maxAhead()),
                        WatermarkStrategy.noWatermarks(),
                        UID,
                        TypeInformation.of(PacketRecord.class))
                .setParallelism(1)
                .uid(UID);
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<PacketRecord, WholeCapture> createReader(SourceReaderContext context) {
        return new CapturePackets(
                CaptureReading.take(reading),
                new CaptureTime(behind, maxAhead, context.metricGroup()));
    }

    @Override
    public SplitEnumerator<WholeCapture, Void> createEnumerator(
            SplitEnumeratorContext<WholeCapture> context) {
        return new NothingToAssign(context);
    }

    @Override
    public SplitEnumerator<WholeCapture, Void> restoreEnumerator(
            SplitEnumeratorContext<WholeCapture> context, @Nullable Void checkpoint) {
        throw WholeCapture.cannotContinue();
    }

    @Override
    public SimpleVersionedSerializer<WholeCapture> getSplitSerializer() {
        return WholeCapture.serializer();
    }

    @Override
    public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
        return WholeCapture.serializer();
    }

    /** The reader knows what to read from the start. */
    private record NothingToAssign(SplitEnumeratorContext<WholeCapture> context)
            implements SplitEnumerator<WholeCapture, Void> {
        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, @Nullable String host) {}

        @Override
        public void addSplitsBack(List<WholeCapture> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {
            context.signalNoMoreSplits(subtask);
        }

        @Override
        public @Nullable Void snapshotState(long checkpointId) {
            throw WholeCapture.cannotContinue();
        }

        @Override
        public void close() {}
    }
}
