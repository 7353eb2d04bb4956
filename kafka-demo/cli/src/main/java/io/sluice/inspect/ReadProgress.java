/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import org.apache.flink.annotation.Internal;

/** Is told how far a long piece of work has got. */
@Internal
@FunctionalInterface
public interface ReadProgress {

    /** Tells nobody. */
    ReadProgress NONE = (read, total) -> {};

    /**
     * Called often.
     *
     * @param read bytes so far
     * @param total bytes to read, about
     */
    void at(long read, long total);
}
