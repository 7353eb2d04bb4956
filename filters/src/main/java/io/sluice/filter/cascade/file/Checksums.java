/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C over part of a buffer. */
final class Checksums {

    private Checksums() {}

    /** For the bytes from {@code from} to {@code to}; the buffer's own position does not matter. */
    static int of(ByteBuffer buffer, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(to).position(from));
        return (int) crc.getValue();
    }
}
