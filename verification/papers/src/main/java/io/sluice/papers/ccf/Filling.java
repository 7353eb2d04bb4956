/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.memory.Storage;
import java.util.SplittableRandom;

/** A counting cuckoo filter that was filled with random elements, one copy each. */
final class Filling {
    /** The paper's evaluation: elements, and buckets for them. */
    static final int ELEMENTS = 64_000;

    static final int BUCKETS = 16_384;

    final CountingCuckooFilter filter;
    final long[] elements;
    int refused;

    /**
     * Fills it.
     *
     * @param merge whether elements with equal fingerprints share a slot
     */
    Filling(int buckets, int f, int count, boolean merge, SplittableRandom random) {
        filter = CountingCuckooFilter.create(new CuckooShape(f, 4, buckets), Storage.HEAP);
        elements = random.longs(count).toArray();
        for (long element : elements) {
            try {
                if (merge) {
                    filter.insert(element, 1);
                } else {
                    filter.insertSeparately(element, 1);
                }
            } catch (FilterFullException full) {
                refused++;
            }
        }
    }
}
