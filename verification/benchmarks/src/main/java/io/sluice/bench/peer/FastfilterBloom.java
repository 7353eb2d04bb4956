/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import org.fastfilter.Filter;
import org.fastfilter.bloom.Bloom;

/** The plain Bloom filter of fastfilter. */
public final class FastfilterBloom extends FastfilterStructure {
    private final double bitsPerKey;

    /** For {@code keys} keys; bits per key as {@link io.sluice.filter.FilterSizing} says. */
    public FastfilterBloom(long keys, double bitsPerKey) {
        super("fastfilterBloom", "fastfilter Bloom", keys);
        this.bitsPerKey = bitsPerKey;
    }

    @Override
    Filter create() {
        return Bloom.construct(placeholders(capacity()), bitsPerKey);
    }

    @Override
    public void insert(long key) {
        ((Bloom) filter).add(key);
    }

    @Override
    public boolean contains(long key) {
        return ((Bloom) filter).mayContain(key);
    }
}
