/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Packet records as bytes, for tests in other packages. */
public final class OperationBytes {
    private OperationBytes() {}

    /** Operation {@code id}, captured at {@code time}, from one of seven sources. */
    public static byte[] of(long id, Instant time) {
        long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
        PacketRecord record = TestRecords.operation(id, nanos);
        byte[] bytes = new byte[PacketRecordCodec.encodedLength(record)];
        new PacketRecordCodec().encode(record, bytes, 0);
        return bytes;
    }
}
