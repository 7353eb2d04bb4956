/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CountingCuckooFilter;

/** Looks up every element in the peer's filter: the paper's algorithm 4. */
final class QueryMethod {

    private final CountingCuckooFilter peer;
    private final long seed;
    private final long max;
    private final MultisetDifference difference;
    private final long[] counts = new long[MultisetDifference.MAX_EQUAL];

    QueryMethod(MultisetDigest digest, MultisetDifference difference) {
        peer = digest.filter();
        seed = digest.seed();
        max = peer.maxCount();
        this.difference = difference;
    }

    void element(long hash, long multiplicity) {
        MultisetDigest.checkMultiplicity(multiplicity);
        int equal = peer.slotCounts(MultisetDigest.remix(hash, seed), counts);
        if (equal == 0) {
            difference.missing().add(hash, multiplicity, 0);
        } else if (multiplicity < max && holds(multiplicity, equal)) {
            return; // as far as can be told, this is the element, with the same count
        } else if (equal == 1) {
            difference.compare(hash, multiplicity, counts[0], max);
        } else {
            difference
                    .undecided()
                    .add(hash, multiplicity, MultisetDifference.greatest(counts, equal));
        }
    }

    private boolean holds(long multiplicity, int equal) {
        for (int i = 0; i < equal; i++) {
            if (counts[i] == multiplicity) {
                return true;
            }
        }
        return false;
    }
}
