/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

/**
 * The layout of a record on the topic. Numbers are little-endian, addresses in network order.
 *
 * <pre>
 *  offset  size
 *       0     3  magic: the letters S L P
 *       3     1  version
 *       4     1  length of the whole record: 48 (IPv4) or 72 (IPv6)
 *       5     1  IP version: 4 or 6
 *       6     1  protocol (IANA)
 *       7     1  TCP flags, 0 if unknown
 *       8     8  operation id
 *      16     8  capture time, nanoseconds since 1970, signed
 *      24     4  bytes on the wire
 *      28     2  source port, 0 if unknown
 *      30     2  destination port, 0 if unknown
 *      32     1  status bits: 1 later fragment, 2 truncated, 4 ports known, 8 TCP flags known
 *      33     3  VLANs: 12 bits of the outer one, 12 bits of the inner one, 0 if there is none
 *      36     a  source address, a = 4 or 16
 *  36 + a     a  destination address
 *  36 + 2a    4  CRC-32C of everything before it
 * </pre>
 */
public final class RecordLayout {
    static final byte MAGIC_0 = 'S';
    static final byte MAGIC_1 = 'L';
    static final byte MAGIC_2 = 'P';

    /** Has the VLANs, where version 1 had zeroes; version 1 is not read. */
    public static final byte VERSION_2 = 2;

    public static final int VERSION = 3;
    static final int LENGTH = VERSION + 1;
    static final int IP_VERSION = LENGTH + 1;
    static final int PROTOCOL = IP_VERSION + 1;
    static final int TCP_FLAGS = PROTOCOL + 1;
    public static final int OPERATION_ID = TCP_FLAGS + 1;
    static final int TIMESTAMP = OPERATION_ID + Long.BYTES;
    static final int WIRE_LENGTH = TIMESTAMP + Long.BYTES;
    static final int SOURCE_PORT = WIRE_LENGTH + Integer.BYTES;
    static final int DESTINATION_PORT = SOURCE_PORT + Short.BYTES;
    static final int STATUS = DESTINATION_PORT + Short.BYTES;
    static final int SOURCE = STATUS + Integer.BYTES;

    static final int ADDRESS_BYTES_4 = 4;
    static final int ADDRESS_BYTES_6 = 16;
    static final int CHECKSUM_BYTES = Integer.BYTES;

    public static final int BYTES_4 = SOURCE + 2 * ADDRESS_BYTES_4 + CHECKSUM_BYTES;
    public static final int BYTES_6 = SOURCE + 2 * ADDRESS_BYTES_6 + CHECKSUM_BYTES;

    private RecordLayout() {}
}
