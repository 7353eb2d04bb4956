/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static java.util.Objects.requireNonNull;

import io.sluice.record.PacketRecord;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/**
 * Puts out the packets of a capture with their {@link CaptureTime}, in instances that are used
 * again. It reads some packets ahead, which say what a jump in time is worth.
 */
final class CapturePackets implements SourceReader<PacketRecord, WholeCapture> {
    /** A task looks after itself between two calls, not between two packets. */
    private static final int PACKETS_PER_CALL = 128;

    /** As many packets as are read ahead, and the one that is put out; a power of two. */
    static final int HELD = 64;

    private final CaptureReading reading;
    private final CaptureTime time;
    private final PacketRecord[] held = new PacketRecord[HELD];
    private final LongSupplier earliestAhead = this::earliestAhead;
    private int first;
    private int ahead;
    private boolean isRead;

    /** A task must not end before the word that there are no more splits has reached it. */
    private final CompletableFuture<Void> begun = new CompletableFuture<>();

    CapturePackets(CaptureReading reading, CaptureTime time) {
        this.reading = requireNonNull(reading, "reading");
        this.time = requireNonNull(time, "time");
        Arrays.setAll(held, i -> new PacketRecord());
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<PacketRecord> output) throws IOException {
        if (!begun.isDone()) {
            return InputStatus.NOTHING_AVAILABLE;
        }
        for (int i = 0; i < PACKETS_PER_CALL; i++) {
            readAhead();
            if (ahead == 0) {
                return InputStatus.END_OF_INPUT;
            }
            PacketRecord packet = held[first];
            first = (first + 1) & (HELD - 1);
            ahead--;
            long millis = packet.timestampMillis();
            output.collect(packet, millis);
            time.follow(millis, earliestAhead, output);
        }
        return InputStatus.MORE_AVAILABLE;
    }

    private void readAhead() throws IOException {
        while (!isRead && ahead < HELD) {
            isRead = !reading.next(held[(first + ahead) & (HELD - 1)]);
            ahead += isRead ? 0 : 1;
        }
    }

    /** The largest time of all if there is no packet left. */
    private long earliestAhead() {
        long earliest = Long.MAX_VALUE;
        for (int i = 0; i < ahead; i++) {
            PacketRecord packet = held[(first + i) & (HELD - 1)];
            earliest = Math.min(earliest, packet.timestampMillis());
        }
        return earliest;
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
