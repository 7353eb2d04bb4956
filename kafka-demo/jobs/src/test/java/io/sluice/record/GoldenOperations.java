/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

/** What is in the golden files. */
final class GoldenOperations {

    static final String IPV4 = "v2-ipv4.bin";
    static final String IPV6 = "v2-ipv6.bin";

    private GoldenOperations() {}

    /** The greatest numbers that are read, and all status bits and VLANs. */
    static PacketRecord ipv4() {
        PacketRecord record = new PacketRecord();
        record.operationId = -1;
        record.timestampNanos = Long.MAX_VALUE;
        record.protocol = 255;
        record.tcpFlags = 255;
        record.status = PacketRecord.STATUS_MASK;
        record.sourcePort = 65_535;
        record.destinationPort = 65_534;
        record.wireLength = Integer.MAX_VALUE;
        record.sourceLow = 0xffff_fffeL;
        record.destinationLow = 0x8000_0001L;
        record.vlan = PacketRecord.MAX_VLAN;
        record.innerVlan = PacketRecord.MAX_VLAN;
        return record;
    }

    /** Captured before 1970; every byte of the addresses differs. */
    static PacketRecord ipv6() {
        PacketRecord record = new PacketRecord();
        record.operationId = 0x1122_3344_5566_7788L;
        record.timestampNanos = -1_500_000_000_123_456_789L;
        record.ipVersion = 6;
        record.protocol = 17;
        record.status = PacketRecord.HAS_PORTS | PacketRecord.TRUNCATED;
        record.sourcePort = 53;
        record.destinationPort = 40_000;
        record.wireLength = 1_280;
        record.sourceHigh = 0x2001_0db8_0405_0607L;
        record.sourceLow = 0x0809_0a0b_0c0d_0e0fL;
        record.destinationHigh = 0xfe80_1112_1314_1516L;
        record.destinationLow = 0x1718_191a_1b1c_1d1eL;
        record.vlan = 0x123;
        return record;
    }

    static PacketRecord operation(String name) {
        return name.equals(IPV4) ? ipv4() : ipv6();
    }

    static byte[] encoded(PacketRecord record) {
        byte[] bytes = new byte[PacketRecordCodec.encodedLength(record)];
        new PacketRecordCodec().encode(record, bytes, 0);
        return bytes;
    }
}
