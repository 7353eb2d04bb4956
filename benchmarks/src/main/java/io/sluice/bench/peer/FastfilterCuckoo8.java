/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import org.fastfilter.cuckoo.Cuckoo8;

/** With fingerprints of 8 bits. */
public final class FastfilterCuckoo8 extends FastfilterCuckoo {
    private Cuckoo8 filter;

    /** Filled to {@code load}, at most 0.95, of {@code slots} slots, a multiple of 8. */
    public FastfilterCuckoo8(int slots, double load) {
        super(8, slots, load);
    }

    @Override
    public void begin() {
        Fastfilter.fixSeed();
        filter = new Cuckoo8((int) slots());
    }

    @Override
    public void insert(long key) {
        filter.insert(key);
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
