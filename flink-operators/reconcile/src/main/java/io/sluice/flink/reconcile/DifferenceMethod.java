/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/** How a replica finds out what the peer lacks, given the peer's filter. */
@Experimental
public enum DifferenceMethod {

    /**
     * Asks the peer's filter for each of its own elements; the paper's algorithm 4. Reads two cache
     * lines an element and needs no filter of its own.
     */
    QUERY,

    /**
     * Removes what the peer's filter and its own have in common, and recognises elements in the
     * rest; the paper's algorithm 5. Falls back to {@link #QUERY} if its own elements do not fit
     * into the peer's shape.
     */
    DECODE
}
