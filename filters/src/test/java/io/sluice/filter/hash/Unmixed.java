/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

/** Mixing backwards: hashes whose mixed form is chosen, so that a test decides where they go. */
public final class Unmixed {

    private Unmixed() {}

    /** The number from which {@link Hashing#mix} makes {@code mixed}. */
    public static long hash(long mixed) {
        long z = undoShift(mixed, 31) * inverse(0x94d049bb133111ebL);
        z = undoShift(z, 27) * inverse(0xbf58476d1ce4e5b9L);
        return undoShift(z, 30) - 0x9e3779b97f4a7c15L;
    }

    /** x of x ^ x >>> bits. */
    private static long undoShift(long shifted, int bits) {
        long x = shifted;
        for (int known = bits; known < Long.SIZE; known += bits) {
            x = shifted ^ x >>> bits;
        }
        return x;
    }

    /**
     * Modulo 2^64, by Newton's iteration: every step doubles the number of correct bits, three at
     * first.
     */
    static long inverse(long odd) {
        long x = odd;
        for (int i = 0; i < 5; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }
}
