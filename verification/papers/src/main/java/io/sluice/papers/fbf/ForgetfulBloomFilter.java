/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.hash.Hashing;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The forgetful Bloom filter as the paper describes it (section III): a future, a present and N
 * past Bloom filters of equal size and hash functions. An element goes into the future and the
 * present one; {@link #refresh} makes each filter one age older, drops the oldest, and begins an
 * empty future one.
 *
 * <p>So the future filter holds the newest <b>slice</b> of the stream (what came since the last
 * refresh), and every other filter two neighbouring slices.
 *
 * <p>Not thread-safe.
 */
public final class ForgetfulBloomFilter {

    /** How a lookup reads the filters. */
    public enum Rule {
        /** Any filter that has all bits. */
        SIMPLE,
        /**
         * Algorithm 2 to the letter. With more than one past filter its last test, of the oldest
         * filter alone, is never reached.
         */
        AS_PRINTED,
        /** The future filter, or two neighbours, or the oldest filter alone. */
        CORRECTED
    }

    private final int bits;
    private final int hashes;
    private final Rule rule;

    /** The future filter, the present one, then past ones from the newest to the oldest. */
    private final List<BitSet> filters = new ArrayList<>();

    /** Elements of each filter's younger slice, in the same order. */
    private final List<Integer> slices = new ArrayList<>();

    private final int[] positions;

    /**
     * A filter that is empty.
     *
     * @param bits of each of its filters, m
     * @param hashes bits of an element in each, k
     * @param past number of past filters, N, at least 1
     */
    public ForgetfulBloomFilter(int bits, int hashes, int past, Rule rule) {
        if (bits < 1 || hashes < 1 || past < 1) {
            throw new IllegalArgumentException("bits, hashes and past must be at least 1");
        }
        this.bits = bits;
        this.hashes = hashes;
        this.rule = rule;
        positions = new int[hashes];
        append(past + 2);
    }

    /** Inserts what is not reported yet (Algorithm 1); returns whether it did. */
    public boolean add(long hash) {
        boolean absent = !mightContain(hash);
        if (absent) {
            put(hash);
        }
        return absent;
    }

    /** Inserts without asking. */
    public void put(long hash) {
        locate(hash);
        for (int position : positions) {
            filters.get(0).set(position);
            filters.get(1).set(position);
        }
        slices.set(0, slices.get(0) + 1);
    }

    /** Drops the oldest filter and begins a new future one. */
    public void refresh() {
        refreshKeeping();
        int oldest = filters.size() - 1;
        filters.remove(oldest);
        slices.remove(oldest);
    }

    /** Begins a new future filter and drops nothing: the filter grows by not forgetting. */
    public void refreshKeeping() {
        filters.add(0, new BitSet(bits));
        slices.add(0, 0);
    }

    /** Forgets the oldest filter; three are always left. */
    public void dropOldest() {
        if (filters.size() > 3) {
            filters.remove(filters.size() - 1);
            slices.remove(slices.size() - 1);
        }
    }

    /** Appends empty filters behind the oldest, which is how Algorithm 3 grows. */
    public void append(int count) {
        for (int i = 0; i < count; i++) {
            filters.add(new BitSet(bits));
            slices.add(0);
        }
    }

    /** Whether an element is reported as seen. */
    public boolean mightContain(long hash) {
        locate(hash);
        int oldest = filters.size() - 1;
        if (rule == Rule.SIMPLE) {
            return filters.stream().anyMatch(this::has);
        }
        boolean testsOldest = oldest == 2 || rule == Rule.CORRECTED;
        if (has(filters.get(0)) || (testsOldest && has(filters.get(oldest)))) {
            return true;
        }
        boolean younger = has(filters.get(1));
        for (int i = 2; i <= oldest; i++) {
            boolean older = has(filters.get(i));
            if (younger && older) {
                return true;
            }
            younger = older;
        }
        return false;
    }

    private boolean has(BitSet filter) {
        for (int position : positions) {
            if (!filter.get(position)) {
                return false;
            }
        }
        return true;
    }

    /** Independent positions: with a few thousand bits, double hashing would change the rates. */
    private void locate(long hash) {
        for (int i = 0; i < hashes; i++) {
            long mixed = Hashing.mix(hash + (i + 1) * 0x9E3779B97F4A7C15L);
            positions[i] = (int) Math.multiplyHigh(mixed >>> 1, 2L * bits);
        }
    }

    /** All filters: N + 2. */
    public int filters() {
        return filters.size();
    }

    /** Elements per slice, from the newest to the oldest. */
    public double[] slices() {
        return slices.stream().mapToDouble(Integer::doubleValue).toArray();
    }

    /** Bits of a filter, m. */
    public int bits() {
        return bits;
    }

    /** Bits of an element, k. */
    public int hashes() {
        return hashes;
    }

    /** Probability that an absent element is reported now, from the elements per slice. */
    public double predictedFpp() {
        double[] elements = slices();
        return rule == Rule.SIMPLE
                ? ForgetfulModel.simple(elements, bits, hashes)
                : ForgetfulModel.neighbourPairs(elements, bits, hashes);
    }
}
