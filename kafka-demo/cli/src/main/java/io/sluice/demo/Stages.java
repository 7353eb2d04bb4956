/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import java.io.IOException;

/**
 * Holds a replay back at marks, so that what is done to the job happens at a known place in the
 * input, rather than at a time that depends on the machine. Safe for one replaying thread and any
 * number of others.
 */
final class Stages {
    private volatile long limit;
    private long reached;
    private boolean ended;

    /**
     * Moves the mark: the replay may send records up to {@code newLimit} (exclusive), unless it was
     * {@linkplain #end ended}.
     */
    synchronized void openUpTo(long newLimit) {
        if (!ended) {
            limit = Math.max(limit, newLimit);
            notifyAll();
        }
    }

    /** Removes the mark. */
    void open() {
        openUpTo(Long.MAX_VALUE);
    }

    /** Tells the replay to send nothing more. */
    synchronized void end() {
        ended = true;
        limit = 0;
        notifyAll();
    }

    /**
     * Called by the replay before it sends record number {@code record}, counted from 0.
     *
     * @throws IOException after {@link #end()}
     */
    void pass(long record) throws IOException {
        if (record >= limit) {
            waitForMark(record);
        }
    }

    private synchronized void waitForMark(long record) throws IOException {
        reached = Math.max(reached, record);
        while (record >= limit && !ended) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the replay was interrupted", e);
            }
        }
        if (ended) {
            throw new IOException("the replay was ended");
        }
    }

    /** Whether the replay waits at a mark, or waited there, that is at or beyond {@code record}. */
    synchronized boolean hasReached(long record) {
        return reached >= record;
    }
}
