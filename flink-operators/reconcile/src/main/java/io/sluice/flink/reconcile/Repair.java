/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/**
 * A correction: an element of which this replica had seen fewer copies than the peer. An element of
 * a window may be repaired more than once, each time starting from its present count: this
 * replica's own records plus the sum of {@link #missing} over all repairs is the union.
 *
 * @param window its start, ms
 * @param element the id
 * @param before copies that this replica had; 0 if the element is new here
 * @param after copies that it has now, more than {@code before}
 * @param <K> type of the ids
 */
@Experimental
public record Repair<K>(long window, K element, long before, long after) {

    /** Copies to be added. */
    public long missing() {
        return after - before;
    }
}
