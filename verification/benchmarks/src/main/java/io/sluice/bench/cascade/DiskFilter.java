/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.Closeable;
import java.io.IOException;

/**
 * A set on disk under test, with the operations that all have: inserting keys. Used by one thread.
 */
interface DiskFilter extends Closeable {

    /** A stable word in camel case for the names of figures. */
    String id();

    /** For readers; without commas, because tables contain it. */
    String name();

    /** Adds keys without checking whether they are present. */
    void add(long[] keys, int from, int to) throws IOException;

    /**
     * Whether {@code key} is reported. Always works after {@link #settle}; for some, also before.
     */
    boolean contains(long key) throws IOException;

    /** Waits until what was added is in files, and background work has ended. */
    void settle() throws IOException;

    /** Bytes of its files. */
    long diskBytes() throws IOException;

    /** Bytes that were written to files since it was opened. */
    long bytesWritten() throws IOException;
}
