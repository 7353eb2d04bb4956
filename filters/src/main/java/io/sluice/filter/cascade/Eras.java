/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.file.Entries;

/**
 * How many bits of a hash are kept, so that a set may grow to any size and its probability of a
 * false positive stays below the configured one. Pure functions.
 *
 * <p>An absent hash is reported by a file of n entries of its key group and p bits with probability
 * n / 2^p, and files add up. The first <b>era</b> keeps the fewest bits with which {@code capacity}
 * entries, spread over the key groups, leave a sixteenth of the configured probability, and uses
 * what they need of it, but at least three quarters. What comes beyond belongs to the next era:
 * four times the entries and the part of the probability that was left, a quarter to a sixteenth,
 * so four to six bits more. The sum over all eras is the configured probability. Files of different
 * eras are never merged, because a merged file has the fewest bits of its inputs.
 *
 * <p>So most sets, which stay within their capacity, pay nothing for those that do not, where bits
 * can be saved at all; a set that outgrows it pays for it then.
 *
 * <p>Rounding up to whole bits leaves room: an era ends where its probability is used up, not where
 * its nominal capacity is.
 */
final class Eras {

    /** The most bits of a hash that an entry holds. */
    private static final int MAX_HASH_BITS = Entries.MAX_HASH_BITS;

    /**
     * The least part of the probability that is left for later eras, and the greatest: 2^-4, 2^-2.
     */
    private static final int LEAST_LEFT = 4;

    private static final int MOST_LEFT = 2;

    /** Four times the entries. */
    private static final int GROWTH_BITS = 2;

    private final double falsePositiveProbability;
    private final long capacity;
    private final int keyGroups;
    private final int first;

    /** Each era leaves 2^-left of what it may use to the next one. */
    private final int left;

    /**
     * @throws IllegalArgumentException if the first era would need more than {@value
     *     #MAX_HASH_BITS} bits
     */
    Eras(double falsePositiveProbability, long capacity, int keyGroups) {
        this.falsePositiveProbability = falsePositiveProbability;
        this.capacity = capacity;
        this.keyGroups = keyGroups;
        double entries = (double) capacity / keyGroups;
        this.first = bitsFor(entries, used(LEAST_LEFT));
        int most = LEAST_LEFT;
        while (most > MOST_LEFT && bitsFor(entries, used(most - 1)) == first) {
            most--;
        }
        this.left = most;
        if (first > MAX_HASH_BITS) {
            throw new IllegalArgumentException(
                    "falsePositiveProbability "
                            + falsePositiveProbability
                            + " with a capacity of "
                            + capacity
                            + " in "
                            + keyGroups
                            + " key groups needs "
                            + first
                            + " bits of a hash, at most "
                            + MAX_HASH_BITS
                            + " are kept: use more key groups, or a greater probability");
        }
    }

    /** Bits of a hash that an era's entries keep, 1 to {@value #MAX_HASH_BITS}. */
    int hashBits(int era) {
        return first + era * bitsPerEra();
    }

    /** Entries of an era: with more its probability would exceed what is meant for it. */
    long capacity(int era) {
        double entries = probability(era) * keyGroups * Math.scalb(1.0, hashBits(era));
        return (long) Math.min(entries, 0x1p62);
    }

    /** The era of entries with so many bits; -1 if there is none, because options have changed. */
    int eraOf(int hashBits) {
        int more = hashBits - first;
        return more >= 0 && more % bitsPerEra() == 0 ? more / bitsPerEra() : -1;
    }

    /** Whether bits are left for an era after another. */
    boolean hasAfter(int era) {
        return hashBits(era + 1) <= MAX_HASH_BITS;
    }

    /**
     * The era after another.
     *
     * @throws FilterFullException if that needs more bits than are kept
     */
    int after(int era) {
        if (!hasAfter(era)) {
            throw new FilterFullException(
                    "the set has outgrown its capacity of "
                            + capacity
                            + " entries so far that falsePositiveProbability "
                            + falsePositiveProbability
                            + " cannot be kept with "
                            + MAX_HASH_BITS
                            + " bits of a hash in "
                            + keyGroups
                            + " key groups: open it with a greater capacity, with more key groups"
                            + " or a greater probability, or let entries expire");
        }
        return era + 1;
    }

    private double probability(int era) {
        return Math.scalb(used(left), -left * era);
    }

    /** The first era's probability if it leaves 2^-left of what is configured. */
    private double used(int ifLeft) {
        return falsePositiveProbability * (1 - Math.scalb(1.0, -ifLeft));
    }

    private int bitsPerEra() {
        return GROWTH_BITS + left;
    }

    /** The fewest bits with which {@code entries} of a key group give at most a probability. */
    private static int bitsFor(double entries, double probability) {
        return Math.max(1, (int) Math.ceil(Math.log(entries / probability) / Math.log(2)));
    }
}
