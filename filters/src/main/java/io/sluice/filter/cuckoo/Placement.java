/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.FilterFullException;

/**
 * Where a new fingerprint goes: an empty slot of its buckets, or one that is freed by moving
 * others.
 */
final class Placement {

    private final CuckooBuckets buckets;
    private final KickSearch search;

    Placement(CuckooBuckets buckets) {
        this.buckets = buckets;
        search = new KickSearch(buckets);
    }

    /**
     * Into the bucket with more room, which keeps both usable for longer.
     *
     * @param occupied slots in use, for the message
     * @throws FilterFullException if there is no room; nothing is changed
     */
    void put(long first, long second, long fingerprint, long count, long occupied) {
        long inFirst = buckets.emptySlots(first);
        long inSecond = buckets.emptySlots(second);
        if ((inFirst | inSecond) != 0) {
            long more = Long.bitCount(inFirst) - (long) Long.bitCount(inSecond);
            long takeSecond = more >> 63;
            buckets.put(
                    Masks.choose(takeSecond, second, first),
                    buckets.firstOf(Masks.choose(takeSecond, inSecond, inFirst)),
                    fingerprint,
                    count);
            return;
        }
        long place = search.makeRoom(first, second);
        if (place == KickSearch.NONE) {
            throw full(occupied);
        }
        buckets.put(
                KickSearch.bucketOfPlace(place), KickSearch.slotOfPlace(place), fingerprint, count);
    }

    private FilterFullException full(long occupied) {
        return new FilterFullException(
                occupied
                        + " of "
                        + buckets.shape().slots()
                        + " slots are in use and none of the others can be reached: make the"
                        + " filter larger, so that at most "
                        + CuckooSizing.LOAD
                        + " of it is used");
    }

    long sizeInBytes() {
        return search.sizeInBytes();
    }
}
