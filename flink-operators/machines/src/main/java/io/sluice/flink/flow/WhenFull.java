/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Experimental;

/** What happens to a packet that needs more memory than there is. */
@Experimental
public enum WhenFull {
    /** The flow is not followed, or keeps its state. */
    IGNORE,

    /**
     * Flows are dropped, as if they had timed out: while more than half of them are incomplete
     * handshakes, the oldest of these; otherwise the flows that have used up most of their timeout.
     */
    EVICT,

    /** The job fails. */
    FAIL
}
