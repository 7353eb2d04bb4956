/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import org.apache.flink.annotation.Internal;

/**
 * How the memory of a slot's filters is shared out: a quarter for write buffers, a half for
 * overviews, a 32nd for watched keys, the rest for the page cache. Pure.
 *
 * @param buffers bytes for write buffers
 * @param overviews bytes for overviews, 0 if there are none
 * @param samples bytes for watched keys, 0 if there are none
 * @param pageCache bytes for pages of level files
 */
@Internal
public record SlotShares(long buffers, long overviews, long samples, long pageCache) {

    /** Write buffers get one part in this many. */
    private static final int BUFFER_PART = 4;

    /** Overviews get one part in this many. */
    private static final int OVERVIEW_PART = 2;

    /** Watched keys get one part in this many. */
    private static final int SAMPLE_PART = 32;

    /**
     * An overview is used while the next one is built, so each gets at most half of the state's
     * part.
     */
    private static final int OVERVIEWS_OF_A_STATE = 2;

    /** The shares of {@code bytes}. */
    static SlotShares of(long bytes, boolean hasOverviews, boolean watchesKeys) {
        long buffers = bytes / BUFFER_PART;
        long overviews = hasOverviews ? bytes / OVERVIEW_PART : 0;
        long samples = watchesKeys ? bytes / SAMPLE_PART : 0;
        return new SlotShares(buffers, overviews, samples, bytes - buffers - overviews - samples);
    }

    /** Returns the least memory of which {@code bytes} are for write buffers. */
    static long withBuffers(long bytes) {
        return bytes * BUFFER_PART;
    }

    /**
     * The largest overview of one state.
     *
     * @param bytes for overviews
     * @param states that share them; 0 counts as 1
     */
    static long largestOverview(long bytes, int states) {
        return bytes / OVERVIEWS_OF_A_STATE / Math.max(1, states);
    }

    /**
     * The least memory of a slot's filters with which each of {@code states} can have an overview
     * of {@code overviewBytes}.
     */
    public static long bytesFor(long overviewBytes, int states) {
        return Math.multiplyExact(
                Math.multiplyExact(overviewBytes, OVERVIEWS_OF_A_STATE * OVERVIEW_PART), states);
    }

    /** The largest overview that one of {@code states} can have in a slot with {@code bytes}. */
    public static long overviewIn(long bytes, int states) {
        return largestOverview(of(bytes, true, true).overviews(), states);
    }
}
