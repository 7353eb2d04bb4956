/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/** How a replica finds out what the peer lacks, with the peer's filter in hand. */
@Experimental
public enum DifferenceMethod {

    /**
     * Asks the peer's filter for each of its own elements; the paper's algorithm 4. Reads two cache
     * lines an element and needs no filter of its own.
     */
    QUERY,

    /**
     * Strips the peer's filter and one of its own of what they have in common, and recognises
     * elements in the rest; the paper's algorithm 5. Falls back to {@link #QUERY} where its own
     * elements do not fit into the peer's shape.
     */
    DECODE
}
