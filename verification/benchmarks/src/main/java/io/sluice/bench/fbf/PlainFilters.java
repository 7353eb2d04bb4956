/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.capture.SplitMix64;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The forgetful Bloom filter as the paper prints it: N + 2 separate Bloom filters, refresh by
 * shifting, growth by appending empty past filters behind the oldest (section 5). It shows what the
 * printed text does, for comparison with the filter of {@code io.sluice.papers.fbf}; not for use.
 */
final class PlainFilters {
    /** How a lookup reads the filters. */
    enum Rule {
        /** Any filter that has all k bits: the paper's "simple" check. */
        SIMPLE,
        /**
         * Algorithm 2 to the letter: with more than one past filter it never checks the oldest
         * alone.
         */
        LITERAL,
        /** Future, or a pair of neighbours, or the oldest alone: what the text around it means. */
        CORRECTED
    }

    private final int bits;
    private final int hashes;

    /** 0 future, 1 present, then past from the newest to the oldest. */
    private final List<BitSet> filters = new ArrayList<>();

    PlainFilters(int bits, int hashes, int past) {
        this.bits = bits;
        this.hashes = hashes;
        for (int i = 0; i < past + 2; i++) {
            filters.add(new BitSet(bits));
        }
    }

    void add(long hash) {
        for (int i = 0; i < hashes; i++) {
            int position = position(hash, i);
            filters.get(0).set(position);
            filters.get(1).set(position);
        }
    }

    /** Every filter becomes one age older, the oldest is dropped, and the future is empty. */
    void refresh() {
        BitSet oldest = filters.remove(filters.size() - 1);
        oldest.clear();
        filters.add(0, oldest);
    }

    /** Appends empty filters behind the oldest, or removes the oldest. */
    void resize(int count) {
        while (filters.size() < count) {
            filters.add(new BitSet(bits));
        }
        while (filters.size() > count) {
            filters.remove(filters.size() - 1);
        }
    }

    int count() {
        return filters.size();
    }

    boolean contains(long hash, Rule rule) {
        if (rule == Rule.SIMPLE) {
            for (int i = 0; i < filters.size(); i++) {
                if (has(i, hash)) {
                    return true;
                }
            }
            return false;
        }
        if (has(0, hash)) {
            return true;
        }
        int oldest = filters.size() - 1;
        boolean onePast = oldest == 2;
        if (onePast || rule == Rule.CORRECTED) {
            if (has(oldest, hash)) {
                return true;
            }
            if (onePast) {
                return false; // present and past together imply past alone
            }
        }
        for (int i = 1; i < oldest; i++) {
            if (has(i, hash) && has(i + 1, hash)) {
                return true;
            }
        }
        return false;
    }

    private boolean has(int filter, long hash) {
        BitSet set = filters.get(filter);
        for (int i = 0; i < hashes; i++) {
            if (!set.get(position(hash, i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Independent positions: with only a few thousand bits, double hashing would affect the rates.
     */
    private int position(long hash, int i) {
        return (int)
                Math.multiplyHigh(SplitMix64.mix(hash + i * SplitMix64.GAMMA) >>> 1, 2L * bits);
    }
}
