/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Internal;

/** Hears of flows that a store let go because they were idle for too long, or for want of room. */
@Internal
public interface ExpiryListener {

    /**
     * A flow whose hash the store knows.
     *
     * @param state of {@link FlowStates}, the last one
     * @param millis when its timeout was over, or when it was let go
     */
    void expired(long hash, int state, long millis);

    /**
     * Flows of which only their number is known.
     *
     * @param state of {@link FlowStates}, the last one
     * @param count may be negative: one that was counted before had not been there
     */
    void expired(int state, long count);
}
