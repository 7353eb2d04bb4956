/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import org.fastfilter.Filter;
import org.fastfilter.cuckoo.Cuckoo16;

/** With fingerprints of 16 bits. */
public final class FastfilterCuckoo16 extends FastfilterCuckoo {
    /** Filled to {@code load}, at most 0.95, of {@code slots} slots, a multiple of 8. */
    public FastfilterCuckoo16(int slots, double load) {
        super(16, slots, load);
    }

    @Override
    Filter create() {
        return new Cuckoo16((int) slots());
    }

    @Override
    public void insert(long key) {
        ((Cuckoo16) filter).insert(key);
    }

    @Override
    public boolean contains(long key) {
        return ((Cuckoo16) filter).mayContain(key);
    }
}
