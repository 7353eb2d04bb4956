/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import org.fastfilter.Filter;
import org.fastfilter.bloom.BlockedBloom;

/** The blocked Bloom filter of fastfilter: one cache line, at a much higher error per bit. */
public final class FastfilterBlockedBloom extends FastfilterStructure {
    private final int bitsPerKey;

    public FastfilterBlockedBloom(long keys, int bitsPerKey) {
        super("fastfilterBlockedBloom", "fastfilter blocked Bloom", keys);
        this.bitsPerKey = bitsPerKey;
    }

    @Override
    Filter create() {
        return BlockedBloom.construct(placeholders(capacity()), bitsPerKey);
    }

    @Override
    public void insert(long key) {
        ((BlockedBloom) filter).add(key);
    }

    @Override
    public boolean contains(long key) {
        return ((BlockedBloom) filter).mayContain(key);
    }
}
