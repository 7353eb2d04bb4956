/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

/**
 * Choosing without a branch. Which of two buckets holds a fingerprint is a coin toss: a branch on
 * it is mispredicted half of the time, and the next operation then cannot begin before memory has
 * answered.
 */
final class Masks {

    private Masks() {}

    /** One of two values, by a mask of all ones or zero. */
    static long choose(long mask, long ifAllOnes, long ifZero) {
        return ifZero ^ ((ifAllOnes ^ ifZero) & mask);
    }

    static long allOnesUnlessZero(long x) {
        return (x | -x) >> 63;
    }
}
