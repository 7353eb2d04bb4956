/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

/**
 * How large a run is.
 *
 * @param keys that go into the largest sets
 * @param fpp false-positive probability that is asked for
 * @param bufferBytes of the cascade filter, for about a fiftieth of the keys
 * @param cacheBytes for pages of files, where memory is scarce
 * @param peerSeconds after which a slow structure stops
 * @param deviceBytes of the file that the device is measured with
 * @param probeSeconds of one measurement of random reads
 */
record Scale(
        long keys,
        double fpp,
        long bufferBytes,
        long cacheBytes,
        double peerSeconds,
        long deviceBytes,
        double probeSeconds) {
    /** The paper's least ratio of data to memory buffer. */
    static final int KEYS_PER_BUFFERED_KEY = 50;

    /** A little more than a slot of the buffer takes: 32 bits and the room of a load below one. */
    private static final int BYTES_PER_BUFFERED_KEY = 5;

    private static final long LEAST_BYTES = 1 << 20;
    private static final long LEAST_KEYS = 1_000_000;

    static Scale of(long keys, boolean quick, double fpp, Double peerSeconds) {
        if (keys < LEAST_KEYS) {
            throw new IllegalArgumentException(
                    "--keys must be at least "
                            + LEAST_KEYS
                            + ", so that a fiftieth of them fills a buffer, got "
                            + keys);
        }
        if (!(fpp >= 1e-9 && fpp <= 0.1)) {
            throw new IllegalArgumentException("--fpp must be from 1e-9 to 0.1, got " + fpp);
        }
        double seconds = peerSeconds != null ? peerSeconds : quick ? 5 : 60;
        if (!(seconds > 0)) {
            throw new IllegalArgumentException("--peer-seconds must be positive, got " + seconds);
        }
        long buffer = Math.max(LEAST_BYTES, keys / KEYS_PER_BUFFERED_KEY * BYTES_PER_BUFFERED_KEY);
        return new Scale(
                keys / InsertionCurve.BLOCK * InsertionCurve.BLOCK,
                fpp,
                buffer,
                Math.max(LEAST_BYTES, keys / 10),
                seconds,
                quick ? 1L << 30 : 8L << 30,
                quick ? 2 : 5);
    }

    /**
     * What each of the structures may have: two buffers (one in use, one being written), a cache.
     */
    long memoryBytes() {
        return 2 * bufferBytes + cacheBytes;
    }
}
