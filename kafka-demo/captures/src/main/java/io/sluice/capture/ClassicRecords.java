/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Classic pcap (draft-ietf-opsawg-pcap): a header of 24 bytes, then records, each a header of 16
 * bytes and the captured bytes, in the byte order and time unit that the magic tells.
 *
 * <pre>
 *  file header    0 magic (4)  4 version (2 + 2)  8 unused (8)  16 snap length (4)  20 link type (4)
 *  record header  0 seconds (4)  4 micro- or nanoseconds (4)  8 captured bytes (4)  12 bytes on the wire (4)
 * </pre>
 */
public final class ClassicRecords implements Records {
    static final int MAGIC_MICROS = 0xA1B2C3D4;
    static final int MAGIC_NANOS = 0xA1B23C4D;
    public static final int FILE_HEADER_BYTES = 24;
    static final int RECORD_HEADER_BYTES = 16;
    static final int SNAP_LENGTH = 16;
    static final int LINK_TYPE = 20;
    static final int MAJOR_VERSION = 2;
    static final int MINOR_VERSION = 4;

    /**
     * The longest packet that libpcap writes. A file's own snap length is not a reliable bound:
     * programs that rewrite captures leave values that are too small, and a damaged one may be
     * anything.
     */
    static final int MAX_CAPTURED_BYTES = 262_144;

    private static final VarHandle BIG =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final CaptureInput input;
    private final boolean littleEndian;
    private final int linkType;
    private final int nanosPerUnit;
    private long packets;
    private CaptureEnd end;

    private ClassicRecords(CaptureInput input, boolean littleEndian, int nanosPerUnit, int link) {
        this.input = input;
        this.littleEndian = littleEndian;
        this.nanosPerUnit = nanosPerUnit;
        this.linkType = link;
    }

    /** Whether {@code magic}, read in network order, begins a file of this format. */
    static boolean isMagic(int magic) {
        return isBigEndianMagic(magic) || isBigEndianMagic(Integer.reverseBytes(magic));
    }

    private static boolean isBigEndianMagic(int magic) {
        return magic == MAGIC_MICROS || magic == MAGIC_NANOS;
    }

    /** Reads the file header. */
    static ClassicRecords open(CaptureInput input) throws IOException {
        if (!input.ensure(FILE_HEADER_BYTES)) {
            throw new CaptureException(
                    input.file(),
                    0,
                    "the file header is cut: "
                            + input.available()
                            + " of "
                            + FILE_HEADER_BYTES
                            + " bytes",
                    "copy the capture again");
        }
        byte[] window = input.window();
        int magic = Octets.i32(window, 0);
        boolean littleEndian = !isBigEndianMagic(magic);
        boolean nanos = (littleEndian ? Integer.reverseBytes(magic) : magic) == MAGIC_NANOS;
        int versions = littleEndian ? (int) LITTLE.get(window, 4) : (int) BIG.get(window, 4);
        int major = littleEndian ? versions & 0xFFFF : versions >>> 16;
        if (major != MAJOR_VERSION) {
            throw new CaptureException(
                    input.file(),
                    4,
                    "pcap version " + major + " is not read",
                    "convert it to version 2.4 with 'editcap -F pcap'");
        }
        int field =
                littleEndian
                        ? (int) LITTLE.get(window, LINK_TYPE)
                        : (int) BIG.get(window, LINK_TYPE);
        int linkType = LinkType.ofHeaderField(field);
        input.skip(FILE_HEADER_BYTES);
        return new ClassicRecords(input, littleEndian, nanos ? 1 : 1000, linkType);
    }

    @Override
    public boolean next(Packet packet) throws IOException {
        if (end != null) {
            return false;
        }
        if (!input.ensure(RECORD_HEADER_BYTES)) {
            return finish(input.available(), "the header of");
        }
        byte[] window = input.window();
        int at = input.position();
        int captured = int32(window, at + 8);
        if (captured < 0 || captured > MAX_CAPTURED_BYTES) {
            end =
                    CaptureEnds.damaged(
                            input,
                            packets,
                            "a record that claims "
                                    + Integer.toUnsignedString(captured)
                                    + " captured bytes");
            return false;
        }
        if (!input.ensure(RECORD_HEADER_BYTES + captured)) {
            return finish(input.available(), "the data of");
        }
        window = input.window();
        at = input.position();
        int onWire = int32(window, at + 12);
        packet.index = packets++;
        packet.timestampNanos =
                (int32(window, at) & 0xFFFFFFFFL) * 1_000_000_000L
                        + (int32(window, at + 4) & 0xFFFFFFFFL) * nanosPerUnit;
        packet.capturedLength = captured;
        // Fewer bytes on the wire than captured is impossible; a writer left the field out.
        packet.wireLength = Math.max(onWire, captured);
        packet.linkType = linkType;
        packet.bytes = window;
        packet.offset = at + RECORD_HEADER_BYTES;
        input.skip(RECORD_HEADER_BYTES + captured);
        return true;
    }

    private int int32(byte[] window, int at) {
        return littleEndian ? (int) LITTLE.get(window, at) : (int) BIG.get(window, at);
    }

    private boolean finish(int bytesLeft, String where) {
        end = CaptureEnds.atEndOfInput(input, packets, bytesLeft, where + " packet " + packets);
        return false;
    }

    @Override
    public CaptureEnd end() {
        return end;
    }
}
