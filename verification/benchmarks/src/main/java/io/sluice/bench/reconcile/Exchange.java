/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.capture.traffic.SplitMix64;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.ElementList;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.Arrays;
import java.util.List;

/**
 * Two sides and what they tell each other, round by round. Elements that differ are sent with their
 * own multiplicities and the larger one counts, so no number is ever wrong. A difference may be
 * missed; then the next round, with another seed, finds it.
 */
final class Exchange {
    /** An element with fewer than 128 copies on the wire. */
    static final int ELEMENT_BYTES = Long.BYTES + 1;

    /** Totals of a part on the wire: a checksum and the number of elements. */
    static final int TOTALS_BYTES = Long.BYTES + Integer.BYTES;

    /** Bits of a counter of the paper's evaluation. */
    static final int COUNTER_BITS = 8;

    private final MultisetPair pair;
    private final long[][] now;

    /** An exchange by query that has not begun. */
    Exchange(MultisetPair pair) {
        this.pair = pair;
        now = new long[][] {pair.copies(0).clone(), pair.copies(1).clone()};
    }

    /** An element on the wire: its hash, and its copies as a varint. */
    static int elementBytes(long copies) {
        return Long.BYTES + (Long.SIZE - Long.numberOfLeadingZeros(copies) + 6) / 7;
    }

    /** The shape of a digest for a number of elements, the same on both sides. */
    @FunctionalInterface
    interface Shapes {
        CuckooShape of(long elements);

        /** The smallest sufficient shape, with fingerprints of {@code f} bits. */
        static Shapes sized(int f) {
            return elements -> new CuckooShape(f, COUNTER_BITS, CuckooSizing.buckets(elements));
        }
    }

    /**
     * The result of one or several rounds, both sides together.
     *
     * @param parts that differed
     * @param totalsBytes for totals of all parts
     * @param digestBytes for digests of the parts that differed
     * @param elementBytes for elements
     * @param buildNanos to build digests
     * @param findNanos to find differences in them
     * @param held bytes of the two digests of the largest group
     */
    record Cost(
            int rounds,
            int parts,
            long totalsBytes,
            long digestBytes,
            long elementBytes,
            long buildNanos,
            long findNanos,
            long held) {
        static final Cost NOTHING = new Cost(0, 0, 0, 0, 0, 0, 0, 0);

        long bytes() {
            return totalsBytes + digestBytes + elementBytes;
        }

        Cost plus(Cost other) {
            return new Cost(
                    rounds + other.rounds,
                    parts + other.parts,
                    totalsBytes + other.totalsBytes,
                    digestBytes + other.digestBytes,
                    elementBytes + other.elementBytes,
                    buildNanos + other.buildNanos,
                    findNanos + other.findNanos,
                    Math.max(held, other.held));
        }
    }

    /** Elements that have the larger of their two initial multiplicities on both sides. */
    int right() {
        int right = 0;
        for (int i = 0; i < pair.size(); i++) {
            long larger = Math.max(pair.copies(0)[i], pair.copies(1)[i]);
            right += now[0][i] == larger && now[1][i] == larger ? 1 : 0;
        }
        return right;
    }

    /**
     * Runs rounds until the totals of all parts agree, including the final one without a
     * difference.
     *
     * @throws IllegalStateException if they do not agree within {@code most} rounds
     */
    Cost untilEqual(Division division, Shapes shapes, long seed, int most) {
        Cost all = Cost.NOTHING;
        boolean[] suspect = all(division);
        for (int round = 0; round < most; round++) {
            Cost cost = round(division, suspect, shapes, SplitMix64.mix(seed + round));
            all = all.plus(cost);
            if (cost.parts == 0) {
                return all;
            }
        }
        throw new IllegalStateException("sides still differ after " + most + " rounds");
    }

    /** One round: totals, digests of the parts that differ, elements that differ. */
    Cost round(Division division, Shapes shapes, long seed) {
        return round(division, all(division), shapes, seed);
    }

