/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.NamedStructure;
import org.fastfilter.Filter;
import org.fastfilter.utils.Hash;

/**
 * What the filters of fastfilter have in common, except their operations: each kind calls its own
 * class, because one shared call could not be inlined.
 */
abstract class FastfilterStructure extends NamedStructure {
    private static final long SEED = 1;

    Filter filter;

    FastfilterStructure(String id, String name, long capacity) {
        super(id, name, capacity);
    }

    /** The library takes seeds from one global generator; this makes them the same in every run. */
    @Override
    public final void begin() {
        Hash.setSeed(SEED);
        filter = create();
    }

    /** An empty filter. */
    abstract Filter create();

    @Override
    public final long sizeInBytes() {
        return filter.getBitCount() / 8;
    }

    @Override
    public final void end() {
        filter = null;
    }

    /**
     * Keys for factories that size a filter by the keys that they add at once: the same key {@code
     * count} times, so that the filter is practically empty.
     */
    static long[] placeholders(long count) {
        return new long[Math.toIntExact(count)];
    }
}
