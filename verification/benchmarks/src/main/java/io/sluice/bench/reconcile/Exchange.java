/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.bench.ccf.MultisetPair;
import io.sluice.bench.ccf.MultisetPair.Side;
import io.sluice.bench.ccf.SyncOutcome;
import io.sluice.capture.SplitMix64;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.ElementList;
import io.sluice.filter.cuckoo.sync.MultisetDifference;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.Arrays;

/**
 * Two sides and what they tell each other, round by round. Elements that differ are sent with their
 * own multiplicities and the larger one counts, so no number is ever wrong. A difference may be
 * missed; then the next round, with another seed, finds it.
 */
final class Exchange {
    /** An element on the wire: its hash, and a count below 128 in one byte. */
    static final int ELEMENT_BYTES = Long.BYTES + 1;

    /** Totals of a part on the wire: a checksum and the number of elements. */
    static final int TOTALS_BYTES = Long.BYTES + Integer.BYTES;

    private final MultisetPair pair;
    private final long[] atA;
    private final long[] atB;
    private long sent;

    /** An exchange that has not begun. */
    Exchange(MultisetPair pair) {
        this.pair = pair;
        atA = pair.copies(Side.A).clone();
        atB = pair.copies(Side.B).clone();
    }

    /** The shape of a digest for a number of elements, the same on both sides. */
    @FunctionalInterface
    interface Shapes {
        CuckooShape of(long elements);

        /**
         * The smallest sufficient shape, with fingerprints of {@code f} bits and counters of {@code
         * c}.
         */
        static Shapes sized(int f, int c) {
            return elements -> new CuckooShape(f, c, CuckooSizing.buckets(elements));
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

    /** The present state of the sides. */
    SyncOutcome outcome() {
        return SyncOutcome.of(pair, atA, atB, sent);
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
     * Like {@link #round(Division, Shapes, long)}, for the parts in {@code suspect}. Afterwards
     * {@code suspect} has the parts that differed; the others are equal and need no more totals.
     */
    private Cost round(Division division, boolean[] suspect, Shapes shapes, long seed) {
        int asked = 0;
        for (boolean is : suspect) {
            asked += is ? 1 : 0;
        }
        Cost cost = new Cost(1, 0, 2L * TOTALS_BYTES * asked, 0, 0, 0, 0, 0);
        for (int group = 0; group < division.groups(); group++) {
            int[] differing = differing(division, suspect, group);
            if (differing.length > 0) {
                cost = cost.plus(exchange(division, differing, shapes, seed));
            }
        }
        return cost;
    }

    private int[] differing(Division division, boolean[] suspect, int group) {
        int[] parts = new int[division.partsPerGroup()];
        int found = 0;
        int first = group * parts.length;
        for (int part = first; part < first + parts.length; part++) {
            suspect[part] = suspect[part] && differs(division, part);
            if (suspect[part]) {
                parts[found++] = part;
            }
        }
        return Arrays.copyOf(parts, found);
    }

    private boolean differs(Division division, int part) {
        long checksumA = 0;
        long checksumB = 0;
        for (int i = division.start(part); i < division.end(part); i++) {
            int element = division.element(i);
            long mixed = SplitMix64.mix(pair.hash(element));
            checksumA += mixed * atA[element];
            checksumB += mixed * atB[element];
        }
        return checksumA != checksumB;
    }

    private Cost exchange(Division division, int[] parts, Shapes shapes, long seed) {
        RootSet rootA = root(division, parts, atA);
        RootSet rootB = root(division, parts, atB);
        long elements = Math.max(count(rootA), count(rootB));
        CuckooShape shape = shapes.of(Math.max(1, elements));
        long start = System.nanoTime();
        MultisetDigest digestA = MultisetDigest.of(rootA, shape, Collisions.SEPARATE, seed);
        MultisetDigest digestB = MultisetDigest.of(rootB, shape, Collisions.SEPARATE, seed);
        long built = System.nanoTime();
        MultisetDifference ofA = MultisetDifference.byQuery(rootA, digestB);
        MultisetDifference ofB = MultisetDifference.byQuery(rootB, digestA);
        long found = System.nanoTime();
        long before = sent;
        send(ofA, division, parts, atB);
        send(ofB, division, parts, atA);
        long digests = digestA.serializedBytes() + digestB.serializedBytes();
        return new Cost(
                0,
                parts.length,
                0,
                digests,
                (sent - before) * ELEMENT_BYTES,
                built - start,
                found - built,
                digests);
    }

    private RootSet root(Division division, int[] parts, long[] copies) {
        return visitor -> {
            for (int part : parts) {
                for (int i = division.start(part); i < division.end(part); i++) {
                    int element = division.element(i);
                    if (copies[element] > 0) {
                        visitor.element(pair.hash(element), copies[element]);
                    }
                }
            }
        };
    }

    private static long count(RootSet root) {
        long[] elements = new long[1];
        root.forEach((hash, multiplicity) -> elements[0]++);
        return elements[0];
    }

    private void send(
            MultisetDifference difference, Division division, int[] parts, long[] receiver) {
        send(difference.missing(), division, parts, receiver);
        send(difference.fewer(), division, parts, receiver);
        send(difference.undecided(), division, parts, receiver);
    }

    /** The list is in the order of the root set, so one pass over the parts finds its elements. */
    private void send(ElementList list, Division division, int[] parts, long[] receiver) {
        int next = 0;
        for (int part : parts) {
            for (int i = division.start(part); i < division.end(part); i++) {
                int element = division.element(i);
                if (next < list.size() && list.hash(next) == pair.hash(element)) {
                    receiver[element] = Math.max(receiver[element], list.multiplicity(next));
                    next++;
                }
            }
        }
        if (next < list.size()) {
            throw new IllegalStateException("an element that was never in the root set");
        }
        sent += list.size();
    }
}