    private static boolean[] all(Division division) {
        boolean[] parts = new boolean[division.parts()];
        Arrays.fill(parts, true);
        return parts;
    }

    /**
     * Does the same for the parts in {@code suspect}. Afterwards {@code suspect} has the parts that
     * differed; the others are equal and need no more totals.
     */
    private Cost round(Division division, boolean[] suspect, Shapes shapes, long seed) {
        Cost cost = new Cost(1, 0, 0, 0, 0, 0, 0, 0);
        for (int group = 0; group < division.groups(); group++) {
            int[] differing = new int[division.partsPerGroup()];
            int found = 0;
            int first = group * differing.length;
            for (int part = first; part < first + differing.length; part++) {
                if (suspect[part]) {
                    cost = cost.plus(new Cost(0, 0, 2L * TOTALS_BYTES, 0, 0, 0, 0, 0));
                    suspect[part] = checksum(division, part, 0) != checksum(division, part, 1);
                    differing[found] = part;
                    found += suspect[part] ? 1 : 0;
                }
            }
            if (found > 0) {
                cost = cost.plus(exchange(division, Arrays.copyOf(differing, found), shapes, seed));
            }
        }
        return cost;
    }

    private long checksum(Division division, int part, int side) {
        long[] sum = new long[1];
        division.visit(
                part, element -> sum[0] += SplitMix64.mix(pair.hash(element)) * now[side][element]);
        return sum[0];
    }

    private Cost exchange(Division division, int[] parts, Shapes shapes, long seed) {
        RootSet rootA = root(division, parts, 0);
        RootSet rootB = root(division, parts, 1);
        CuckooShape shape = shapes.of(Math.max(1, Math.max(count(rootA), count(rootB))));
        long start = System.nanoTime();
        MultisetDigest digestA = MultisetDigest.of(rootA, shape, Collisions.SEPARATE, seed);
        MultisetDigest digestB = MultisetDigest.of(rootB, shape, Collisions.SEPARATE, seed);
        long built = System.nanoTime();
        MultisetDifference ofA = MultisetDifference.byQuery(rootA, digestB);
        MultisetDifference ofB = MultisetDifference.byQuery(rootB, digestA);
        long found = System.nanoTime();
        long sent = send(ofA, division, parts, 1) + send(ofB, division, parts, 0);
        long digests = digestA.serializedBytes() + digestB.serializedBytes();
        return new Cost(0, parts.length, 0, digests, sent, built - start, found - built, digests);
    }

    private RootSet root(Division division, int[] parts, int side) {
        return visitor -> {
            for (int part : parts) {
                root(pair, division, part, now[side]).forEach(visitor);
            }
        };
    }

    /** The elements of a part that have copies. */
    static RootSet root(MultisetPair pair, Division division, int part, long[] copies) {
        return visitor ->
                division.visit(
                        part,
                        element -> {
                            if (copies[element] > 0) {
                                visitor.element(pair.hash(element), copies[element]);
                            }
                        });
    }

    private static long count(RootSet root) {
        long[] elements = new long[1];
        root.forEach((hash, multiplicity) -> elements[0]++);
        return elements[0];
    }

    /** Returns the bytes of the elements that were sent. */
    private long send(MultisetDifference difference, Division division, int[] parts, int receiver) {
        long[] sent = new long[1];
        for (ElementList list :
                List.of(difference.missing(), difference.fewer(), difference.undecided())) {
            // In the order of the root set, so one pass over the parts finds its elements.
            int[] next = new int[1];
            for (int part : parts) {
                division.visit(
                        part,
                        element -> {
                            if (next[0] < list.size() && list.hash(next[0]) == pair.hash(element)) {
                                long own = list.multiplicity(next[0]++);
                                now[receiver][element] = Math.max(now[receiver][element], own);
                                sent[0] += elementBytes(own);
                            }
                        });
            }
            if (next[0] < list.size()) {
                throw new IllegalStateException("an element that was never in the root set");
            }
        }
        return sent[0];
    }
}
