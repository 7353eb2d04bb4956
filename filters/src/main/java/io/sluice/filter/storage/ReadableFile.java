/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file, read at any position. Thread-safe. */
public interface ReadableFile extends Closeable {

    /**
     * Reads from {@code position} until {@code into} is full or the file ends.
     *
     * @return bytes read; fewer than {@code into} had room for only at the end of the file, 0
     *     beyond it
     */
    int read(long position, ByteBuffer into) throws IOException;

    /** Bytes in the file. */
    long length() throws IOException;

    /** Closes the file; reading it afterwards is an error. Idempotent. */
    @Override
    void close() throws IOException;
}
