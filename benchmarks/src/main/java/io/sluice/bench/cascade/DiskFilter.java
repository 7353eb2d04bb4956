/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.Closeable;
import java.io.IOException;

/** A set on disk under test, as far as all can do it: keys go in. Used by one thread. */
interface DiskFilter extends Closeable {

    /** A stable word in camel case for the names of figures. */
    String id();

    /** For readers; no commas, because it stands in tables. */
    String name();

    /** Adds keys without asking whether they are there. */
    void add(long[] keys, int from, int to) throws IOException;

    /**
     * Whether {@code key} is reported. After {@link #settle} in any case; some can do it before.
     */
    boolean contains(long key) throws IOException;

    /** What was added is in files, and background work has ended. */
    void settle() throws IOException;

    /** Bytes of its files. */
    long diskBytes() throws IOException;

    /** Bytes that were written to files since it was opened. */
    long bytesWritten() throws IOException;
}
