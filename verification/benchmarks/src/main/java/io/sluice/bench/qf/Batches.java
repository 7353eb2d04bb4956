/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.bench.run.Keys;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.quotient.QuotientFilter;

/**
 * The operations of a quotient filter in batches; the time includes making and hashing the keys.
 */
final class Batches {
    private static final int BATCH = 256;

    private final long[] hashes = new long[BATCH];
    private final boolean[] results = new boolean[BATCH];

    long insert(QuotientFilter filter, long from, long to) {
        for (long i = from; i < to; i += BATCH) {
            int n = first(i, to);
            filter.insertAll(hashes, 0, n);
        }
        return to - from;
    }

    long remove(QuotientFilter filter, long from, long to) {
        long removed = 0;
        for (long i = from; i < to; i += BATCH) {
            removed += filter.removeAll(hashes, 0, first(i, to));
        }
        return removed;
    }

    long contains(QuotientFilter filter, Keys sequence, long from, long count) {
        long hits = 0;
        for (long i = from; i < from + count; i += BATCH) {
            int n = next(sequence, i, from + count);
            hits += filter.mightContainAll(hashes, 0, n, results);
        }
        return hits;
    }

    long addIfAbsent(QuotientFilter filter, Keys sequence, long from, long count) {
        long added = 0;
        for (long i = from; i < from + count; i += BATCH) {
            int n = next(sequence, i, from + count);
            added += filter.addAll(hashes, 0, n, results);
        }
        return added;
    }

    private int first(long from, long to) {
        int n = (int) Math.min(BATCH, to - from);
        for (int i = 0; i < n; i++) {
            hashes[i] = Hashing.hash(Keys.key(from + i));
        }
        return n;
    }

    private int next(Keys sequence, long from, long to) {
        int n = (int) Math.min(BATCH, to - from);
        for (int i = 0; i < n; i++) {
            hashes[i] = Hashing.hash(sequence.at(from + i));
        }
        return n;
    }
}
