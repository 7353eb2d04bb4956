/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A packet record with IPv4 addresses, as docs/formats.md has it, written and read without the code
 * of the jobs.
 *
 * @param operation its id
 * @param nanos capture time since 1970
 * @param source address
 * @param target address
 */
public record PacketBytes(
        long operation,
        long nanos,
        int protocol,
        int flags,
        int source,
        int sourcePort,
        int target,
        int targetPort) {
    public static final int TCP = 6;
    public static final int UDP = 17;

    private static final int BYTES = 48;
    private static final int MAGIC = 'S' | 'L' << 8 | 'P' << 16 | 2 << 24;
    private static final int WIRE_BYTES = 100;
    private static final byte PORTS_ARE_KNOWN = 4;
    private static final byte FLAGS_ARE_KNOWN = 8;
    private static final int ADDRESSES = 36;

    /** The bytes of the record. */
    public byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(MAGIC).put((byte) BYTES).put((byte) 4).put((byte) protocol).put((byte) flags);
        bytes.putLong(operation).putLong(nanos).putInt(WIRE_BYTES);
        bytes.putShort((short) sourcePort).putShort((short) targetPort);
        bytes.put((byte) (PORTS_ARE_KNOWN | (protocol == TCP ? FLAGS_ARE_KNOWN : 0)));
        bytes.position(ADDRESSES);
        bytes.order(ByteOrder.BIG_ENDIAN).putInt(source).putInt(target);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.array(), 0, bytes.position());
        bytes.order(ByteOrder.LITTLE_ENDIAN).putInt((int) checksum.getValue());
        return bytes.array();
    }

    /** Reads what {@link #toBytes} wrote. */
    public static PacketBytes of(byte[] value) {
        if (value.length != BYTES) {
            throw new IllegalArgumentException("no packet record of IPv4: " + value.length);
        }
        ByteBuffer bytes = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer addresses = ByteBuffer.wrap(value);
        return new PacketBytes(
                bytes.getLong(8),
                bytes.getLong(16),
                value[6] & 0xFF,
                value[7] & 0xFF,
                addresses.getInt(ADDRESSES),
                bytes.getShort(28) & 0xFFFF,
                addresses.getInt(ADDRESSES + Integer.BYTES),
                bytes.getShort(30) & 0xFFFF);
    }

    /** Capture time in milliseconds. */
    public long millis() {
        return Math.floorDiv(nanos, 1_000_000L);
    }

    /** An address as text. */
    public static String text(int address) {
        return (address >>> 24)
                + "."
                + (address >>> 16 & 0xFF)
                + "."
                + (address >>> 8 & 0xFF)
                + "."
                + (address & 0xFF);
    }
}
