/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * pcapng (draft-ietf-opsawg-pcapng): blocks of a type, a length, a body and the length again. A
 * section header begins a section with its own byte order and its own interfaces; interface
 * descriptions state link type and time resolution; enhanced, simple and (obsolete) packet blocks
 * hold packets. All other blocks are skipped.
 *
 * <pre>
 *  section header    8 byte order magic (4)  12 version (2 + 2)
 *  interface         8 link type (2)  12 snap length (4)  16 options
 *  enhanced packet   8 interface (4)  12 time, high and low (4 + 4)  20 captured (4)  24 on the wire (4)  28 data
 *  packet            8 interface (2)  10 drops (2), then as an enhanced one
 *  simple packet     8 on the wire (4)  12 data
 * </pre>
 *
 * <p>A simple packet has no time: it gets that of the packet before it. An error inside a block
 * whose two lengths agree costs only that block; impossible lengths end the capture, since it is
 * unknown where the next block begins. A badly described interface still takes its number, so that
 * packets of other interfaces are not mistaken for its own.
 */
final class PcapngRecords implements Records {
    static final int SECTION_HEADER = 0x0A0D0D0A;

    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int OBSOLETE_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;

    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    private static final int MAJOR_VERSION = 1;
    private static final int MIN_BLOCK_BYTES = 12;
    private static final int SECTION_HEADER_BYTES = 28;
    private static final int OPTIONS = 16;
    private static final int OPTION_RESOLUTION = 9;
    private static final int OPTION_OFFSET = 14;
    private static final int ENHANCED_DATA = 28;
    private static final int SIMPLE_DATA = 12;
    private static final int TRAILER_BYTES = 4;

    /** Longer blocks do not fit the window, so they cannot be examined; no writer makes them. */
    private static final int MAX_READ_BYTES = CaptureInput.WINDOW_BYTES / 2;

    /**
     * More interfaces of a section are not remembered, so that they take no memory: packets of
     * theirs are lost. The obsolete packet block has no number for them.
     */
    static final int MAX_INTERFACES = 1 << 16;

    /** An interface of which nothing is known except that it exists. */
    private static final int NO_LINK_TYPE = -1;

    private static final PcapngInterface UNREADABLE = new PcapngInterface(NO_LINK_TYPE, 0, 0, 0);

    private static final VarHandle BIG_INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE_INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final CaptureInput input;
    private final CaptureTally tally;
    private final List<PcapngInterface> interfaces = new ArrayList<>();
    private boolean littleEndian;
    private long lastNanos;
    private long packets;
    private CaptureEnd end;

    private PcapngRecords(CaptureInput input, CaptureTally tally) {
        this.input = input;
        this.tally = tally;
    }

    /** Checks the first block; it is read later with the others. */
    static PcapngRecords open(CaptureInput input, CaptureTally tally) throws IOException {
        if (!input.ensure(MIN_BLOCK_BYTES)) {
            throw new CaptureException(
                    input.file(), 0, "the section header is cut", "copy the capture again");
        }
        if (!isByteOrderMagic(Octets.i32(input.window(), 8))) {
            throw new CaptureException(
                    input.file(), 8, "the byte order magic is wrong", "capture again");
        }
        return new PcapngRecords(input, tally);
    }

    private static boolean isByteOrderMagic(int magic) {
        return magic == BYTE_ORDER_MAGIC || magic == Integer.reverseBytes(BYTE_ORDER_MAGIC);
    }

    @Override
    public boolean next(Packet packet) throws IOException {
        while (end == null) {
            if (!input.ensure(MIN_BLOCK_BYTES)) {
                end = CaptureEnds.atEndOfInput(input, packets, input.available(), "a block header");
                return false;
            }
            if (readBlock(packet)) {
                return true;
            }
        }
        return false;
    }

    /** Reads the next block. Returns true if it was a packet. */
    private boolean readBlock(Packet packet) throws IOException {
        int type = Octets.i32(input.window(), input.position());
        if (type == SECTION_HEADER) {
            int magic = Octets.i32(input.window(), input.position() + 8);
            if (!isByteOrderMagic(magic)) {
                return damaged("a section of byte order " + Integer.toHexString(magic));
            }
            littleEndian = magic != BYTE_ORDER_MAGIC;
        } else {
            type = int32(0);
        }
        int length = int32(4);
        if (length < MIN_BLOCK_BYTES || length % 4 != 0) {
            return damaged("a block of " + Integer.toUnsignedString(length) + " bytes");
        }
        if (!isRead(type)) {
            skip(length);
            return false;
        }
        if (length > MAX_READ_BYTES) {
            return damaged("a block of " + length + " bytes");
        }
        if (!input.ensure(length)) {
            end = CaptureEnds.atEndOfInput(input, packets, input.available(), "a block");
            return false;
        }
        if (int32(length - TRAILER_BYTES) != length) {
            return damaged("a block whose two lengths differ");
        }
        boolean isPacket =
                switch (type) {
                    case SECTION_HEADER -> beginSection(length);
                    case INTERFACE_DESCRIPTION -> readInterface(length);
                    case SIMPLE_PACKET -> readSimplePacket(packet, length);
                    case OBSOLETE_PACKET -> readPacket(packet, length, true);
                    default -> readPacket(packet, length, false);
                };
        if (end == null) {
            input.skip(length);
        }
        return isPacket;
    }

    private static boolean isRead(int type) {
        return type == SECTION_HEADER
                || type == INTERFACE_DESCRIPTION
                || type == OBSOLETE_PACKET
                || type == SIMPLE_PACKET
                || type == ENHANCED_PACKET;
    }

