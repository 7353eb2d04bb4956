/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import java.util.SplittableRandom;

/** Two multisets: element by element the hash, and the copies at side A, 0, and side B, 1. */
final class MultisetPair {
    /** With multiplicities that are uniform from 1 to 19, their mean is the paper's 10. */
    private static final int MAX_COPIES = 19;

    private final long[] hashes;
    private final long[][] copies;

    private MultisetPair(long[] hashes, long[][] copies) {
        this.hashes = hashes;
        this.copies = copies;
    }

    /** {@code each} elements a side; of those on both, half have independent multiplicities. */
    static MultisetPair overlapping(int each, double overlap, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int both = (int) Math.round(each * overlap);
        long[] hashes = random.longs(2L * each - both).toArray();
        long[][] copies = new long[2][hashes.length];
        for (int i = 0; i < hashes.length; i++) {
            copies[0][i] = i < each ? some(random, MAX_COPIES) : 0;
            boolean equal = i < both && random.nextBoolean();
            copies[1][i] =
                    equal ? copies[0][i] : i < both || i >= each ? some(random, MAX_COPIES) : 0;
        }
        return new MultisetPair(hashes, copies);
    }

    /**
     * Two replicas of one stream of {@code all} elements: {@code differing} of them differ: in
     * turns missing at A, applied again at A, missing at B and applied again at B.
     */
    static MultisetPair replicas(int all, int differing, long seed) {
        return replicas(all, differing, MAX_COPIES, seed);
    }

    /** The same, with multiplicities that are uniform from 1 to {@code mostCopies}. */
    static MultisetPair replicas(int all, int differing, int mostCopies, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] hashes = random.longs(all).toArray();
        long[][] copies = new long[2][all];
        for (int i = 0; i < all; i++) {
            copies[0][i] = copies[1][i] = some(random, mostCopies);
            if (i < differing) {
                copies[i >> 1 & 1][i] = (i & 1) == 0 ? 0 : copies[0][i] + 1;
            }
        }
        return new MultisetPair(hashes, copies);
    }

    private static long some(SplittableRandom random, int most) {
        return random.nextInt(1, most + 1);
    }

    long hash(int element) {
        return hashes[element];
    }

    /** Copies of each element on a side; 0 if it has none. */
    long[] copies(int side) {
        return copies[side];
    }

    /** Elements of the union. */
    int size() {
        return hashes.length;
    }

    /** Bytes of all elements of A and of B on the wire. */
    long bytes() {
        long bytes = 0;
        for (long[] side : copies) {
            for (long multiplicity : side) {
                bytes += multiplicity > 0 ? Exchange.elementBytes(multiplicity) : 0;
            }
        }
        return bytes;
    }
}
