/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.Closeable;
import java.io.IOException;

/** Holds a {@link Directory}; closing it releases the directory. Closing is idempotent. */
public interface DirectoryLock extends Closeable {

    @Override
    void close() throws IOException;
}
