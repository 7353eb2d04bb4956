/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import com.github.mgunlogson.cuckoofilter4j.CuckooFilter;
import com.google.common.hash.Funnels;
import io.sluice.bench.rate.NamedStructure;
import io.sluice.bench.rate.RemovableStructure;

/**
 * The cuckoo filter cuckoofilter4j, made for one thread. It hashes its keys itself. It has no
 * operation that adds absent keys, so it is looked up first.
 *
 * <p>A lookup compares 8 slots, but its sizing counts 2, so its error is four times the requested
 * one. Therefore a quarter is requested.
 */
public final class Cuckoofilter4j extends NamedStructure implements RemovableStructure {
    private static final int TOO_OFTEN = 4;

    private final double fpp;
    private CuckooFilter<Long> filter;

    public Cuckoofilter4j(long keys, double fpp) {
        super("cuckoofilter4j", "cuckoofilter4j", keys);
        this.fpp = fpp;
    }

    @Override
    public void begin() {
        filter =
                new CuckooFilter.Builder<Long>(Funnels.longFunnel(), capacity())
                        .withFalsePositiveRate(fpp / TOO_OFTEN)
                        .withExpectedConcurrency(1)
                        .build();
    }

    @Override
    public void insert(long key) {
        if (!filter.put(key)) {
            throw new IllegalStateException("full after " + filter.getCount() + " keys");
        }
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(key);
    }

    @Override
    public boolean remove(long key) {
        return filter.delete(key);
    }

    @Override
    public long sizeInBytes() {
        return filter.getStorageSize() / Byte.SIZE;
    }

    @Override
    public void end() {
        filter = null;
    }
}
