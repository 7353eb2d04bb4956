/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.SplittableRandom;

/**
 * Two multisets of equal size: an overlap of elements that both have, half of these with equal
 * multiplicities and half with independent ones. Multiplicities are uniform from 1 to 19, so that
 * their mean is the paper's 10.
 *
 * <p>Elements are numbers: 0 to {@code both} - 1 on both sides, then A's, then B's; with {@link
 * #replicas}, differing elements come first.
 */
public final class MultisetPair {
    private static final int MAX_COPIES = 19;

    private final long[] hashes;
    private final long[] atA;
    private final long[] atB;
    private final int each;

    public MultisetPair(int each, double overlap, long seed) {
        this(each, 2 * each - both(each, overlap));
        SplittableRandom random = new SplittableRandom(seed);
        int both = both(each, overlap);
        int all = hashes.length;
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

    private MultisetPair(int each, int all) {
        this.each = each;
        hashes = new long[all];
        atA = new long[all];
        atB = new long[all];
    }

    private static int both(int each, double overlap) {
        return (int) Math.round(each * overlap);
    }

    /**
     * Two replicas of one stream of {@code all} elements: {@code differing} of them differ: in
     * turns missing at A, applied again at A, missing at B and applied again at B.
     */
    public static MultisetPair replicas(int all, int differing, long seed) {
        if (differing < 0 || differing > all) {
            throw new IllegalArgumentException(
                    "differing must be from 0 to " + all + ", got " + differing);
        }
        SplittableRandom random = new SplittableRandom(seed);
        MultisetPair pair = new MultisetPair(all - differing / 4, all);
        for (int i = 0; i < all; i++) {
            pair.hashes[i] = random.nextLong();
            pair.atA[i] = copies(random);
            pair.atB[i] = pair.atA[i];
            if (i < differing) {
                long[] copies = pair.copies((i & 2) == 0 ? Side.A : Side.B);
                copies[i] = (i & 1) == 0 ? 0 : copies[i] + 1;
            }
        }
        return pair;
    }

    private static long copies(SplittableRandom random) {
        return 1L + random.nextInt(MAX_COPIES);
    }

    /** Elements of the union. */
    public int size() {
        return hashes.length;
    }

    /** Elements of one side; approximate for replicas. */
    public int each() {
        return each;
    }

    public long hash(int element) {
        return hashes[element];
    }

    /** Copies of every element on one side; 0 if it has none. */
    public long[] copies(Side side) {
        return side == Side.A ? atA : atB;
    }

    public RootSet root(Side side) {
        long[] copies = copies(side);
        return visitor -> {
            for (int i = 0; i < copies.length; i++) {
                if (copies[i] > 0) {
                    visitor.element(hashes[i], copies[i]);
                }
            }
        };
    }

    /** One of the two multisets. */
    public enum Side {
        A,
        B;

        public Side other() {
            return this == A ? B : A;
        }
    }
}
