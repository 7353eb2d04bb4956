/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

/** Is told how far a long piece of work has got. */
@FunctionalInterface
public interface Progress {

    /** Tells nobody. */
    Progress NONE = (read, total) -> {};

    /**
     * Called often.
     *
     * @param read bytes so far
     * @param total bytes to read, about
     */
    void at(long read, long total);
}
