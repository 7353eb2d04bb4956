/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

/**
 * Finds what two filters of one shape have in common, slot by slot: the same fingerprint, in the
 * same two buckets (which of the two need not agree), with the same count, which is not saturated.
 */
final class CommonSlots {

    private final CuckooBuckets one;
    private final CuckooBuckets other;
    private final long maxCount;

    CommonSlots(CuckooBuckets one, CuckooBuckets other) {
        this.one = one;
        this.other = other;
        maxCount = one.shape().maxCount();
    }

    /** Clears common slots in both, always one here for one there; returns how many pairs. */
    long cancel() {
        long pairs = 0;
        long buckets = one.shape().buckets();
        for (long bucket = 0; bucket < buckets; bucket++) {
            for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
                long fingerprint = one.fingerprint(bucket, slot);
                if (fingerprint != 0) {
                    long count = one.count(bucket, slot);
                    if (count != maxCount
                            && (clear(bucket, fingerprint, count)
                                    || clear(
                                            one.alternate(bucket, fingerprint),
                                            fingerprint,
                                            count))) {
                        one.clear(bucket, slot);
                        pairs++;
                    }
                }
            }
        }
        return pairs;
    }

    /** Clears one such slot of the other filter's bucket, if it has one. */
    private boolean clear(long bucket, long fingerprint, long count) {
        long slots = other.slotsWith(bucket, other.inEveryLane(fingerprint));
        for (; slots != 0; slots &= slots - 1) {
            int slot = other.firstOf(slots);
            if (other.count(bucket, slot) == count) {
                other.clear(bucket, slot);
                return true;
            }
        }
        return false;
    }
}
