/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.memory.Storage;
import java.util.Objects;

/**
 * Sizes and makes {@link QuotientFilter}s: either {@link #sized} by capacity and probability, or by
 * {@link #bits}, which filters that will be merged have to agree on.
 */
public final class QuotientFilterBuilder {

    private long capacity;
    private double fpp;
    private long largest;
    private int quotientBits;
    private int remainderBits;
    private boolean growing;
    private double maxLoad = QuotientSizing.DEFAULT_MAX_LOAD;
    private Storage storage = Storage.HEAP;

    QuotientFilterBuilder() {}

    /**
     * Makes room for {@code keys} keys, with at most this probability once they are there. The
     * number of quotients is the next power of two that suffices.
     */
    public QuotientFilterBuilder sized(long keys, double probability) {
        capacity = keys;
        fpp = probability;
        quotientBits = 0;
        return this;
    }

    /** Sets how many bits of a fingerprint choose the slot, and how many are stored. */
    public QuotientFilterBuilder bits(int quotient, int remainder) {
        quotientBits = quotient;
        remainderBits = remainder;
        capacity = 0;
        return this;
    }

    /**
     * Makes the filter grow when it is full: it doubles its quotients, at the cost of a bit of
     * every remainder, as long as remainders have two bits. An insertion that makes it grow copies
     * everything. Default: does not grow.
     */
    public QuotientFilterBuilder growing() {
        growing = true;
        return this;
    }

    /**
     * As {@link #growing()}; the probability given to {@link #sized} holds for {@code keys} keys:
     * fingerprints are long enough for them from the beginning.
     */
    public QuotientFilterBuilder growingTo(long keys) {
        largest = keys;
        growing = true;
        return this;
    }

    /**
     * The load at which the filter is full, in [1/64, 1]. Default 0.95; beyond that, changes are
     * slow.
     */
    public QuotientFilterBuilder maxLoad(double load) {
        maxLoad = load;
        return this;
    }

    /** Default {@link Storage#HEAP}. */
    public QuotientFilterBuilder storage(Storage where) {
        storage = Objects.requireNonNull(where, "where");
        return this;
    }

    /** Makes an empty filter. */
    public QuotientFilter build() {
        int[] bits = chosenBits();
        return new QuotientFilter(
                BlockTable.empty(Blocks.allocate(storage, bits[0], bits[1])), 0, maxLoad, growing);
    }

    /**
     * Makes a filter of fingerprints in ascending order, in one pass. They must have as many bits
     * as the filter's fingerprints.
     *
     * @throws io.sluice.filter.FilterFullException if they do not fit: size it for all of them
     */
    public QuotientFilter build(FingerprintCursor ascending) {
        int[] bits = chosenBits();
        if (ascending.fingerprintBits() != bits[0] + bits[1]) {
            throw new IllegalArgumentException(
                    "ascending must have fingerprints of "
                            + bits[0]
                            + " + "
                            + bits[1]
                            + " bits, got "
                            + ascending.fingerprintBits());
        }
        return QuotientMerge.append(
                ascending, Blocks.allocate(storage, bits[0], bits[1]), maxLoad, growing);
    }

    /** Quotient bits and remainder bits, checked. */
    private int[] chosenBits() {
        QuotientSizing.checkLoad(maxLoad);
        if (capacity == 0 && quotientBits == 0) {
            throw new IllegalArgumentException(
                    "sized(keys >= 1, probability) or bits(quotient >= 1, remainder >= 1) is"
                            + " needed");
        }
        int quotient = quotientBits;
        int remainder = remainderBits;
        if (quotient == 0) {
            if (largest != 0 && largest < capacity) {
                throw new IllegalArgumentException(
                        "growingTo must be at least the capacity " + capacity + ", got " + largest);
            }
            quotient = QuotientSizing.quotientBits(capacity, maxLoad);
            long keys = Math.max(capacity, largest);
            int most = QuotientSizing.quotientBits(keys, maxLoad);
            // A remainder has at least one bit, even after growing.
            int fingerprint = Math.max(most + 1, QuotientSizing.fingerprintBits(keys, fpp));
            remainder = fingerprint - quotient;
        }
        QuotientSizing.checkQuotientBits(quotient);
        QuotientSizing.checkRemainderBits(quotient, remainder);
        return new int[] {quotient, remainder};
    }
}
