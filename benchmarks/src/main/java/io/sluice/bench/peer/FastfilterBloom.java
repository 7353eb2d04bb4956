/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.NamedStructure;
import org.fastfilter.bloom.Bloom;

/** The plain Bloom filter of fastfilter. */
public final class FastfilterBloom extends NamedStructure {
    private final double bitsPerKey;
    private Bloom filter;

    /** For {@code keys} keys; bits per key as {@link io.sluice.filter.FilterSizing} says. */
    public FastfilterBloom(long keys, double bitsPerKey) {
        super("fastfilterBloom", "fastfilter Bloom", keys);
        this.bitsPerKey = bitsPerKey;
    }

    @Override
    public void begin() {
        filter = Bloom.construct(Fastfilter.placeholders(capacity()), bitsPerKey);
    }

    @Override
    public void insert(long key) {
        filter.add(key);
    }

    @Override
    public boolean contains(long key) {
        return filter.mayContain(key);
    }

    @Override
    public long sizeInBytes() {
        return filter.getBitCount() / 8;
    }

    @Override
    public void end() {
        filter = null;
    }
}
