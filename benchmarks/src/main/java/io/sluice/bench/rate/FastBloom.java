/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import org.fastfilter.bloom.Bloom;

/** The plain Bloom filter of fastfilter, sized for a false-positive probability of 1e-3. */
final class FastBloom implements Contender {
    /** log2(1/1e-3) / ln 2: half of the bits set, ten positions. */
    static final double BITS_PER_KEY = 14.378;

    private final long capacity;
    private Bloom filter;

    FastBloom(long bytes) {
        capacity = (long) (8 * bytes / BITS_PER_KEY);
    }

    @Override
    public String name() {
        return "fastfilter Bloom";
    }

    @Override
    public void fill() {
        filter = Bloom.construct(FastKeys.first(capacity), BITS_PER_KEY);
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public long contains(Keys keys, long from, int count) {
        long hits = 0;
        for (long i = from; i < from + count; i++) {
            hits += filter.mayContain(keys.at(i)) ? 1 : 0;
        }
        return hits;
    }

    @Override
    public long addIfAbsent(Keys keys, long from, int count) {
        long added = 0;
        for (long i = from; i < from + count; i++) {
            long key = keys.at(i);
            if (!filter.mayContain(key)) {
                filter.add(key);
                added++;
            }
        }
        return added;
    }

    @Override
    public long sizeInBytes() {
        return filter.getBitCount() / 8;
    }
}
