/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;

/**
 * The limit for a filter that has to answer immediately: one random word of as many bits as the
 * cascade's overview has, read and changed in the user's function itself. It has no state, no
 * checkpoints and nothing on disk, and drops a few per cent of first occurrences.
 */
final class OneLine<T> extends RichFilterFunction<T> {
    /** Sized for four bits of a word per key. */
    static final double MAX_DROPPED = 0.05;

    private static final long serialVersionUID = 1L;

    private static final int BITS_PER_KEY = 8;

    /** From the golden ratio and from MurmurHash3; any odd multipliers that mix well would do. */
    private static final long FIRST = 0x9E3779B97F4A7C15L;

    private static final long SECOND = 0xFF51AFD7ED558CCDL;

    private final long keys;
    private transient long[] words;

    /**
     * @param keys that a subtask gets
     */
    OneLine(long keys) {
        this.keys = keys;
    }

    @Override
    public void open(OpenContext context) {
        words = new long[Math.toIntExact(keys * BITS_PER_KEY / Long.SIZE + 1)];
    }

    @Override
    public boolean filter(T value) {
        long hash = value.hashCode() * FIRST;
        hash = (hash ^ hash >>> 32) * SECOND;
        // The low half, as a fraction of 2^32, chooses the word, the high half four of its bits.
        int at = (int) (((hash & 0xFFFF_FFFFL) * words.length) >>> Integer.SIZE);
        long bits =
                1L << (hash >>> 32)
                        | 1L << (hash >>> 38)
                        | 1L << (hash >>> 44)
                        | 1L << (hash >>> 50);
        long word = words[at];
        if ((word & bits) == bits) {
            return false;
        }
        words[at] = word | bits;
        return true;
    }
}
