/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;
import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;

/** The exact answer: fastutil's open-addressing map from longs, at most three quarters full. */
final class ExactMap implements KeyValueFilter {

    private static final float LOAD = 0.75f;

    private final Long2IntOpenHashMap map;
    private final int keys;
    private final int values;
    private long refused;

    ExactMap(int keys, int values) {
        this.keys = keys;
        this.values = values;
        map = new Long2IntOpenHashMap(keys, LOAD);
        map.defaultReturnValue(ABSENT);
    }

    @Override
    public int query(long hash) {
        return map.get(hash);
    }

    @Override
    public void insert(long hash, int value) {
        map.put(hash, value);
    }

    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        boolean done = map.replace(hash, oldValue, newValue);
        refused += done ? 0 : 1;
        return done;
    }

    @Override
    public boolean remove(long hash, int value) {
        boolean done = map.remove(hash, value);
        refused += done ? 0 : 1;
        return done;
    }

    @Override
    public int values() {
        return values;
    }

    @Override
    public long refused() {
        return refused;
    }

    /** The two arrays, whose number of slots is a power of two. */
    @Override
    public long sizeInBytes() {
        return (long) HashCommon.arraySize(keys, LOAD) * (Long.BYTES + Integer.BYTES);
    }
}
