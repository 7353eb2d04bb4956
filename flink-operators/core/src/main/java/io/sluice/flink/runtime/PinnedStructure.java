/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * A structure of a {@link KeyGroupedState} as it was at the barrier of a checkpoint, for another
 * thread to write while the operator goes on. Must be closed, by any thread, whether it was written
 * or not.
 */
@Internal
public interface PinnedStructure extends Closeable {

    /** Writes what {@link KeyGroupedState.Handler#write} would have written then. Once. */
    void writeTo(OutputStream out) throws IOException;

    /** Heap bytes held for it that are still to be written. Callable from any thread. */
    long copiedBytes();

    /** Releases everything that is held for it. Idempotent. */
    @Override
    void close();

    /** For a small structure: its bytes, written at once, on the heap until this is closed. */
    static <S> PinnedStructure copyOf(S structure, KeyGroupedState.Handler<S> handler)
            throws IOException {
        CopiedStructure copy = new CopiedStructure();
        handler.write(structure, copy.stream());
        return copy;
    }
}