    private boolean beginSection(int length) {
        if (length < SECTION_HEADER_BYTES) {
            return damaged("a section header of " + length + " bytes");
        }
        int version = int16(12);
        if (version != MAJOR_VERSION) {
            return damaged("a section of version " + version + ", where only 1 is read,");
        }
        interfaces.clear();
        return false;
    }

    private boolean readInterface(int length) {
        if (interfaces.size() == MAX_INTERFACES) {
            return false;
        }
        if (length < OPTIONS + TRAILER_BYTES) {
            interfaces.add(UNREADABLE);
            return false;
        }
        int resolution = PcapngInterface.MICROS;
        long offsetSeconds = 0;
        int at = OPTIONS;
        int limit = length - TRAILER_BYTES;
        while (at + 4 <= limit && int16(at) != 0) {
            int code = int16(at);
            int size = int16(at + 2);
            if (at + 4 + size > limit) {
                // What the preceding options say still holds.
                break;
            }
            if (code == OPTION_RESOLUTION && size >= 1) {
                resolution = Octets.u8(input.window(), input.position() + at + 4);
            } else if (code == OPTION_OFFSET && size >= 8) {
                offsetSeconds =
                        littleEndian
                                ? (int32(at + 4) & 0xFFFFFFFFL) | (long) int32(at + 8) << 32
                                : (long) int32(at + 4) << 32 | (int32(at + 8) & 0xFFFFFFFFL);
            }
            at += 4 + (size + 3) / 4 * 4;
        }
        interfaces.add(
                new PcapngInterface(int16(8), int32(12) & 0xFFFFFFFFL, resolution, offsetSeconds));
        return false;
    }

    private boolean readPacket(Packet packet, int length, boolean obsolete) {
        if (length < ENHANCED_DATA + TRAILER_BYTES) {
            return lost(LostRecord.BAD_LENGTH);
        }
        int interfaceId = obsolete ? int16(8) : int32(8);
        if (isUnknown(interfaceId)) {
            return lost(LostRecord.UNKNOWN_INTERFACE);
        }
        PcapngInterface from = interfaces.get(interfaceId);
        long nanos = from.nanos((long) int32(12) << 32 | (int32(16) & 0xFFFFFFFFL));
        return fill(packet, from, nanos, length, ENHANCED_DATA, int32(20), int32(24));
    }

    private boolean readSimplePacket(Packet packet, int length) {
        if (length < SIMPLE_DATA + TRAILER_BYTES) {
            return lost(LostRecord.BAD_LENGTH);
        }
        if (isUnknown(0)) {
            return lost(LostRecord.UNKNOWN_INTERFACE);
        }
        PcapngInterface from = interfaces.get(0);
        int onWire = int32(8);
        long snapLength = from.snapLength() == 0 ? Long.MAX_VALUE : from.snapLength();
        int captured = (int) Math.min(onWire & 0xFFFFFFFFL, snapLength);
        long noTime = PcapngInterface.NO_TIME;
        return fill(packet, from, noTime, length, SIMPLE_DATA, captured, onWire);
    }

    private boolean isUnknown(int interfaceId) {
        return interfaceId < 0
                || interfaceId >= interfaces.size()
                || interfaces.get(interfaceId).linkType() == NO_LINK_TYPE;
    }

    private boolean fill(
            Packet packet,
            PcapngInterface from,
            long nanos,
            int length,
            int data,
            int captured,
            int onWire) {
        if (captured < 0
                || captured > ClassicRecords.MAX_CAPTURED_BYTES
                || captured > length - data - TRAILER_BYTES) {
            return lost(LostRecord.BAD_LENGTH);
        }
        if (nanos == PcapngInterface.NO_TIME) {
            tally.addBorrowedTime();
        } else {
            lastNanos = nanos;
        }
        packet.index = packets++;
        packet.timestampNanos = lastNanos;
        packet.capturedLength = captured;
        packet.wireLength = Math.max(onWire, captured);
        packet.linkType = from.linkType();
        packet.bytes = input.window();
        packet.offset = input.position() + data;
        return true;
    }

    private boolean lost(LostRecord reason) {
        tally.add(reason);
        return false;
    }

    /** Skips a block that may be longer than the window, and checks its second length. */
    private void skip(int length) throws IOException {
        int left = length - TRAILER_BYTES;
        while (left > 0) {
            if (!input.ensure(1)) {
                end = CaptureEnds.atEndOfInput(input, packets, length - left, "a block");
                return;
            }
            int step = Math.min(left, input.available());
            input.skip(step);
            left -= step;
        }
        if (!input.ensure(TRAILER_BYTES)) {
            end = CaptureEnds.atEndOfInput(input, packets, length, "a block");
        } else if (int32(0) != length) {
            damaged("the end of a block whose two lengths differ");
        } else {
            input.skip(TRAILER_BYTES);
        }
    }

    private boolean damaged(String what) {
        end = CaptureEnds.damaged(input, packets, what);
        return false;
    }

    private int int32(int at) {
        int index = input.position() + at;
        return littleEndian
                ? (int) LITTLE_INTS.get(input.window(), index)
                : (int) BIG_INTS.get(input.window(), index);
    }

    private int int16(int at) {
        int big = Octets.u16(input.window(), input.position() + at);
        return littleEndian ? (big >>> 8) | (big & 0xFF) << 8 : big;
    }

    @Override
    public CaptureEnd end() {
        return end;
    }
}
