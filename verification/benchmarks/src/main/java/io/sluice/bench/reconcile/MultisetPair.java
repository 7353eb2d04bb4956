/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.SplittableRandom;

/**
 * Two multisets: element by element the hash, and the copies at side A, 0, and side B, 1.
 * Multiplicities are uniform from 1 to 19, so that their mean is the paper's 10.
 */
final class MultisetPair {
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
            copies[0][i] = i < each ? some(random) : 0;
            boolean equal = i < both && random.nextBoolean();
            copies[1][i] = equal ? copies[0][i] : i < both || i >= each ? some(random) : 0;
        }
        return new MultisetPair(hashes, copies);
    }

    /**
     * Two replicas of one stream of {@code all} elements: {@code differing} of them differ: in
     * turns missing at A, applied again at A, missing at B and applied again at B.
     */
    static MultisetPair replicas(int all, int differing, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] hashes = random.longs(all).toArray();
        long[][] copies = new long[2][all];
        for (int i = 0; i < all; i++) {
            copies[0][i] = copies[1][i] = some(random);
            if (i < differing) {
                copies[i >> 1 & 1][i] = (i & 1) == 0 ? 0 : copies[0][i] + 1;
            }
        }
        return new MultisetPair(hashes, copies);
    }

    private static long some(SplittableRandom random) {
        return random.nextInt(1, MAX_COPIES + 1);
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

    /** Elements of A and of B. */
    int held() {
        int held = 0;
        for (int i = 0; i < hashes.length; i++) {
            held += (copies[0][i] > 0 ? 1 : 0) + (copies[1][i] > 0 ? 1 : 0);
        }
        return held;
    }

    RootSet root(int side) {
        return visitor -> {
            for (int i = 0; i < hashes.length; i++) {
                if (copies[side][i] > 0) {
                    visitor.element(hashes[i], copies[side][i]);
                }
            }
        };
    }
}
