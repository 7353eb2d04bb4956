/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import java.util.Arrays;

/**
 * How many bits of a hash are kept, so that a set may grow to any size and its probability of a
 * false positive stays below the configured one. Immutable.
 *
 * <p>An absent hash is reported by a file of n entries of its key group and b bits with probability
 * n / 2^b, and files add up. The first <b>era</b> keeps the fewest bits with which the expected
 * entries, spread over the key groups, use at most 15/16 of the configured probability p. It leaves
 * the rest, R, from p/16 to p/4, to the others. Each later era is for eight times as many entries
 * as all eras before it. Era i, from 1, has R / (i (i + 1)), a series whose sum is R. It shrinks so
 * slowly that an era takes only three to five bits more than the one before, so an entry has bits
 * for sets of more than a hundred times the expected size. The last era keeps all bits that an
 * entry has, and may use all of p.
 *
 * <p>What is used is accounted for in one sum over everything that is held, see {@link
 * ProbabilityBudget}: era i ends when the sum reaches what eras 0 to i have together. So what one
 * era does not use, because bits are whole, goes to the next; and files written with other options
 * count like any others. Files of different eras become one only if little is left of them, because
 * that has the fewest bits of its inputs: see {@link MergeSchedule}.
 */
final class Eras {

    /** The most bits of a hash that an entry holds. */
    private static final int MAX_HASH_BITS = Entries.MAX_HASH_BITS;

    /** Era 0 leaves between 2^-4 and 2^-2 of the probability to the eras after it. */
    private static final int MAX_LEFT_EXPONENT = 4;

    private static final int MIN_LEFT_EXPONENT = 2;

    /** An era is made for this many times the entries of all before it. */
    private static final int GROWTH = 8;

    private final double falsePositiveProbability;

    /** For each era, ascending; the last one is {@link #MAX_HASH_BITS}. */
    private final int[] hashBits;

    /** What each era and those before may use together; ascending. */
    private final double[] allowances;

    /**
     * @param entriesPerKeyGroup that are expected
     * @throws IllegalArgumentException if the first era would need more than {@value
     *     #MAX_HASH_BITS} bits
     */
    Eras(double falsePositiveProbability, double entriesPerKeyGroup) {
        this.falsePositiveProbability = falsePositiveProbability;
        int first =
                bitsFor(
                        entriesPerKeyGroup,
                        falsePositiveProbability * (1 - part(MAX_LEFT_EXPONENT)));
        if (first > MAX_HASH_BITS) {
            throw new IllegalArgumentException(
                    "falsePositiveProbability "
                            + falsePositiveProbability
                            + " with a capacity of "
                            + Math.round(entriesPerKeyGroup)
                            + " for each key group (or part of one) needs "
                            + first
                            + " bits of a hash, at most "
                            + MAX_HASH_BITS
                            + " are kept: use a smaller capacity, more key groups, or a greater"
                            + " probability");
        }
        int left = MAX_LEFT_EXPONENT;
        while (left > MIN_LEFT_EXPONENT
                && bitsFor(entriesPerKeyGroup, falsePositiveProbability * (1 - part(left - 1)))
                        == first) {
            left--;
        }
        int[] bits = new int[MAX_HASH_BITS + 1];
        double[] upTo = new double[bits.length];
        bits[0] = first;
        int count = 1;
        double entries = entriesPerKeyGroup;
        while (bits[count - 1] < MAX_HASH_BITS) {
            upTo[count - 1] = falsePositiveProbability * (1 - part(left) / count);
            double share = falsePositiveProbability * part(left) / count / (count + 1);
            bits[count] =
                    Math.min(
                            MAX_HASH_BITS,
                            Math.max(bits[count - 1] + 1, bitsFor(entries * (GROWTH - 1), share)));
            entries *= GROWTH;
            count++;
        }
        upTo[count - 1] = falsePositiveProbability;
        this.hashBits = Arrays.copyOf(bits, count);
        this.allowances = Arrays.copyOf(upTo, count);
    }

    double falsePositiveProbability() {
        return falsePositiveProbability;
    }

    /** Eras that there are, at least 1. */
    int count() {
        return hashBits.length;
    }

    /** Bits of a hash that an era's entries keep, 1 to {@value #MAX_HASH_BITS}. */
    int hashBits(int era) {
        return hashBits[era];
    }

    /** The probability that an era and all before it may use together. */
    double allowance(int era) {
        return allowances[era];
    }

    /** The probability that an era may use by itself. */
    double share(int era) {
        return allowances[era] - (era == 0 ? 0 : allowances[era - 1]);
    }

    /** Entries that an era holds in {@code keyGroups}, if all before it have used their share. */
    long capacity(int era, double keyGroups) {
        return (long) Math.min(share(era) * keyGroups * Math.scalb(1.0, hashBits[era]), 0x1p62);
    }

    /**
     * The era whose entries keep {@code bits}; -1 if there is none, because options have changed.
     */
    int eraOf(int bits) {
        return Math.max(-1, Arrays.binarySearch(hashBits, bits));
    }

    private static double part(int left) {
        return Math.scalb(1.0, -left);
    }

    /** The fewest bits with which {@code entries} of a key group give at most a probability. */
    private static int bitsFor(double entries, double probability) {
        return Math.max(1, (int) Math.ceil(Math.log(entries / probability) / Math.log(2)));
    }
}
