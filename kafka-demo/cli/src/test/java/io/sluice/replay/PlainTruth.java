/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.CaptureEnd;
import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.kafka.Brokers;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The truth of a replay without a broker: every operation was sent as often as its faults say. */
public final class PlainTruth {
    /** Not 0, so that an id is not an index. */
    private static final long FIRST_OPERATION_ID = 5_000;

    private PlainTruth() {}

    /** The operations of {@code capture}, in its order. */
    public static List<PacketRecord> operations(Path capture) throws IOException {
        List<PacketRecord> operations = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            Packet packet = reader.packet();
            while (reader.next()) {
                operations.add(
                        new PacketRecord().set(FIRST_OPERATION_ID + operations.size(), packet));
            }
        }
        return operations;
    }

    /** What a replay of {@code operations} and {@code malformed} foreign records sent. */
    public static Truth of(List<PacketRecord> operations, Faults faults, int malformed) {
        TruthRecorder recorder = new TruthRecorder();
        for (PacketRecord operation : operations) {
            recorder.operation();
            for (int send = 0; send < faults.sends(operation.operationId()); send++) {
                recorder.sent(
                        operation,
                        operation.timestampMillis(),
                        send == 0 ? SendKind.FIRST : SendKind.RETRY);
            }
        }
        for (int i = 0; i < malformed; i++) {
            recorder.sentMalformed(DecodeResult.FOREIGN);
        }
        CaptureEnd end = new CaptureEnd(CaptureEnd.Kind.CLEAN, operations.size(), 0, "");
        return recorder.truth(
                "generated",
                end,
                ReplayOptions.builder(Brokers.at("nowhere:9092"), "packets")
                        .firstOperationId(FIRST_OPERATION_ID)
                        .faults(faults)
                        .build());
    }
}
