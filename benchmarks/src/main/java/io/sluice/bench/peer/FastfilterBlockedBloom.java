/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.NamedStructure;
import org.fastfilter.bloom.BlockedBloom;

/** The blocked Bloom filter of fastfilter: one cache line, at a much higher error per bit. */
public final class FastfilterBlockedBloom extends NamedStructure {
    private final int bitsPerKey;
    private BlockedBloom filter;

    public FastfilterBlockedBloom(long keys, int bitsPerKey) {
        super("fastfilterBlockedBloom", "fastfilter blocked Bloom", keys);
        this.bitsPerKey = bitsPerKey;
    }

    @Override
    public void begin() {
        filter = BlockedBloom.construct(Fastfilter.placeholders(capacity()), bitsPerKey);
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
