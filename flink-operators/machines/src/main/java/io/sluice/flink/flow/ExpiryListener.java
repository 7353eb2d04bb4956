/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Internal;

/**
 * Is told about flows that a store dropped because they were idle for too long, or for lack of
 * room.
 */
@Internal
public interface ExpiryListener {

    /**
     * A flow whose hash the store knows.
     *
     * @param state of {@link FlowStates}, the last one
     * @param millis when its timeout was over, or when it was dropped
     */
    void expired(long hash, int state, long millis);

    /**
     * Flows of which only the number is known.
     *
     * @param state of {@link FlowStates}, the last one
     * @param count negative if flows were counted before that had not been there
     */
    void expired(int state, long count);
}
