/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/**
 * One row of a comparison. Every implementation has loops of its own, so that the compiler sees one
 * concrete structure in each.
 */
interface Contender {
    String name();

    /** Forgets everything and fills with keys 0 to {@link #capacity()} - 1 of {@link Keys}. */
    void fill();

    /** Keys that {@link #fill} inserts: what gives the false-positive probability aimed at. */
    long capacity();

    /**
     * Asks {@code count} keys beginning at {@code from} in the sequence {@code keys}.
     *
     * @return how many were reported as present; the caller uses it, so that nothing is optimised
     *     away
     */
    long contains(Keys keys, long from, int count);

    /** Adds those of {@code count} keys that are not reported; returns how many were added. */
    long addIfAbsent(Keys keys, long from, int count);

    long sizeInBytes();
}
