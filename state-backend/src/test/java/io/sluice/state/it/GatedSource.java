/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.NumberSequenceIterator;

/**
 * The numbers from 0, as far as a {@link Gate} admits them; never ends. For parallelism 1. It takes
 * part in checkpoints while it waits.
 */
final class GatedSource extends NumberSequenceSource {
    private static final long FAR_AWAY = 1L << 40;

    private final String run;

    /**
     * @param run whose gate it is
     */
    GatedSource(String run) {
        super(0, FAR_AWAY);
        this.run = run;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
        return new Reader(context, Run.of(run).gate());
    }

    private static final class Reader
            extends IteratorSourceReader<Long, NumberSequenceIterator, NumberSequenceSplit> {
        private final Gate gate;

        Reader(SourceReaderContext context, Gate gate) {
            super(context);
            this.gate = gate;
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            if (iterator == null) {
                InputStatus status = tryMoveToNextSplit();
                if (status != InputStatus.MORE_AVAILABLE) {
                    return status;
                }
            }
            if (!gate.admits(iterator.getCurrent())) {
                gate.at(iterator.getCurrent());
                return InputStatus.NOTHING_AVAILABLE;
            }
            InputStatus status = super.pollNext(output);
            gate.at(iterator.getCurrent());
            return status;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return iterator == null
                    ? super.isAvailable()
                    : gate.whenAdmitted(iterator.getCurrent());
        }

        @Override
        public void close() {}
    }
}
