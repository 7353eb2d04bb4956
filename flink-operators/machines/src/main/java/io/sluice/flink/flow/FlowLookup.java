/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.flow.GenerationalFlowStore.Generation;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A flow that a packet belongs to, and what a {@link FlowStore} has found out about it: {@link
 * FlowStore#find} notes it here, so that {@link FlowStore#put} needs no search of its own. Belongs
 * to the caller, who uses the same object for the next packet, so that nothing is allocated.
 */
@Internal
public final class FlowLookup {

    /** Hash of the flow. */
    long hash;

    /** Event time of the packet, in ms. */
    long millis;

    /** What was found: a state of {@link FlowStates}, or absent or ambiguous. */
    int state = FlowStore.ABSENT;

    /** In {@link ExactFlowStore}: the slot of the flow; negative if the flow is absent. */
    int slot;

    /** In {@link GenerationalFlowStore}: where the flow is; null if it is absent. */
    @Nullable Generation generation;

    /** Begins to look for a flow. */
    void begin(long ofHash, long atMillis) {
        hash = ofHash;
        millis = atMillis;
        state = FlowStore.ABSENT;
        slot = -1;
        generation = null;
    }
}
