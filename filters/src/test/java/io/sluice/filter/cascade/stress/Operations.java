/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.stress;

import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.SyncPolicy;
import java.util.BitSet;

/**
 * An endless sequence of operations on a small set of keys: operation {@code i} is a function of
 * the seed and {@code i}, so that the process that writes and the one that checks agree on it
 * without communicating.
 *
 * <p>Keys differ in the highest 16 bits of their hashes: no two of them share a fingerprint, so the
 * filter has to be exact about them, in both directions.
 */
final class Operations {
    static final int KEYS = 1 << 16;

    private static final int KEY_GROUPS = 5;

    /** One in this many operations is a flush. */
    private static final int FLUSH_ONE_IN = 4000;

    private static final int SNAPSHOT_ONE_IN = 25_000;

    private final long seed;

    /** What an operation does. */
    enum Kind {
        ADD_IF_ABSENT,
        ADD,
        REMOVE,
        /** Everything before is durable when it returns. */
        FLUSH,
        /** Changes nothing. */
        SNAPSHOT
    }

    Operations(long seed) {
        this.seed = seed;
    }

    /** Small buffers, so that every kill hits flushes and merges. */
    static CascadeOptions options() {
        return CascadeOptions.builder()
                .keyGroups(0, KEY_GROUPS)
                .capacity(KEYS)
                .falsePositiveProbability(1e-6)
                .bufferBytes(32 << 10)
                .pageCacheBytes(1 << 20)
                .syncPolicy(SyncPolicy.ON_FLUSH)
                .build();
    }

    Kind kind(long i) {
        long random = mix(seed ^ mix(i));
        if (Long.remainderUnsigned(random, FLUSH_ONE_IN) == 0) {
            return Kind.FLUSH;
        }
        if (Long.remainderUnsigned(random, SNAPSHOT_ONE_IN) == 1) {
            return Kind.SNAPSHOT;
        }
        int percent = (int) ((random >>> 40) % 100);
        return percent < 60 ? Kind.ADD_IF_ABSENT : percent < 70 ? Kind.ADD : Kind.REMOVE;
    }

    /** The key of operation {@code i}, from 0 to {@link #KEYS} - 1. */
    int key(long i) {
        return (int) mix(seed + 31 * mix(i)) & (KEYS - 1);
    }

    static int keyGroup(int key) {
        return key % KEY_GROUPS;
    }

    /** The highest 16 bits are a permutation of the keys, the others look random. */
    static long hash(int key) {
        return (long) (key * 40503 & (KEYS - 1)) << 48 | mix(key) >>> 16;
    }

    /** Applies operation {@code i} to an exact set; returns whether that changed it. */
    boolean apply(long i, BitSet set) {
        int key = key(i);
        boolean before = set.get(key);
        switch (kind(i)) {
            case ADD_IF_ABSENT, ADD -> set.set(key);
            case REMOVE -> set.clear(key);
            case FLUSH, SNAPSHOT -> {}
        }
        return set.get(key) != before;
    }

    /** The set after the first {@code count} operations. */
    BitSet after(long count) {
        BitSet set = new BitSet(KEYS);
        for (long i = 0; i < count; i++) {
            apply(i, set);
        }
        return set;
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long z) {
        long x = (z + 0x9E3779B97F4A7C15L ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
