/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import org.apache.flink.annotation.Internal;

/**
 * Is told about machines that a store dropped because they were idle for too long, or for lack of
 * room.
 */
@Internal
public interface ExpiryListener {

    /**
     * A machine whose hash the store knows.
     *
     * @param state the last one
     * @param millis when its time-to-live was over, or when it was dropped
     */
    void expired(long hash, int state, long millis);

    /**
     * Machines of which only the number is known.
     *
     * @param state the last one
     * @param count negative if machines were counted before that had not been there
     */
    void expired(int state, long count);
}
