/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import org.fastfilter.Filter;
import org.fastfilter.cuckoo.Cuckoo8;

/** With fingerprints of 8 bits. */
public final class FastfilterCuckoo8 extends FastfilterCuckoo {
    /** Filled to {@code load}, at most 0.95, of {@code slots} slots, a multiple of 8. */
    public FastfilterCuckoo8(int slots, double load) {
        super(8, slots, load);
    }

    @Override
    Filter create() {
        return new Cuckoo8((int) slots());
    }

    @Override
    public void insert(long key) {
        ((Cuckoo8) filter).insert(key);
    }

    @Override
    public boolean contains(long key) {
        return ((Cuckoo8) filter).mayContain(key);
    }
}
