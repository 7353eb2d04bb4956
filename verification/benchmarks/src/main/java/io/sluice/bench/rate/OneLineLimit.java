/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import java.util.Arrays;

/**
 * The minimum that any filter larger than the caches must do: one random cache line per operation,
 * read or read and written. Not a usable filter (its error is the share of set bits).
 */
public final class OneLineLimit implements RemovableStructure {
    private final long[] words;
    private final long capacity;

    public OneLineLimit(long bytes, long capacity) {
        this.words = new long[Math.toIntExact(bytes / Long.BYTES)];
        this.capacity = capacity;
    }

    @Override
    public String id() {
        return "oneLine";
    }

    @Override
    public String name() {
        return "one random line";
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public void begin() {
        Arrays.fill(words, 0);
    }

    @Override
    public void insert(long key) {
        words[index(key)] |= 1L << key;
    }

    @Override
    public boolean contains(long key) {
        return (words[index(key)] >>> key & 1) != 0;
    }

    @Override
    public boolean addIfAbsent(long key) {
        int index = index(key);
        long word = words[index];
        words[index] = word | 1L << key;
        return (word >>> key & 1) == 0;
    }

    /** Clears the bit, even if other keys set it too. */
    @Override
    public boolean remove(long key) {
        int index = index(key);
        long word = words[index];
        words[index] = word & ~(1L << key);
        return (word >>> key & 1) != 0;
    }

    @Override
    public long sizeInBytes() {
        return (long) words.length * Long.BYTES;
    }

    /** Keeps its memory: the limit is measured between all others. */
    @Override
    public void end() {}

    private int index(long key) {
        return (int) (((key >>> 32) * words.length) >>> 32);
    }
}
