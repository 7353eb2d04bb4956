/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static io.sluice.record.RecordLayout.ADDRESS_BYTES_4;
import static io.sluice.record.RecordLayout.ADDRESS_BYTES_6;
import static io.sluice.record.RecordLayout.BYTES_4;
import static io.sluice.record.RecordLayout.BYTES_6;
import static io.sluice.record.RecordLayout.CHECKSUM_BYTES;
import static io.sluice.record.RecordLayout.DESTINATION_PORT;
import static io.sluice.record.RecordLayout.IP_VERSION;
import static io.sluice.record.RecordLayout.LENGTH;
import static io.sluice.record.RecordLayout.MAGIC_0;
import static io.sluice.record.RecordLayout.MAGIC_1;
import static io.sluice.record.RecordLayout.MAGIC_2;
import static io.sluice.record.RecordLayout.OPERATION_ID;
import static io.sluice.record.RecordLayout.PROTOCOL;
import static io.sluice.record.RecordLayout.SOURCE;
import static io.sluice.record.RecordLayout.SOURCE_PORT;
import static io.sluice.record.RecordLayout.STATUS;
import static io.sluice.record.RecordLayout.TCP_FLAGS;
import static io.sluice.record.RecordLayout.TIMESTAMP;
import static io.sluice.record.RecordLayout.VERSION;
import static io.sluice.record.RecordLayout.VERSION_2;
import static io.sluice.record.RecordLayout.WIRE_LENGTH;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Writes a {@link PacketRecord} as the bytes of a Kafka record's value, and reads it back. The
 * layout is in {@link RecordLayout}: 48 bytes for IPv4, 72 for IPv6.
 *
 * <p>Reading is total: any bytes give a {@link DecodeResult}, never an exception. Nothing is
 * allocated per record. Not thread-safe, since the checksum is computed in a field.
 */
public final class PacketRecordCodec {
    /** The longest record, in bytes: enough room for any call of {@link #encode}. */
    public static final int MAX_BYTES = BYTES_6;

    private static final int VLAN_SHIFT = 8;
    private static final int INNER_VLAN_SHIFT = 20;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle NETWORK_LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle NETWORK_INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final CRC32C checksum = new CRC32C();

    /** Bytes that {@code record} takes: 48 or 72. */
    public static int encodedLength(PacketRecord record) {
        return record.ipVersion == 4 ? BYTES_4 : BYTES_6;
    }

    /**
     * Writes {@code record} at {@code offset}, and returns the number of bytes written.
     *
     * @throws IndexOutOfBoundsException if the target has fewer than {@link #encodedLength} bytes
     *     left
     */
    public int encode(PacketRecord record, byte[] target, int offset) {
        int length = encodedLength(record);
        target[offset] = MAGIC_0;
        target[offset + 1] = MAGIC_1;
        target[offset + 2] = MAGIC_2;
        target[offset + VERSION] = VERSION_2;
        target[offset + LENGTH] = (byte) length;
        target[offset + IP_VERSION] = (byte) record.ipVersion;
        target[offset + PROTOCOL] = (byte) record.protocol;
        target[offset + TCP_FLAGS] = (byte) record.tcpFlags;
        LONGS.set(target, offset + OPERATION_ID, record.operationId);
        LONGS.set(target, offset + TIMESTAMP, record.timestampNanos);
        INTS.set(target, offset + WIRE_LENGTH, record.wireLength);
        SHORTS.set(target, offset + SOURCE_PORT, (short) record.sourcePort);
        SHORTS.set(target, offset + DESTINATION_PORT, (short) record.destinationPort);
        INTS.set(
                target,
                offset + STATUS,
                record.status | record.vlan << VLAN_SHIFT | record.innerVlan << INNER_VLAN_SHIFT);
        if (record.ipVersion == 4) {
            NETWORK_INTS.set(target, offset + SOURCE, (int) record.sourceLow);
            NETWORK_INTS.set(
                    target, offset + SOURCE + ADDRESS_BYTES_4, (int) record.destinationLow);
        } else {
            int destination = offset + SOURCE + ADDRESS_BYTES_6;
            NETWORK_LONGS.set(target, offset + SOURCE, record.sourceHigh);
            NETWORK_LONGS.set(target, offset + SOURCE + Long.BYTES, record.sourceLow);
            NETWORK_LONGS.set(target, destination, record.destinationHigh);
            NETWORK_LONGS.set(target, destination + Long.BYTES, record.destinationLow);
        }
        int body = length - CHECKSUM_BYTES;
        INTS.set(target, offset + body, checksumOf(target, offset, body));
        return length;
    }

