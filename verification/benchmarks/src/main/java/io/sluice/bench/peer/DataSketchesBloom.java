/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.NamedStructure;
import org.apache.datasketches.filters.bloomfilter.BloomFilter;
import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;

/** The Bloom filter of Apache DataSketches, on the heap. It hashes its keys itself. */
public final class DataSketchesBloom extends NamedStructure {
    private static final long SEED = 1;

    private final double fpp;
    private BloomFilter filter;

    public DataSketchesBloom(long keys, double fpp) {
        super("dataSketchesBloom", "DataSketches Bloom", keys);
        this.fpp = fpp;
    }

    @Override
    public void begin() {
        filter = BloomFilterBuilder.createByAccuracy(capacity(), fpp, SEED);
    }

    @Override
    public void insert(long key) {
        filter.update(key);
    }

    @Override
    public boolean contains(long key) {
        return filter.query(key);
    }

    @Override
    public boolean addIfAbsent(long key) {
        return !filter.queryAndUpdate(key);
    }

    @Override
    public long sizeInBytes() {
        return filter.getCapacity() / 8;
    }

    @Override
    public void end() {
        filter = null;
    }
}
