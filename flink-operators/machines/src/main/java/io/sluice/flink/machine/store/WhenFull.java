/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import org.apache.flink.annotation.Experimental;

/** What happens to an event that needs more memory than there is. */
@Experimental
public enum WhenFull {
    /** The machine is not followed, or keeps its state. */
    IGNORE,

    /**
     * Machines are dropped, as if they had timed out: those that have used up most of their
     * time-to-live. While more than half of the flows of TCP are incomplete handshakes, the oldest
     * of these.
     */
    EVICT,

    /** The job fails. */
    FAIL
}
