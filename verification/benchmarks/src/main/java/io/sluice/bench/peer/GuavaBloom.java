/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.sluice.bench.rate.NamedStructure;

/** The Bloom filter of Guava. It hashes its keys itself, with 128 bits of Murmur 3. */
public final class GuavaBloom extends NamedStructure {
    private final double fpp;
    private BloomFilter<Long> filter;
    private long bytes;

    public GuavaBloom(long keys, double fpp) {
        super("guavaBloom", "Guava Bloom", keys);
        this.fpp = fpp;
    }

    @Override
    public void begin() {
        filter = BloomFilter.create(Funnels.longFunnel(), capacity(), fpp);
        // Its optimal number of bits, rounded up to words; it does not expose it.
        double bits = -capacity() * Math.log(fpp) / (Math.log(2) * Math.log(2));
        bytes = Long.BYTES * (long) Math.ceil((long) bits / 64.0);
    }

    @Override
    public void insert(long key) {
        filter.put(key);
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(key);
    }

    @Override
    public boolean addIfAbsent(long key) {
        return filter.put(key);
    }

    @Override
    public long sizeInBytes() {
        return bytes;
    }

    @Override
    public void end() {
        filter = null;
    }
}
