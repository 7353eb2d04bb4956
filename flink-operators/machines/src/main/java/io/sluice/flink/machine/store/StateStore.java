/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/**
 * Remembers the state of each machine by its 64-bit hash, until the machine was idle for the
 * time-to-live of its state ({@link StateTimes}). Exact or approximate: an approximate one may take
 * an absent machine for a held one, and may hold a machine without knowing its state.
 *
 * <p>Used in pairs of calls, because one lookup serves both: {@link #find}, then at most one {@link
 * #put} with what was found, with no other call between them. Not thread-safe.
 */
@Internal
public interface StateStore {

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

        /** An approximate store cannot tell where the machine is; nothing was changed. */
        REFUSED
    }

    /**
     * Returns the state of a machine at a time, {@link #ABSENT} or {@link #AMBIGUOUS}. A machine
     * that has timed out by then is dropped, and absent.
     *
     * @param millis event time of the event
     * @param into gets what was found, for {@link #put}
     */
    int find(long hash, long millis, Lookup into, ExpiryListener expired);

    /**
     * Sets the state of a machine that was looked for, and that must not have been ambiguous, and
     * notes the time of the lookup as its last use. An earlier time than the noted one does not
     * change it, and neither does anything after the end of a machine: an ended machine is held for
     * its time-to-live from its end on, whatever trails.
     *
     * @param found of the last {@link #find}
     * @param state below {@link StateTimes#states}
     * @param expired is told about machines that have to make room
     */
    Stored put(Lookup found, int state, ExpiryListener expired);

    /**
     * Forgets a machine that was found, and that must not have been ambiguous.
     *
     * @param found of the last {@link #find}
     * @return {@link Stored#YES}, or {@link Stored#REFUSED}
     */
    Stored remove(Lookup found);

    /**
     * Drops machines that have timed out for every event from {@code watermark} on.
     *
     * @param latest the latest time that is believed: machines that were noted as used later are
     *     taken to have been used at this time
     */
    void advance(long watermark, long latest, ExpiryListener expired);

    /** Reports all machines that have not ended, as if they timed out; drops none. */
    void forEachOpen(ExpiryListener listener);

    /** Machines held, including machines that timed out but were not dropped yet. */
    long machines();

    /** Machines held in a state. */
    long machines(int state);

    /**
     * Share of events that are answered with a wrong state, or not at all, at most, with the
     * machines that are held; 0 if the store is exact.
     */
    double predictedError();

    /** Bytes occupied, on heap and off heap. */
    long sizeInBytes();

    /** Writes everything, with version and checksum. The stream is neither flushed nor closed. */
    void writeTo(OutputStream out) throws IOException;
}
