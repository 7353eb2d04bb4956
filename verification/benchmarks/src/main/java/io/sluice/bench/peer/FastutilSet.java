/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.bench.rate.NamedStructure;
import io.sluice.bench.rate.RemovableStructure;
import io.sluice.bench.rate.SlottedStructure;
import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;

/**
 * The exact answer: fastutil's open-addressing set of longs, at most half full, where it is fast.
 */
public final class FastutilSet extends NamedStructure
        implements RemovableStructure, SlottedStructure {
    private static final float LOAD = 0.5f;

    private final int slots;
    private LongOpenHashSet set;

    public FastutilSet(long keys) {
        super("fastutilSet", "fastutil LongOpenHashSet", keys);
        this.slots = HashCommon.arraySize(Math.toIntExact(keys), LOAD);
    }

    @Override
    public void begin() {
        set = new LongOpenHashSet(Math.toIntExact(capacity()), LOAD);
    }

    @Override
    public void insert(long key) {
        set.add(key);
    }

    @Override
    public boolean contains(long key) {
        return set.contains(key);
    }

    @Override
    public boolean addIfAbsent(long key) {
        return set.add(key);
    }

    @Override
    public boolean remove(long key) {
        return set.remove(key);
    }

    /** Its table, by its sizing rule, and one more slot for the key 0. */
    @Override
    public long sizeInBytes() {
        return (slots + 1L) * Long.BYTES;
    }

    @Override
    public long slots() {
        return slots;
    }

    @Override
    public void end() {
        set = null;
    }
}
