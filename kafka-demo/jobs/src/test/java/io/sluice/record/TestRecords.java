/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import io.sluice.capture.traffic.SplitMix64;

/** Random operations. */
public final class TestRecords {
    private TestRecords() {}

    public static PacketRecord next(SplitMix64 random) {
        PacketRecord record = new PacketRecord();
        record.operationId = random.nextLong();
        record.timestampNanos = random.nextLong() >>> 2;
        record.ipVersion = random.nextInt(2) == 0 ? 4 : 6;
        record.protocol = random.nextInt(256);
        record.tcpFlags = random.nextInt(256);
        record.status = random.nextInt(PacketRecord.STATUS_MASK + 1);
        record.sourcePort = random.nextInt(65536);
        record.destinationPort = random.nextInt(65536);
        record.wireLength = random.nextInt(Integer.MAX_VALUE);
        record.vlan = random.nextInt(2) * random.nextInt(PacketRecord.MAX_VLAN + 1);
        record.innerVlan = record.vlan == 0 ? 0 : random.nextInt(PacketRecord.MAX_VLAN + 1);
        if (record.ipVersion == 4) {
            record.sourceLow = random.nextLong() >>> 32;
            record.destinationLow = random.nextLong() >>> 32;
        } else {
            record.sourceHigh = random.nextLong();
            record.sourceLow = random.nextLong();
            record.destinationHigh = random.nextLong();
            record.destinationLow = random.nextLong();
        }
        return record;
    }

    /** An operation at {@code timestampNanos} from one of a few sources. */
    public static PacketRecord operation(long id, long timestampNanos) {
        PacketRecord record = new PacketRecord();
        record.operationId = id;
        record.timestampNanos = timestampNanos;
        record.protocol = 6;
        record.status = PacketRecord.HAS_PORTS;
        record.sourceLow = id % 7;
        record.destinationLow = 99;
        record.sourcePort = 1024 + (int) (id % 100);
        record.destinationPort = 443;
        record.wireLength = 100;
        return record;
    }
}
