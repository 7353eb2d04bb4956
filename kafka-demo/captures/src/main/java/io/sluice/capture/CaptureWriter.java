/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Writes classic pcap with nanoseconds, little-endian; see {@link ClassicRecords}. */
public final class CaptureWriter implements Closeable {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;

    public CaptureWriter(OutputStream out, int linkType, int snapLength) {
        this.out = out;
        INTS.set(buffer, 0, ClassicRecords.MAGIC_NANOS);
        INTS.set(buffer, 4, ClassicRecords.MAJOR_VERSION | ClassicRecords.MINOR_VERSION << 16);
        INTS.set(buffer, ClassicRecords.SNAP_LENGTH, snapLength);
        INTS.set(buffer, ClassicRecords.LINK_TYPE, linkType);
        position = ClassicRecords.FILE_HEADER_BYTES;
    }

    /** Writes the first {@code length} bytes of {@code data} as a packet. */
    public void write(long timestampNanos, byte[] data, int length, int wireLength)
            throws IOException {
        if (buffer.length - position < ClassicRecords.RECORD_HEADER_BYTES + length) {
            flush();
        }
        INTS.set(buffer, position, (int) (timestampNanos / NANOS_PER_SECOND));
        INTS.set(buffer, position + 4, (int) (timestampNanos % NANOS_PER_SECOND));
        INTS.set(buffer, position + 8, length);
        INTS.set(buffer, position + 12, wireLength);
        System.arraycopy(data, 0, buffer, position + ClassicRecords.RECORD_HEADER_BYTES, length);
        position += ClassicRecords.RECORD_HEADER_BYTES + length;
    }

    private void flush() throws IOException {
        out.write(buffer, 0, position);
        position = 0;
    }

    /** Writes what is left; the stream below is closed too. */
    @Override
    public void close() throws IOException {
        try (out) {
            flush();
        }
    }
}
