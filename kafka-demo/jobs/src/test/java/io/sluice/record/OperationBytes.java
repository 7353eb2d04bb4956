/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Packet records as bytes, for tests in other packages. */
public final class OperationBytes {
    private OperationBytes() {}

    /** Operation {@code id}, captured at {@code time}, from one of seven sources. */
    public static byte[] of(long id, Instant time) {
        long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
        return encoded(TestRecords.operation(id, nanos));
    }

    /**
     * A TCP segment of connection {@code connection}, from one to port 443 of one host.
     *
     * @param flags of its header
     */
    public static byte[] segment(int connection, boolean fromClient, int flags, Instant time) {
        long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
        PacketRecord record = TestRecords.operation(nanos, nanos);
        record.tcpFlags = flags;
        record.status = PacketRecord.HAS_PORTS | PacketRecord.HAS_TCP_FLAGS;
        record.sourceLow = 10L << 24 | connection;
        record.sourcePort = 50_000;
        if (!fromClient) {
            long client = record.sourceLow;
            record.sourceLow = record.destinationLow;
            record.destinationLow = client;
            record.sourcePort = record.destinationPort;
            record.destinationPort = 50_000;
        }
        return encoded(record);
    }

    private static byte[] encoded(PacketRecord record) {
        byte[] bytes = new byte[PacketRecordCodec.encodedLength(record)];
        new PacketRecordCodec().encode(record, bytes, 0);
        return bytes;
    }
}
