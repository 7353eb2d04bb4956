/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.SlottedStructure;

/**
 * The cuckoo filters of fastfilter, 4 slots a bucket. A full one loses a fingerprint when it
 * refuses a key ({@code Cuckoo16.swap}), so they are filled only to 0.95, the load that their own
 * factory chooses. They cannot remove.
 */
abstract class FastfilterCuckoo extends FastfilterStructure implements SlottedStructure {
    static final double MAX_LOAD = 0.95;

    private final int slots;

    FastfilterCuckoo(int fingerprintBits, int slots, double load) {
        super(
                "fastfilterCuckoo" + fingerprintBits,
                "fastfilter cuckoo " + fingerprintBits + " bit",
                (long) (slots * load));
        if (load > MAX_LOAD) {
            throw new IllegalArgumentException(
                    "load must be at most " + MAX_LOAD + ", got " + load);
        }
        this.slots = slots;
    }

    @Override
    public final long slots() {
        return slots;
    }
}
