/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.FilterFullException;
import java.util.List;

/** Merges counting cuckoo filters of one shape into a new one. O(slots) for each of them. */
public final class CuckooMerge {

    private CuckooMerge() {}

    /**
     * The sum of multisets: the counts of a hash are added up, and saturate. The storage is that of
     * the first filter.
     *
     * @throws IllegalArgumentException if there is none, or their shapes differ
     * @throws FilterFullException if the sum does not fit into the shape; nothing has changed
     */
    public static CountingCuckooFilter sum(List<CountingCuckooFilter> filters) {
        if (filters.isEmpty()) {
            throw new IllegalArgumentException("filters must not be empty");
        }
        CuckooShape shape = filters.get(0).shape();
        for (CountingCuckooFilter filter : filters) {
            if (!filter.shape().equals(shape)) {
                throw new IllegalArgumentException(
                        "filters must have one shape, got "
                                + shape
                                + " and "
                                + filter.shape()
                                + ": make all of them with one shape");
            }
        }
        CountingCuckooFilter sum = filters.get(0).copy();
        try {
            for (CountingCuckooFilter filter : filters.subList(1, filters.size())) {
                add(filter.buckets(), sum);
            }
        } catch (FilterFullException e) {
            sum.close();
            throw e;
        }
        return sum;
    }

    private static void add(CuckooBuckets from, CountingCuckooFilter into) {
        for (long bucket = 0; bucket < from.shape().buckets(); bucket++) {
            for (int slot = 0; slot < CuckooShape.SLOTS; slot++) {
                long fingerprint = from.fingerprint(bucket, slot);
                if (fingerprint != 0) {
                    into.insertSlot(bucket, fingerprint, from.count(bucket, slot));
                }
            }
        }
    }
}