    /**
     * Like {@link #decode(byte[], int, int, PacketRecord)}, for a whole array; null is too short.
     */
    public DecodeResult decode(byte[] source, PacketRecord into) {
        return source == null ? DecodeResult.TOO_SHORT : decode(source, 0, source.length, into);
    }

    /**
     * Reads the record that consists of exactly the {@code length} bytes at {@code offset}. Unless
     * the result is {@link DecodeResult#OK}, {@code into} is unchanged.
     */
    public DecodeResult decode(byte[] source, int offset, int length, PacketRecord into) {
        if (length < BYTES_4) {
            return DecodeResult.TOO_SHORT;
        }
        if (source[offset] != MAGIC_0
                || source[offset + 1] != MAGIC_1
                || source[offset + 2] != MAGIC_2) {
            return DecodeResult.FOREIGN;
        }
        if (source[offset + VERSION] != VERSION_2) {
            return DecodeResult.UNKNOWN_VERSION;
        }
        int ipVersion = source[offset + IP_VERSION];
        if (source[offset + LENGTH] != length || length != (ipVersion == 6 ? BYTES_6 : BYTES_4)) {
            return DecodeResult.WRONG_LENGTH;
        }
        int body = length - CHECKSUM_BYTES;
        if ((int) INTS.get(source, offset + body) != checksumOf(source, offset, body)) {
            return DecodeResult.WRONG_CHECKSUM;
        }
        int wireLength = (int) INTS.get(source, offset + WIRE_LENGTH);
        int statusAndVlans = (int) INTS.get(source, offset + STATUS);
        int status = statusAndVlans & 0xFF;
        int vlan = statusAndVlans >>> VLAN_SHIFT & PacketRecord.MAX_VLAN;
        int innerVlan = statusAndVlans >>> INNER_VLAN_SHIFT;
        if ((ipVersion != 4 && ipVersion != 6)
                || wireLength < 0
                || (status & ~PacketRecord.STATUS_MASK) != 0
                || (vlan == 0 && innerVlan != 0)) {
            return DecodeResult.INVALID_FIELD;
        }
        into.operationId = (long) LONGS.get(source, offset + OPERATION_ID);
        into.timestampNanos = (long) LONGS.get(source, offset + TIMESTAMP);
        into.wireLength = wireLength;
        into.sourcePort = (short) SHORTS.get(source, offset + SOURCE_PORT) & 0xFFFF;
        into.destinationPort = (short) SHORTS.get(source, offset + DESTINATION_PORT) & 0xFFFF;
        into.ipVersion = ipVersion;
        into.protocol = source[offset + PROTOCOL] & 0xFF;
        into.tcpFlags = source[offset + TCP_FLAGS] & 0xFF;
        into.status = status;
        into.vlan = vlan;
        into.innerVlan = innerVlan;
        if (ipVersion == 4) {
            into.sourceHigh = 0;
            into.sourceLow = (int) NETWORK_INTS.get(source, offset + SOURCE) & 0xFFFFFFFFL;
            into.destinationHigh = 0;
            into.destinationLow =
                    (int) NETWORK_INTS.get(source, offset + SOURCE + ADDRESS_BYTES_4) & 0xFFFFFFFFL;
        } else {
            int destination = offset + SOURCE + ADDRESS_BYTES_6;
            into.sourceHigh = (long) NETWORK_LONGS.get(source, offset + SOURCE);
            into.sourceLow = (long) NETWORK_LONGS.get(source, offset + SOURCE + Long.BYTES);
            into.destinationHigh = (long) NETWORK_LONGS.get(source, destination);
            into.destinationLow = (long) NETWORK_LONGS.get(source, destination + Long.BYTES);
        }
        return DecodeResult.OK;
    }

    private int checksumOf(byte[] bytes, int offset, int length) {
        checksum.reset();
        checksum.update(bytes, offset, length);
        return (int) checksum.getValue();
    }
}
