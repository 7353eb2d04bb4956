/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/**
 * How a replica finds out what it and the peer lack: what it tells the peer about its multiset, and
 * how it reads the peer's filter. The two replicas may have different methods.
 */
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
    DECODE,

    /**
     * Sends coded symbols instead of a filter: their number follows the difference, not the
     * multiset. If the peer cannot decode them, it answers with a sketch that tells about how many
     * elements differ, and gets as many symbols as these take. If they do not fit into a message,
     * or the symbols contradict each other, it gets a filter instead, see {@link Fallback}. The
     * peer's filters are read as with {@link #QUERY}.
     *
     * @see io.sluice.filter.rateless
     */
    RATELESS,

    /**
     * Sends a few coded symbols, and if the peer cannot decode them, what takes fewer bytes: as
     * many symbols as the peer's sketch tells, as {@link #RATELESS}, or a filter, as {@link
     * #QUERY}. A filter at once if it takes hardly more than the few symbols, or if the digests
     * show that many elements differ.
     */
    AUTO
}
