/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is being written, from its beginning to its end, once. Not thread-safe. */
public interface WritableFile extends Closeable {

    /**
     * Appends all bytes from position to limit. After an exception a part of them may be in the
     * file, which can then only be abandoned.
     */
    void write(ByteBuffer bytes) throws IOException;

    /** Makes all bytes written until now durable; says nothing about the file's name. */
    void sync() throws IOException;

    /** Closes the file, without making it durable. Idempotent. */
    @Override
    void close() throws IOException;
}
