/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** What can be written down, with everything it takes to go on from there. */
public interface Persistent {

    /** Writes everything. The stream is neither flushed nor closed. */
    void writeTo(OutputStream out) throws IOException;

    /**
     * What {@link #writeTo} writes, as one array. For small structures: the bytes are held twice
     * while this runs, and an array holds less than 2 GiB.
     *
     * @throws OutOfMemoryError if it does not fit into an array
     */
    default byte[] toByteArray() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
