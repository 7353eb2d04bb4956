/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.run.Progress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.NumberSequenceIterator;

/**
 * A sequence of numbers that emits a watermark when it is complete, and then stays silent instead
 * of ending: the job keeps running, so checkpoints can be taken of its whole state.
 */
final class EndlessSequence extends NumberSequenceSource {
    /** The only watermark: after the last record. */
    static final long THROUGH = Long.MAX_VALUE - 1;

    private static final int STEP = 1024;

    EndlessSequence(long records) {
        super(0, records - 1);
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
        return new Reader(context);
    }

    private static final class Reader
            extends IteratorSourceReader<Long, NumberSequenceIterator, NumberSequenceSplit> {
        private final CompletableFuture<Void> never = new CompletableFuture<>();
        private final Progress progress = Progress.current();
        private int sinceStep;
        private boolean started;
        private boolean through;

        Reader(SourceReaderContext context) {
            super(context);
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            InputStatus status = super.pollNext(output);
            if (status == InputStatus.MORE_AVAILABLE) {
                if (!started) {
                    started = true;
                    progress.firstRecord();
                }
                if (++sinceStep == STEP) {
                    progress.emitted(STEP);
                    sinceStep = 0;
                }
                return status;
            }
            if (status == InputStatus.END_OF_INPUT && !through) {
                progress.emitted(sinceStep);
                sinceStep = 0;
                through = true;
                output.emitWatermark(new Watermark(THROUGH));
                progress.through();
            }
            return InputStatus.NOTHING_AVAILABLE;
        }

        @Override
        public List<NumberSequenceSplit> snapshotState(long checkpointId) {
            if (through) {
                progress.throughBefore(checkpointId);
            }
            return super.snapshotState(checkpointId);
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return through ? never : super.isAvailable();
        }

        @Override
        public void close() {}
    }
}
