/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/**
 * The least that any filter larger than the caches must do: one random cache line per operation,
 * read or read and written. Not a filter that anybody would use (its error is the share of set
 * bits).
 */
final class OneLineLimit implements Contender {
    private final long[] words;
    private final long capacity;

    OneLineLimit(long bytes, long capacity) {
        this.words = new long[Math.toIntExact(bytes / Long.BYTES)];
        this.capacity = capacity;
    }

    @Override
    public String name() {
        return "one random line";
    }

    @Override
    public void fill() {
        java.util.Arrays.fill(words, 0);
        for (long i = 0; i < capacity; i++) {
            long key = Keys.key(i);
            words[index(key)] |= 1L << key;
        }
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public long contains(Keys keys, long from, int count) {
        long hits = 0;
        for (long i = from; i < from + count; i++) {
            long key = keys.at(i);
            hits += words[index(key)] >>> key & 1;
        }
        return hits;
    }

    @Override
    public long addIfAbsent(Keys keys, long from, int count) {
        long added = 0;
        for (long i = from; i < from + count; i++) {
            long key = keys.at(i);
            int index = index(key);
            long word = words[index];
            added += ~word >>> key & 1;
            words[index] = word | 1L << key;
        }
        return added;
    }

    @Override
    public long sizeInBytes() {
        return (long) words.length * Long.BYTES;
    }

    private int index(long key) {
        return (int) (((key >>> 32) * words.length) >>> 32);
    }
}
