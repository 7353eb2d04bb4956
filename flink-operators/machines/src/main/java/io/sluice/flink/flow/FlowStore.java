/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * Remembers the state of each flow by its 64-bit hash, until the flow was idle for its timeout
 * ({@link FlowTimeouts}). Exact or approximate: an approximate one may take an absent flow for a
 * held one, and may hold a flow without knowing its state.
 *
 * <p>Used in pairs of calls, because one lookup serves both: {@link #find}, then at most one {@link
 * #put} with what was found, with no other call between them. Not thread-safe.
 */
@Internal
public interface FlowStore {

    /** {@link #find}: not held. */
    int ABSENT = -1;

    /** {@link #find}: may be held, in a state that cannot be told. */
    int AMBIGUOUS = -2;

    /** What became of a {@link #put}. */
    enum Stored {
        /** The state is held. */
        YES,

        /** There is no room; what was held before is still held. */
        NO_ROOM,

        /** An approximate store cannot tell where the flow is; nothing was changed. */
        REFUSED
    }

    /**
     * Returns the state of a flow at a time, {@link #ABSENT} or {@link #AMBIGUOUS}. A flow that has
     * timed out by then is dropped, and absent.
     *
     * @param millis event time of the packet
     * @param into gets what was found, for {@link #put}
     */
    int find(long hash, long millis, FlowLookup into, ExpiryListener expired);

    /**
     * Sets the state of a flow that was looked for, and that must not have been ambiguous, and
     * notes the time of the lookup as its last use. An earlier time than the noted one does not
     * change it, and neither does anything after the end of a flow: an ended flow is held for its
     * timeout from its end on, whatever trails.
     *
     * @param found of the last {@link #find}
     * @param state of {@link FlowStates}
     * @param expired is told about flows that have to make room
     */
    Stored put(FlowLookup found, int state, ExpiryListener expired);

    /**
     * Drops flows that have timed out for every packet from {@code watermark} on.
     *
     * @param latest the latest time that is believed: flows that were noted as used later are taken
     *     to have been used at this time
     */
    void advance(long watermark, long latest, ExpiryListener expired);

    /** Reports all flows that have not ended, as if they timed out; drops none. */
    void forEachOpen(ExpiryListener listener);

    /** Flows held, including flows that timed out but were not dropped yet. */
    long flows();

    /** Flows held in a state. */
    long flows(int state);

    /** Bytes occupied, on heap and off heap. */
    long sizeInBytes();

    /** Writes everything, with version and checksum. The stream is neither flushed nor closed. */
    void writeTo(OutputStream out) throws IOException;
}
