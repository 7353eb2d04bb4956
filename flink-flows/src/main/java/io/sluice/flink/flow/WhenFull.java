/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Experimental;

/** What happens to a packet that needs more memory than there is. */
@Experimental
public enum WhenFull {
    /** The flow is not followed, or stays in the state it had. */
    IGNORE,

    /**
     * Flows are let go, as if they had timed out: while more than half of them are handshakes that
     * are not complete, the oldest of those; else those that have used up most of their timeout.
     */
    EVICT,

    /** The job fails. */
    FAIL
}
