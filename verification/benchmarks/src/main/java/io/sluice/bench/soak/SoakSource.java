/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.run.EverySecond;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.NumberSequenceIterator;

/** All numbers from 0 on, until the run is told to stop; event time goes with the numbers. */
final class SoakSource extends NumberSequenceSource {
    private static final long serialVersionUID = 1L;

    private final SoakJob job;

    SoakSource(SoakJob job) {
        super(0, Long.MAX_VALUE - 1);
        this.job = job;
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
        return new Reader(context, SoakStage.of(job));
    }

    /**
     * Event time.
     *
     * @param perSecond records
     */
    static WatermarkStrategy<Long> times(long perSecond) {
        return WatermarkStrategy.<Long>forGenerator(context -> new EverySecond())
                .withTimestampAssigner(context -> (number, none) -> number * 1000 / perSecond);
    }

    private static final class Reader
            extends IteratorSourceReader<Long, NumberSequenceIterator, NumberSequenceSplit> {
        private final SoakStage stage;

        Reader(SourceReaderContext context, SoakStage stage) {
            super(context);
            this.stage = stage;
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            return stage.isStopping() ? InputStatus.END_OF_INPUT : super.pollNext(output);
        }

        @Override
        public void close() {}
    }
}
