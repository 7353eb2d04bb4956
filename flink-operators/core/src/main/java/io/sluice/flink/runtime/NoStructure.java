/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * Serves operators without structures per key group, and whose raw keyed state only identifies the
 * operator. Has no instances.
 */
@Internal
public final class NoStructure {

    private NoStructure() {}

    /** Returns a handler that is never asked for a structure. */
    public static KeyGroupedState.Handler<NoStructure> handler() {
        return new KeyGroupedState.Handler<>() {
            @Override
            public NoStructure create() {
                throw new AssertionError("this operator has no structures");
            }

            @Override
            public void write(NoStructure structure, OutputStream out) {
                throw new AssertionError("this operator has no structures");
            }

            @Override
            public NoStructure read(InputStream in, String source) throws IOException {
                throw new IOException(source + ": has a structure, which this layout has not");
            }
        };
    }
}
