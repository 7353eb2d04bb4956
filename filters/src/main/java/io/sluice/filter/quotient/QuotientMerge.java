/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

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
     * first one; it has room for all fingerprints of all of them.
     *
     * @throws IllegalArgumentException if their fingerprints have different lengths
     */
    public static QuotientFilter union(List<QuotientFilter> filters) {
        return merged(filters, true);
    }

    /** The sum of multisets: all copies of all fingerprints; otherwise as {@link #union}. */
    public static QuotientFilter sum(List<QuotientFilter> filters) {
        return merged(filters, false);
    }

    private static QuotientFilter merged(List<QuotientFilter> filters, boolean distinct) {
        List<FingerprintCursor> cursors = filters.stream().map(QuotientFilter::cursor).toList();
        FingerprintCursor all =
                distinct ? FingerprintMerge.union(cursors) : FingerprintMerge.sum(cursors);
        QuotientFilter first = filters.get(0);
        long keys = 0;
        for (QuotientFilter filter : filters) {
            keys += filter.size();
        }
        int quotientBits = QuotientSizing.quotientBits(Math.max(1, keys), first.maxLoad());
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
     * @throws io.sluice.filter.FilterFullException if there are more than the load allows
     */
    static QuotientFilter append(
            FingerprintCursor ascending, Blocks empty, double maxLoad, boolean grows) {
        BlockAppender appender = new BlockAppender(empty);
        long left = QuotientSizing.capacity(empty.quotientBits, maxLoad);
        long[] batch = new long[BATCH];
        for (int n = ascending.next(batch, 0, BATCH); n > 0; n = ascending.next(batch, 0, BATCH)) {
            left -= n;
            if (left < 0) {
                throw Growth.full(empty, maxLoad, "more fingerprints than it was sized for");
            }
            appender.append(batch, n);
        }
        return new QuotientFilter(appender.finish(), appender.count(), maxLoad, grows);
    }
}
