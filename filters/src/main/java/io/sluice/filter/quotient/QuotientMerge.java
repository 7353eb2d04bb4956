/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.memory.Storage;
import java.util.List;

/**
 * Merges quotient filters into a new one, any number of them in one streaming pass, and fills
 * filters from ascending fingerprints. O(n log k) for n fingerprints in k filters.
 */
public final class QuotientMerge {

    private static final int BATCH = 1 << 10;

    private QuotientMerge() {}

    /**
     * The union of sets: each fingerprint once. Where the filters differ, the result is like the
     * first one; it has room for all fingerprints of all of them, and more slots than their number
     * needs if copies of few fingerprints crowd.
     *
     * @throws IllegalArgumentException if their fingerprints have different lengths
     * @throws FilterFullException if some 65,535 fingerprints crowd in one place, or if crowds at
     *     the end have no room even with as many slots as all filters have
     */
    public static QuotientFilter union(List<QuotientFilter> filters) {
        return merged(filters, true);
    }

    /** The sum of multisets: all copies of all fingerprints; otherwise as {@link #union}. */
    public static QuotientFilter sum(List<QuotientFilter> filters) {
        return merged(filters, false);
    }

    private static QuotientFilter merged(List<QuotientFilter> filters, boolean distinct) {
        if (filters.isEmpty()) {
            throw new IllegalArgumentException("filters must not be empty");
        }
        QuotientFilter first = filters.get(0);
        long keys = 0;
        for (QuotientFilter filter : filters) {
            keys += filter.size();
        }
        int quotientBits = QuotientSizing.quotientBits(Math.max(1, keys), first.maxLoad());
        // What fits into each filter fits into one of all their slots together.
        long slots = filters.stream().mapToLong(filter -> 1L << filter.quotientBits()).sum();
        int most = QuotientSizing.quotientBits(slots, 1);
        while (true) {
            try {
                return merged(filters, distinct, quotientBits);
            } catch (FilterFullException crowded) {
                if (++quotientBits > Math.min(most, first.fingerprintBits() - 1)) {
                    throw crowded;
                }
            }
        }
    }

    private static QuotientFilter merged(
            List<QuotientFilter> filters, boolean distinct, int quotientBits) {
        List<FingerprintCursor> cursors = filters.stream().map(QuotientFilter::cursor).toList();
        FingerprintCursor all =
                distinct ? FingerprintMerge.union(cursors) : FingerprintMerge.sum(cursors);
        QuotientFilter first = filters.get(0);
        int remainderBits = first.fingerprintBits() - quotientBits;
        QuotientSizing.checkRemainderBits(quotientBits, remainderBits);
        Storage storage = first.blocks().words.storage();
        return append(
                all,
                Blocks.allocate(storage, quotientBits, remainderBits),
                first.maxLoad(),
                first.grows());
    }

    /**
     * Fills empty blocks.
     *
     * @throws FilterFullException if there are more than the load allows, or if they crowd; the
     *     blocks are released
     */
    static QuotientFilter append(
            FingerprintCursor ascending, Blocks empty, double maxLoad, boolean grows) {
        BlockAppender appender = new BlockAppender(empty);
        try {
            long left = QuotientSizing.capacity(empty.quotientBits, maxLoad);
            long[] batch = new long[BATCH];
            int n = ascending.next(batch);
            while (n > 0) {
                left -= n;
                if (left < 0) {
                    throw Growth.full(empty, maxLoad, "more fingerprints than it was sized for");
                }
                appender.append(batch, n);
                n = ascending.next(batch);
            }
            return new QuotientFilter(appender.finish(), appender.count(), maxLoad, grows);
        } catch (FilterFullException full) {
            empty.words.release();
            throw full;
        }
    }
}
