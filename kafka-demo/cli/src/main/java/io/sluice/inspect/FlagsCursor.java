/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.Closeable;
import java.io.IOException;

/** The entries of a key group of a membership state, in ascending order. */
interface FlagsCursor extends Closeable {

    /**
     * Goes to the next entry.
     *
     * @return false if there is none
     * @throws DamagedFileException if a file is damaged
     */
    boolean next() throws IOException;

    long entry();

    /** Returns until when it is marked, in ms. */
    long bucketEnd();
}
