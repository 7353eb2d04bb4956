/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.Closeable;
import java.io.IOException;

/** A set on disk under test, with what all can do: take keys. Used by one thread. */
interface DiskFilter extends Closeable {

    /** Adds keys without checking whether they are present. */
    void add(long... keys) throws IOException;

    /** Waits until what was added is in files, and background work has ended. */
    void settle() throws IOException;

    /** Bytes of its files. */
    long diskBytes() throws IOException;

    /** Bytes that were written to files since it was opened. */
    long bytesWritten() throws IOException;
}
