/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import java.io.IOException;

/**
 * A program that copies {@link OrdersTopic}, each id once, and continues where it was stopped. Not
 * thread-safe.
 */
interface CopyingProgram extends AutoCloseable {

    /**
     * When a program started, in ms since 1970.
     *
     * @param begun before it did anything that depends on its state; the start of the process or of
     *     the cluster came before
     * @param running when every part of it read its input
     */
    record Started(long begun, long running) {}

    /** A word for figures. */
    String id();

    /** What it is, for readers of the figures. */
    String title();

    /** The topic that it writes. */
    String output();

    /** Starts it where it stopped, or at the beginning of the topic; waits until it runs. */
    Started start() throws IOException, InterruptedException;

    /**
     * Does nothing while the program runs or recovers.
     *
     * @throws IOException if it has ended, with its reason
     */
    void requireAlive() throws IOException;

    /** Ends it in good order, keeping what it needs to continue. */
    void stop() throws IOException, InterruptedException;

    /** Ends it, whether it runs or not. */
    @Override
    void close() throws IOException;
}
