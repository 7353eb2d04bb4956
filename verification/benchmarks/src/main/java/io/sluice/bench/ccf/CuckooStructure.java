/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.rate.NamedStructure;
import io.sluice.bench.rate.RemovableStructure;
import io.sluice.bench.rate.SlottedStructure;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;

/** Our counting cuckoo filter, filled to a load; insertions merge equal fingerprints. */
public final class CuckooStructure extends NamedStructure
        implements SlottedStructure, RemovableStructure {
    private final CuckooShape shape;
    private final Storage storage;
    private CountingCuckooFilter filter;

    public CuckooStructure(CuckooShape shape, double load, Storage storage) {
        super(
                "countingCuckoo"
                        + shape.fingerprintBits()
                        + (storage == Storage.HEAP ? "" : "OffHeap"),
                "counting cuckoo "
                        + shape.fingerprintBits()
                        + "+"
                        + shape.counterBits()
                        + " bit"
                        + (storage == Storage.HEAP ? "" : " off heap"),
                (long) (shape.slots() * load));
        this.shape = shape;
        this.storage = storage;
    }

    @Override
    public void begin() {
        filter = CountingCuckooFilter.create(shape, storage);
    }

    @Override
    public void insert(long key) {
        filter.insert(Hashing.hash(key), 1);
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(Hashing.hash(key));
    }

    @Override
    public boolean addIfAbsent(long key) {
        return filter.add(Hashing.hash(key));
    }

    @Override
    public boolean remove(long key) {
        return filter.remove(Hashing.hash(key));
    }

    @Override
    public long slots() {
        return shape.slots();
    }

    @Override
    public long sizeInBytes() {
        return filter.sizeInBytes();
    }

    @Override
    public void end() {
        filter = null;
    }

    CountingCuckooFilter filter() {
        return filter;
    }
}
