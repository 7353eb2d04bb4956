/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.file.Entries;

/**
 * How many bits of a hash are kept, so that a set may grow to any size and its probability of a
 * false positive stays below the configured one. Pure functions.
 *
 * <p>An absent hash is reported by a file of n entries of its key group and p bits with probability
 * n / 2^p, and files add up. The first <b>era</b> keeps so many bits that {@code capacity} entries,
 * spread over the key groups, use up three quarters of the configured probability. What comes
 * beyond belongs to the next era: four times the capacity, a quarter of the probability, so four
 * bits more. The sum over all eras is the configured probability. Files of different eras are never
 * merged, because a merged file has the fewest bits of its inputs.
 *
 * <p>Rounding up to whole bits leaves room: an era ends where its probability is used up, not where
 * its nominal capacity is.
 */
final class Eras {

    /** The most bits of a hash that an entry holds. */
    private static final int MAX_HASH_BITS = Entries.MAX_HASH_BITS;

    /** Part of the probability that is left for later eras. */
    private static final double LEFT = 0.25;

    /** Four times the entries with a quarter of the probability. */
    private static final int BITS_PER_ERA = 4;

    private final double falsePositiveProbability;
    private final long capacity;
    private final int keyGroups;
    private final int first;

    /**
     * @throws IllegalArgumentException if the first era would need more than {@value
     *     #MAX_HASH_BITS} bits
     */
    Eras(double falsePositiveProbability, long capacity, int keyGroups) {
        this.falsePositiveProbability = falsePositiveProbability;
        this.capacity = capacity;
        this.keyGroups = keyGroups;
        this.first = bitsFor((double) capacity / keyGroups, probability(0));
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
        return first + era * BITS_PER_ERA;
    }

    /** Entries of an era: with more its probability would exceed what is meant for it. */
    long capacity(int era) {
        double entries = probability(era) * keyGroups * Math.scalb(1.0, hashBits(era));
        return (long) Math.min(entries, 0x1p62);
    }

    /** The era of entries with so many bits; -1 if there is none, because options have changed. */
    int eraOf(int hashBits) {
        int more = hashBits - first;
        return more >= 0 && more % BITS_PER_ERA == 0 ? more / BITS_PER_ERA : -1;
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
                            + " key groups: use more key groups, a greater probability, or let"
                            + " entries expire");
        }
        return era + 1;
    }

    private double probability(int era) {
        return falsePositiveProbability * (1 - LEFT) * Math.pow(LEFT, era);
    }

    /** The fewest bits with which {@code entries} of a key group give at most a probability. */
    private static int bitsFor(double entries, double probability) {
        return Math.max(1, (int) Math.ceil(Math.log(entries / probability) / Math.log(2)));
    }
}
