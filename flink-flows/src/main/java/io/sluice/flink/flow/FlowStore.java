/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * Remembers the state of each flow by its 64-bit hash, until it was idle for its timeout ({@link
 * FlowTimeouts}). Exact or approximate: an approximate one may take an absent flow for a held one,
 * and may know that it holds a flow but not its state.
 *
 * <p>Used in pairs of calls, because one lookup serves both: {@link #find}, then at most one {@link
 * #put} for the same flow and time. Not thread-safe.
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

        /** There is no room; what was held before is held still. */
        NO_ROOM,

        /** An approximate store cannot tell where the flow is; nothing was changed. */
        REFUSED
    }

    /**
     * The state of a flow at a time, {@link #ABSENT} or {@link #AMBIGUOUS}. A flow that has timed
     * out until then is let go, and absent.
     *
     * @param millis event time of the packet
     */
    int find(long hash, long millis, ExpiryListener expired);

    /**
     * Sets the state of the flow of the last {@link #find}, which must not have been ambiguous, and
     * notes the time of that call as the last at which it was in use. Earlier times than the noted
     * one leave that as it is, and so does what comes after the end of a flow: it is held for its
     * timeout from the end on, whatever trails.
     *
     * @param state of {@link FlowStates}
     * @param expired hears of flows that have to make room
     */
    Stored put(int state, ExpiryListener expired);

    /**
     * Lets go flows that have timed out for every packet from {@code watermark} on.
     *
     * @param latest the latest time that is believed: flows that were noted as in use later are
     *     taken to have been in use then
     */
    void advance(long watermark, long latest, ExpiryListener expired);

    /** Tells of all flows that have not ended, as if they timed out; lets none go. */
    void forEachOpen(ExpiryListener listener);

    /** Flows held, those that timed out but were not let go yet included. */
    long flows();

    /** Flows held in a state. */
    long flows(int state);

    /** Bytes occupied, on heap and off heap. */
    long sizeInBytes();

    /** Writes everything, with version and checksum. The stream is neither flushed nor closed. */
    void writeTo(OutputStream out) throws IOException;
}
