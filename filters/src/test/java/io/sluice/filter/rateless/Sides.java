/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Two exact multisets, A's and B's, and what differs. */
final class Sides {

    private static final long[] EDGES = {
        0, 1, 58, 59, -1, -2, -59, -60, Long.MAX_VALUE, Long.MIN_VALUE
    };

    final Map<Long, Long> a = new LinkedHashMap<>();
    final Map<Long, Long> b = new LinkedHashMap<>();

    /**
     * A union of {@code all} elements, of which {@code differing} differ: missing at one side, or
     * with other multiplicities. The first ones have hashes at the edges of the range.
     */
    static Sides random(SplittableRandom random, int all, int differing, long mostCopies) {
        Sides sides = new Sides();
        for (int i = 0; i < all; i++) {
            long hash = i < EDGES.length ? EDGES[i] : random.nextLong();
            long copies = random.nextLong(1, mostCopies + 1);
            sides.a.put(hash, copies);
            sides.b.put(hash, copies);
            if (i < differing) {
                Map<Long, Long> side = random.nextBoolean() ? sides.a : sides.b;
                long other = random.nextLong(1, mostCopies + 1);
                if (other == copies || random.nextBoolean()) {
                    side.remove(hash);
                } else {
                    side.put(hash, other);
                }
            }
        }
        return sides;
    }

    static RootSet root(Map<Long, Long> set) {
        return visitor -> set.forEach(visitor::element);
    }

    /** As B's decoder should tell it. */
    List<UnequalElement> difference() {
        TreeSet<Long> hashes = new TreeSet<>(a.keySet());
        hashes.addAll(b.keySet());
        List<UnequalElement> difference = new ArrayList<>();
        for (long hash : hashes) {
            long atA = a.getOrDefault(hash, 0L);
            long atB = b.getOrDefault(hash, 0L);
            if (atA != atB) {
                difference.add(new UnequalElement(hash, atB, atA));
            }
        }
        return difference;
    }
}
