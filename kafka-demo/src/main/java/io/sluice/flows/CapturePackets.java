/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.record.PacketRecord;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/** Puts out the packets of a capture, all in one reused instance. */
final class CapturePackets implements SourceReader<PacketRecord, WholeCapture> {
    /** A task looks after itself between two calls, not between two packets. */
    private static final int PACKETS_PER_CALL = 128;

    private final CaptureReading reading;
    private final PacketRecord packet = new PacketRecord();

    /** A task must not end before the word that there are no more splits has reached it. */
    private final CompletableFuture<Void> begun = new CompletableFuture<>();

    CapturePackets(CaptureReading reading) {
        this.reading = reading;
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<PacketRecord> output) throws IOException {
        if (!begun.isDone()) {
            return InputStatus.NOTHING_AVAILABLE;
        }
        for (int i = 0; i < PACKETS_PER_CALL; i++) {
            if (!reading.next(packet)) {
                return InputStatus.END_OF_INPUT;
            }
            output.collect(packet);
        }
        return InputStatus.MORE_AVAILABLE;
    }

    @Override
    public List<WholeCapture> snapshotState(long checkpointId) {
        throw WholeCapture.cannotContinue();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return begun;
    }

    @Override
    public void addSplits(List<WholeCapture> splits) {}

    @Override
    public void notifyNoMoreSplits() {
        begun.complete(null);
    }

    /** The files belong to who opened them. */
    @Override
    public void close() {}
}
