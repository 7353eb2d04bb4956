/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Writes one envelope: the constructor writes header and parameters, {@link #words} the payload,
 * {@link #finish} the checksum. Buffers at most 16 KiB and does not close the stream. Not
 * thread-safe.
 */
@Internal
public final class FilterWriter {

    private final OutputStream out;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer buffer =
            ByteBuffer.allocate(Envelope.BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long payloadLeft;

    /**
     * @param parameters little-endian, from position to limit; at most 1 MiB
     * @param payloadBytes how many bytes {@link #words} will write, a multiple of 8
     */
    public FilterWriter(
            OutputStream out, int kind, int version, ByteBuffer parameters, long payloadBytes)
            throws IOException {
        if (parameters.remaining() > Envelope.MAX_PARAMETERS_BYTES) {
            throw new IllegalArgumentException(
                    "parameters must have at most "
                            + Envelope.MAX_PARAMETERS_BYTES
                            + " bytes, got "
                            + parameters.remaining());
        }
        this.out = out;
        this.payloadLeft = payloadBytes;
        byte[] parameterBytes = new byte[parameters.remaining()];
        parameters.get(parameterBytes);
        ByteBuffer header =
                ByteBuffer.allocate(
                                Envelope.HEADER_BYTES + parameterBytes.length + Envelope.CRC_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(Envelope.MAGIC)
                        .putShort((short) kind)
                        .putShort((short) version)
                        .putInt(Hashing.XXH3_64)
                        .putLong(Hashing.SEED)
                        .putInt(parameterBytes.length)
                        .putLong(payloadBytes)
                        .put(parameterBytes);
        crc.update(header.array(), 0, header.position());
        header.putInt((int) crc.getValue());
        crc.reset();
        out.write(header.array());
    }

    /** Writes {@code length} words from {@code offset} as payload. */
    public void words(long[] words, int offset, int length) throws IOException {
        payloadLeft -= (long) length * Long.BYTES;
        int perBuffer = buffer.capacity() / Long.BYTES;
        for (int done = 0; done < length; ) {
            int n = Math.min(perBuffer, length - done);
            buffer.clear();
            buffer.asLongBuffer().put(words, offset + done, n);
            crc.update(buffer.array(), 0, n * Long.BYTES);
            out.write(buffer.array(), 0, n * Long.BYTES);
            done += n;
        }
    }

    /** Writes the payload's checksum. The envelope is complete. */
    public void finish() throws IOException {
        if (payloadLeft != 0) {
            throw new IllegalStateException(
                    "the payload announced in the header differs from the one written by "
                            + payloadLeft
                            + " bytes");
        }
        buffer.clear().putInt((int) crc.getValue());
        out.write(buffer.array(), 0, Envelope.CRC_BYTES);
    }
}
