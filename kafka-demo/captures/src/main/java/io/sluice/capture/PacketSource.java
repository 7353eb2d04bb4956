/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.Closeable;
import java.io.IOException;

/**
 * Reads packets one by one, from one capture ({@link CaptureReader}) or from several that are read
 * together ({@link CaptureSet}). Damage ends a capture or costs single packets; {@link #end} and
 * {@link #tally} report it, and it never causes an exception. Not thread-safe.
 */
public interface PacketSource extends Closeable {
    /**
     * Moves to the next packet. Returns false if there is none, for any reason.
     *
     * @throws CaptureException if a file of times does not belong to its capture
     * @throws IOException if a file cannot be read
     */
    boolean next() throws IOException;

    /**
     * The packet that {@link #next} moved to: a view that is overwritten by the next call, and may
     * then be another object.
     */
    Packet packet();

    /**
     * How it ended.
     *
     * @throws IllegalStateException before {@link #next} returned false
     */
    CaptureEnd end();

    /** What was read so far, by kind, and what was lost. */
    CaptureTally tally();

    /** Bytes read so far from the files as they are on disk, compressed or not. */
    long fileBytesRead();

    /** Bytes of the files; 0 if a source is not a file. */
    long fileBytes();
}
