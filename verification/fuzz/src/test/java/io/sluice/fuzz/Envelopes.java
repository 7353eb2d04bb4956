/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Rights the checksums of what a fuzzer made, so that it gets past them: envelope after envelope,
 * as far as magic and lengths make sense. The layout is that of {@code io.sluice.filter.format}.
 */
public final class Envelopes {

    private static final int MAGIC = 'S' | 'L' << 8 | 'C' << 16 | 'F' << 24;
    private static final int PARAMETERS_LENGTH = 20;
    private static final int PAYLOAD_LENGTH = 24;
    private static final int HEADER = 32;
    private static final int CRC = Integer.BYTES;

    private Envelopes() {}

    /** A copy with the checksums that its envelopes would have. */
    public static byte[] righted(byte[] bytes) {
        return righted(bytes, 0);
    }

    /** The same, for envelopes that begin at an offset. */
    public static byte[] righted(byte[] bytes, int begin) {
        byte[] righted = bytes.clone();
        ByteBuffer buffer = ByteBuffer.wrap(righted).order(ByteOrder.LITTLE_ENDIAN);
        long at = begin;
        while (at + HEADER + CRC <= bytes.length && buffer.getInt((int) at) == MAGIC) {
            int header = (int) at;
            int parameters = buffer.getInt(header + PARAMETERS_LENGTH);
            long payload = buffer.getLong(header + PAYLOAD_LENGTH);
            long headerEnd = at + HEADER + parameters;
            if (parameters < 0 || headerEnd + CRC > bytes.length) {
                break;
            }
            putCrc(buffer, header, (int) headerEnd);
            if (payload < 0 || payload > bytes.length - headerEnd - 2 * CRC) {
                break;
            }
            long payloadEnd = headerEnd + CRC + payload;
            putCrc(buffer, (int) headerEnd + CRC, (int) payloadEnd);
            at = payloadEnd + CRC;
        }
        return righted;
    }

    /** The checksum of a range, written behind it. */
    private static void putCrc(ByteBuffer buffer, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(from, to - from));
        buffer.putInt(to, (int) crc.getValue());
    }
}
