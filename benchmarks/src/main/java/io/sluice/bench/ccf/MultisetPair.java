/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.SplittableRandom;

/**
 * Two multisets of equal size: an overlap of elements that both have, half of these with equal
 * multiplicities and half with independent ones. Multiplicities are uniform from 1 to 19, so that
 * their mean is the paper's 10.
 *
 * <p>Elements are numbers: 0 to {@code both} - 1 on both sides, then those of A, then those of B.
 */
final class MultisetPair {
    private static final int MOST_COPIES = 19;

    private final long[] hashes;
    private final long[] atA;
    private final long[] atB;
    private final int each;

    MultisetPair(int each, double overlap, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int both = (int) Math.round(each * overlap);
        int all = 2 * each - both;
        this.each = each;
        hashes = new long[all];
        atA = new long[all];
        atB = new long[all];
        for (int i = 0; i < all; i++) {
            hashes[i] = random.nextLong();
            if (i < each) {
                atA[i] = copies(random);
            }
            if (i < both) {
                atB[i] = random.nextBoolean() ? atA[i] : copies(random);
            } else if (i >= each) {
                atB[i] = copies(random);
            }
        }
    }

    private static long copies(SplittableRandom random) {
        return 1L + random.nextInt(MOST_COPIES);
    }

    /** Elements of the union. */
    int size() {
        return hashes.length;
    }

    /** Elements of one side. */
    int each() {
        return each;
    }

    long hash(int element) {
        return hashes[element];
    }

    /** Copies of every element on one side, 0 where it has none. */
    long[] copies(Side side) {
        return side == Side.A ? atA : atB;
    }

    RootSet root(Side side) {
        long[] copies = copies(side);
        return visitor -> {
            for (int i = 0; i < copies.length; i++) {
                if (copies[i] > 0) {
                    visitor.element(hashes[i], copies[i]);
                }
            }
        };
    }

    /** One of the two. */
    enum Side {
        A,
        B;

        Side other() {
            return this == A ? B : A;
        }
    }
}
