/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.quotient.QuotientTable;

/**
 * A quotient filter with values: a hash is split into a quotient, which gives the place, and a
 * remainder, which is stored with the value below it. So all entries of a hash, with any value, are
 * one stretch of a run. Every key has its own entry: held keys with the same quotient and remainder
 * are ambiguous unless their values are equal, and each can be removed again.
 *
 * <p>With n keys in m quotients and remainders of r bits an absent key is reported with probability
 * 1 - e^(-n / (m 2^r)), like in a quotient filter with these remainders; a held key is ambiguous if
 * it shares quotient and remainder with another value. No held key gets a wrong value or is denied.
 */
final class QuotientMaplet implements KeyValueFilter {

    static final double LOAD = 0.95;

    /** More gains nothing: the error is one in 10^12. */
    private static final int MAX_REMAINDER_BITS = 40;

    /** The most bits of quotient, remainder and value together. */
    private static final int MAX_BITS = 63;

    private final int keys;
    private final int values;
    private final int valueBits;
    private final int remainderBits;
    private final long remainderMask;
    private final long quotients;
    private final QuotientTable table;
    private long refused;

    private QuotientMaplet(int keys, int values, int remainderBits) {
        this.keys = keys;
        this.values = values;
        this.remainderBits = remainderBits;
        valueBits = valueBits(values);
        remainderMask = (1L << remainderBits) - 1;
        quotients = quotients(keys);
        table = QuotientTable.create(Storage.HEAP, quotients, remainderBits + valueBits);
    }

    /**
     * Room for {@code keys} keys, at a load of {@value #LOAD}, with remainders of the given bits.
     */
    static QuotientMaplet ofRemainders(int keys, int values, int remainderBits) {
        return new QuotientMaplet(keys, values, remainderBits);
    }

    /**
     * As above, with the longest remainders that the memory allows, but no more than {@value
     * #MAX_REMAINDER_BITS} bits.
     *
     * @param bitsPerKey upper bound of all memory divided by the keys; padding to cache lines is
     *     not counted
     */
    static QuotientMaplet ofBitsPerKey(int keys, int values, double bitsPerKey) {
        return new QuotientMaplet(keys, values, remainderBits(keys, values, bitsPerKey));
    }

    private static int valueBits(int values) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(values - 1);
    }

    private static long quotients(int keys) {
        return (long) Math.ceil(keys / LOAD);
    }

    private static int remainderBits(int keys, int values, double bitsPerKey) {
        long quotients = quotients(keys);
        int quotientBits = Long.SIZE - Long.numberOfLeadingZeros(quotients - 1);
        int bits = Math.min(MAX_REMAINDER_BITS, MAX_BITS - quotientBits - valueBits(values));
        while (bits > 0
                && 8.0 * QuotientTable.sizeInBytes(quotients, bits + valueBits(values))
                        > bitsPerKey * keys) {
            bits--;
        }
        if (bits == 0) {
            throw new IllegalArgumentException(
                    "bitsPerKey must leave a remainder of at least a bit beside "
                            + values
                            + " values, got "
                            + bitsPerKey);
        }
        return bits;
    }

    int remainderBits() {
        return remainderBits;
    }

    /** Keys held divided by quotients. */
    double load() {
        return (double) table.size() / quotients;
    }

    /** The entry of a hash with value 0: the quotient of its high bits, and its lowest ones. */
    private long entry(long hash) {
        // Unsigned: the high half of the product is below the number of quotients.
        long quotient = Math.multiplyHigh(hash, quotients) + (hash >> 63 & quotients);
        return (quotient << remainderBits | (hash & remainderMask)) << valueBits;
    }

    @Override
    public int query(long hash) {
        long found = table.matching(entry(hash), valueBits);
        return found < 0
                ? found == QuotientTable.NONE ? ABSENT : AMBIGUOUS
                : (int) found & (1 << valueBits) - 1;
    }

    @Override
    public void insert(long hash, int value) {
        if (table.size() >= keys) {
            throw new FilterFullException("made for " + keys + " keys, and holds as many");
        }
        table.insert(entry(hash) | value);
    }

    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        long entry = entry(hash);
        return counted(table.replace(entry | oldValue, entry | newValue));
    }

    @Override
    public boolean remove(long hash, int value) {
        return counted(table.remove(entry(hash) | value));
    }

    private boolean counted(boolean done) {
        refused += done ? 0 : 1;
        return done;
    }

    @Override
    public int values() {
        return values;
    }

    @Override
    public long refused() {
        return refused;
    }

    @Override
    public long sizeInBytes() {
        return table.sizeInBytes();
    }
}
