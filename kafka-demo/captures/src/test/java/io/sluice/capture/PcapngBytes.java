/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes pcapng block by block, right or wrong as a test needs. */
final class PcapngBytes {
    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    static final int DECRYPTION_SECRETS = 10;
    static final int NAME_RESOLUTION = 4;
    static final int STATISTICS = 5;
    static final int CUSTOM = 0x0BAD;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private ByteOrder order = ByteOrder.LITTLE_ENDIAN;

    byte[] bytes() {
        return out.toByteArray();
    }

    /** Bytes written so far: where the next block begins. */
    int size() {
        return out.size();
    }

    PcapngBytes section(ByteOrder newOrder) {
        return section(newOrder, 1);
    }

    PcapngBytes section(ByteOrder newOrder, int version) {
        order = newOrder;
        return block(
                PcapngRecords.SECTION_HEADER,
                body(16).putInt(BYTE_ORDER_MAGIC)
                        .putShort((short) version)
                        .putShort((short) 0)
                        .putLong(-1));
    }

    PcapngBytes description(int linkType, int snapLength, byte... options) {
        return block(
                1,
                body(8 + options.length)
                        .putShort((short) linkType)
                        .putShort((short) 0)
                        .putInt(snapLength)
                        .put(options));
    }

    PcapngBytes enhanced(int interfaceId, long units, byte[] data) {
        return enhanced(interfaceId, units, data.length, data.length, data);
    }

    PcapngBytes enhanced(int interfaceId, long units, int captured, int onWire, byte[] data) {
        return block(
                6,
                body(20 + padded(data.length))
                        .putInt(interfaceId)
                        .putInt((int) (units >>> 32))
                        .putInt((int) units)
                        .putInt(captured)
                        .putInt(onWire)
                        .put(data));
    }

    PcapngBytes obsolete(int interfaceId, long units, byte[] data) {
        return block(
                2,
                body(20 + padded(data.length))
                        .putShort((short) interfaceId)
                        .putShort((short) 7)
                        .putInt((int) (units >>> 32))
                        .putInt((int) units)
                        .putInt(data.length)
                        .putInt(data.length)
                        .put(data));
    }

    PcapngBytes simple(int onWire, byte[] data) {
        return block(3, body(4 + padded(data.length)).putInt(onWire).put(data));
    }

    PcapngBytes other(int type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return block(type, body(padded(bytes.length)).put(bytes));
    }

    /** A block with the two given lengths. */
    PcapngBytes block(int type, int length, int lengthAgain, byte[] body) {
        write(ByteBuffer.allocate(8).order(order).putInt(type).putInt(length).array());
        write(body);
        write(ByteBuffer.allocate(4).order(order).putInt(lengthAgain).array());
        return this;
    }

    private PcapngBytes block(int type, ByteBuffer body) {
        byte[] bytes = new byte[body.capacity()];
        body.rewind().get(bytes);
        return block(type, 12 + bytes.length, 12 + bytes.length, bytes);
    }

    private void write(byte[] bytes) {
        out.write(bytes, 0, bytes.length);
    }

    private ByteBuffer body(int length) {
        return ByteBuffer.allocate(length).order(order);
    }

    private static int padded(int length) {
        return (length + 3) / 4 * 4;
    }

    /** Options of an interface: its time resolution and, unless 0, its time offset. */
    byte[] timing(int resolution, long offsetSeconds) {
        ByteBuffer options = ByteBuffer.allocate(24).order(order);
        options.putShort((short) 9).putShort((short) 1).put((byte) resolution);
        options.position(8);
        if (offsetSeconds != 0) {
            options.putShort((short) 14).putShort((short) 8).putLong(offsetSeconds);
        }
        return options.array();
    }
}
