/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Keys and values between two Flink tasks: their length, -1 for null, and the bytes. */
public final class NullableBytes {
    private static final int NULL = -1;

    private NullableBytes() {}

    /** Writes {@code bytes}. */
    public static void write(@Nullable byte[] bytes, DataOutputView target) throws IOException {
        if (bytes == null) {
            target.writeInt(NULL);
        } else {
            target.writeInt(bytes.length);
            target.write(bytes);
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException if there is no such length, or the bytes end early
     */
    @Nullable
    public static byte[] read(DataInputView source) throws IOException {
        int length = source.readInt();
        if (length == NULL) {
            return null;
        }
        if (length < 0) {
            throw new IOException("bytes with the length " + length);
        }
        byte[] bytes = new byte[length];
        source.readFully(bytes);
        return bytes;
    }
}
