/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

/**
 * Arithmetic of cuckoo filters with four slots a bucket. Pure functions. A <b>load</b> is the share
 * of slots that are in use, from 0 to 1.
 *
 * <p>Source: Li, Luo, Guo, <i>Multiset Synchronization with Counting Cuckoo Filters</i>, equations
 * 5 and 6, with 2^f - 1 fingerprints instead of 2^f, because 0 marks an empty slot, and exact where
 * these are approximate.
 */
public final class CuckooSizing {

    /** The load that filters are sized for. Failures begin between 0.97 and 0.98. */
    public static final double LOAD = 0.95;

    /** Small filters are more uneven, so they keep more slots free, see below. */
    private static final double SPREAD = 1.5;

    private CuckooSizing() {}

    /**
     * Probability that an absent hash is reported by a filter that merges equal fingerprints: 8
     * load / (2^f - 1).
     *
     * <p>Exact, and not only for small ones: a hash is one of m (2^f - 1) / 2 equally likely pairs
     * of a fingerprint and its two buckets, and each of the 4 m load slots holds a different one.
     * The paper's 1 - (1 - 1 / (2^f - 1))^(8 load) takes slots as independent, so that some hold
     * the same; in a filter that merges none do.
     */
    public static double fpp(int fingerprintBits, double load) {
        checkLoad(load);
        return Math.min(1, 2 * CuckooShape.SLOTS * load / fingerprints(fingerprintBits));
    }

    /**
     * As {@link #fpp(int, double)}, for a filter whose hashes all have a slot of their own: 1 -
     * e^(-8 load / (2^f - 1)), because some pairs are then held several times.
     */
    public static double separateFpp(int fingerprintBits, double load) {
        checkLoad(load);
        return -Math.expm1(-2 * CuckooShape.SLOTS * load / fingerprints(fingerprintBits));
    }

    /** For a filter that holds {@code n} different pairs of a fingerprint and its two buckets. */
    static double fpp(CuckooShape shape, long pairs) {
        double all = fingerprints(shape.fingerprintBits()) * (double) shape.buckets() / 2;
        return Math.min(1, pairs / all);
    }

    private static double fingerprints(int fingerprintBits) {
        return (double) ((1L << fingerprintBits) - 1);
    }

    /**
     * The fewest fingerprint bits that keep {@link #fpp} at {@code fpp}.
     *
     * @throws IllegalArgumentException if that is more than {@value
     *     CuckooShape#MAX_FINGERPRINT_BITS}
     */
    public static int fingerprintBits(double fpp, double load) {
        if (!(fpp > 0 && fpp < 1)) {
            throw new IllegalArgumentException("fpp must be between 0 and 1, got " + fpp);
        }
        for (int bits = CuckooShape.MIN_FINGERPRINT_BITS;
                bits <= CuckooShape.MAX_FINGERPRINT_BITS;
                bits++) {
            if (fpp(bits, load) <= fpp) {
                return bits;
            }
        }
        throw new IllegalArgumentException(
                "fpp "
                        + fpp
                        + " needs more than "
                        + CuckooShape.MAX_FINGERPRINT_BITS
                        + " fingerprint bits; the least is "
                        + fpp(CuckooShape.MAX_FINGERPRINT_BITS, load));
    }

    /**
     * Different hashes that {@code buckets} buckets can be relied on to hold: {@link #LOAD} of the
     * slots, less 1.5 times the square root of their number, by which small filters vary. Fewer
     * than one in 10,000 filters of 24 slots fail, and far fewer of any other size.
     */
    public static long capacity(long buckets) {
        double slots = (double) (CuckooShape.SLOTS * buckets);
        return (long) Math.max(1, Math.floor(LOAD * slots - SPREAD * Math.sqrt(slots)));
    }

    /** The fewest buckets with at least this {@link #capacity}; even. */
    public static long buckets(long capacity) {
        long most = CuckooShape.MAX_BUCKETS;
        if (capacity < 1 || capacity > capacity(most)) {
            throw new IllegalArgumentException(
                    "capacity must be between 1 and " + capacity(most) + ", got " + capacity);
        }
        long low = 1;
        long high = most / 2;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (capacity(2 * middle) >= capacity) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return 2 * high;
    }

    /** Bits of memory for each hash held. */
    public static double bitsPerKey(int fingerprintBits, int counterBits, double load) {
        checkLoad(load);
        return (fingerprintBits + counterBits) / load;
    }

    /**
     * How many of {@code elements} different hashes find their fingerprint in one of their buckets
     * already, and are counted together with another one: n^2 / (m (2^f - 1)) with m buckets.
     */
    public static double mergedElements(CuckooShape shape, long elements) {
        double n = (double) elements;
        return n * n / (double) shape.buckets() / fingerprints(shape.fingerprintBits());
    }

    private static void checkLoad(double load) {
        if (!(load >= 0 && load <= 1)) {
            throw new IllegalArgumentException("load must be between 0 and 1, got " + load);
        }
    }
}
