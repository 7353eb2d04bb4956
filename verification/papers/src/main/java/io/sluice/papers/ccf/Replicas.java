/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.ElementList;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Two multisets of equally many elements, 1 to 19 copies of each. Of the elements that both have,
 * half have equal numbers of copies, the others independent ones.
 */
final class Replicas {
    private static final long SEED = 7;

    private final int each;
    private final long[] hashes;

    /** Copies of each element at either side. */
    private final long[][] copies;

    private final Map<Long, Integer> elementOf = new HashMap<>();

    /**
     * Draws two multisets.
     *
     * @param each elements of a side
     * @param overlap share of them that the other side has too
     */
    Replicas(int each, double overlap, SplittableRandom random) {
        this.each = each;
        int both = (int) Math.round(each * overlap);
        hashes = random.longs(2L * each - both).toArray();
        copies = new long[2][hashes.length];
        for (int i = 0; i < hashes.length; i++) {
            elementOf.put(hashes[i], i);
            copies[0][i] = i < each ? random.nextInt(1, 20) : 0;
            boolean equal = i < both && random.nextBoolean();
            boolean atB = i < both || i >= each;
            copies[1][i] = equal ? copies[0][i] : atB ? random.nextInt(1, 20) : 0;
        }
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

    MultisetDigest digest(int side, CuckooShape shape, Collisions collisions) {
        return MultisetDigest.of(root(side), shape, collisions, SEED);
    }

    MultisetDifference difference(
            int side, MultisetDigest own, MultisetDigest peer, boolean query) {
        return query
                ? MultisetDifference.byQuery(root(side), peer)
                : MultisetDifference.byDecoding(root(side), own, peer);
    }

    CountingBloomFilter bloom(int side, double bits) {
        CountingBloomFilter filter = new CountingBloomFilter(each, bits);
        root(side).forEach(filter::insert);
        return filter;
    }

    /** How many elements have different numbers of copies after one round as the paper does it. */
    int unequal(MultisetDigest a, MultisetDigest b, boolean query) {
        long[][] after = {copies[0].clone(), copies[1].clone()};
        MultisetDifference[] found = {difference(0, a, b, query), difference(1, b, a, query)};
        for (int side = 0; side < 2; side++) {
            // The paper's host takes the larger count from the filter that it received.
            ElementList more = found[side].more();
            for (int i = 0; i < more.size(); i++) {
                after[side][elementOf.get(more.hash(i))] = more.atPeer(i);
            }
        }
        for (int side = 0; side < 2; side++) {
            ElementList missing = found[side].missing();
            for (int i = 0; i < missing.size(); i++) {
                int element = elementOf.get(missing.hash(i));
                after[1 - side][element] =
                        Math.max(after[1 - side][element], missing.multiplicity(i));
            }
        }
        return unequal(after);
    }

    /** The same with counting Bloom filters. */
    int unequal(double bits) {
        long[][] after = {copies[0].clone(), copies[1].clone()};
        for (int side = 0; side < 2; side++) {
            CountingBloomFilter peer = bloom(1 - side, bits);
            for (int i = 0; i < hashes.length; i++) {
                long own = copies[side][i];
                if (own > 0) {
                    long atPeer = peer.count(hashes[i]);
                    if (atPeer == 0) {
                        after[1 - side][i] = Math.max(after[1 - side][i], own);
                    } else if (atPeer > own) {
                        after[side][i] = atPeer;
                    }
                }
            }
        }
        return unequal(after);
    }

    private static int unequal(long[][] after) {
        int unequal = 0;
        for (int i = 0; i < after[0].length; i++) {
            unequal += after[0][i] == after[1][i] ? 0 : 1;
        }
        return unequal;
    }

    /** Elements of both together. */
    int union() {
        return hashes.length;
    }
}
