/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CountingCuckooFilter;

/**
 * Strips both filters of what they have in common, and recognises elements in the rest: the paper's
 * algorithm 5.
 *
 * <p>The paper compares each slot of one filter with the first equal fingerprint of the other. Here
 * slots with equal counts are paired first, and each only once, so that two elements that share a
 * fingerprint on both sides are not taken for each other.
 */
final class DecodingMethod {

    private final CountingCuckooFilter own;
    private final CountingCuckooFilter peer;
    private final Collisions collisions;
    private final long seed;
    private final long max;
    private final MultisetDifference difference;
    private final long[] here = new long[MultisetDifference.MAX_EQUAL];
    private final long[] there = new long[MultisetDifference.MAX_EQUAL];

    DecodingMethod(MultisetDigest ownDigest, MultisetDigest peer, MultisetDifference difference) {
        ownDigest.checkComparable(peer);
        own = ownDigest.filter().copy();
        this.peer = peer.filter().copy();
        own.cancelEqualSlots(this.peer);
        collisions = peer.collisions();
        seed = peer.seed();
        max = own.maxCount();
        this.difference = difference;
    }

    void element(long hash, long multiplicity) {
        MultisetDigest.checkMultiplicity(multiplicity);
        long remixed = MultisetDigest.remix(hash, seed);
        int slotsHere = own.slotCounts(remixed, here);
        // Its own slot, if it is still there, has just this count, unless it is shared.
        long count = Math.min(multiplicity, max);
        if (slotsHere == 0 || (collisions == Collisions.SEPARATE && !holds(count, slotsHere))) {
            return;
        }
        int slotsThere = peer.slotCounts(remixed, there);
        if (slotsThere == 0) {
            difference.missing().add(hash, multiplicity, 0);
        } else if (slotsHere == 1 && slotsThere == 1 && here[0] == count) {
            difference.compare(hash, multiplicity, there[0], max);
        } else {
            difference
                    .undecided()
                    .add(hash, multiplicity, MultisetDifference.greatest(there, slotsThere));
        }
    }

    private boolean holds(long count, int slots) {
        for (int i = 0; i < slots; i++) {
            if (here[i] == count) {
                return true;
            }
        }
        return false;
    }
}
