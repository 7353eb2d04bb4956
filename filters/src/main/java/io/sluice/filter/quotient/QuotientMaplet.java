/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.IOException;

/**
 * A quotient filter with values. A hash has one of {@link #fingerprints} fingerprints; a
 * fingerprint is split into a quotient, which gives the place, and a remainder, which is stored
 * with the value below it. So all entries of a fingerprint, with any value, are one stretch of a
 * run. Every key has its own entry: held keys with the same fingerprint are ambiguous unless their
 * values are equal, and each can be removed again.
 *
 * <p>With n keys and m fingerprints an absent key is reported with probability 1 - e^(-n / m),
 * wherever fingerprints are split; a held key is ambiguous if it shares its fingerprint with
 * another value. No held key gets a wrong value or is denied. Splitting them elsewhere ({@link
 * #split}) doubles or halves the table without the keys.
 *
 * <p>Source: the quotient filter as in {@link QuotientFilter}; a filter with values is a
 * <i>maplet</i> in Bender et al., <i>Time to Replace Your Filter: How Maplets Simplify System
 * Design</i> (2024). Not thread-safe.
 */
@Internal
public final class QuotientMaplet implements KeyValueFilter {

    /** Keys divided by quotients at capacity. */
    public static final double LOAD = 0.95;

    /** The most fingerprints: with any of the values, they are numbers below 2^63. */
    public static final long MAX_FINGERPRINTS = 1L << 45;

    /** The most quotients. */
    public static final long MAX_QUOTIENTS = 1L << QuotientSizing.MAX_QUOTIENT_BITS;

    /** The most bits of a value. */
    public static final int MAX_VALUE_BITS = 18;

    /** More gains nothing: the error is one in 10^12. */
    private static final int MAX_REMAINDER_BITS = 40;

    /** The most bits of quotient, remainder and value together. */
    private static final int MAX_BITS = 63;

    private static final int BATCH = 256;

    private final int values;
    private final int valueBits;
    private final int remainderBits;
    private final long fingerprints;
    private final QuotientTable table;
    private long refused;

    /** Takes an entry. */
    @FunctionalInterface
    public interface Visitor {
        void visit(long fingerprint, int value);
    }

    private QuotientMaplet(long fingerprints, int remainderBits, int values, QuotientTable table) {
        this.fingerprints = fingerprints;
        this.remainderBits = remainderBits;
        this.values = values;
        this.valueBits = valueBits(values);
        this.table = table;
    }

    /**
     * An empty maplet on the heap.
     *
     * @param fingerprints from 2 to {@link #MAX_FINGERPRINTS}
     * @param remainderBits of a fingerprint, at least 1; the others are its quotient
     * @param values at least 2, and at most 2^{@value #MAX_VALUE_BITS}
     * @throws IllegalArgumentException if there were fewer than 2 quotients
     */
    public static QuotientMaplet of(long fingerprints, int remainderBits, int values) {
        checkParameters(fingerprints, values);
        return create(fingerprints, remainderBits, values);
    }

    private static QuotientMaplet create(long fingerprints, int remainderBits, int values) {
        QuotientTable table =
                QuotientTable.create(
                        Storage.HEAP,
                        quotients(fingerprints, remainderBits),
                        remainderBits + valueBits(values));
        return new QuotientMaplet(fingerprints, remainderBits, values, table);
    }

    private static void checkParameters(long fingerprints, int values) {
        if (fingerprints < 2 || fingerprints > MAX_FINGERPRINTS) {
            throw new IllegalArgumentException(
                    "fingerprints must be between 2 and 2^45, got " + fingerprints);
        }
        if (values < 2 || values > 1 << MAX_VALUE_BITS) {
            throw new IllegalArgumentException(
                    "values must be between 2 and 2^" + MAX_VALUE_BITS + ", got " + values);
        }
    }

    /**
     * Room for {@code keys} keys, at a load of {@value #LOAD}, with remainders of the given bits.
     */
    public static QuotientMaplet ofRemainders(int keys, int values, int remainderBits) {
        return create(quotientsFor(keys) << remainderBits, remainderBits, values);
    }

    /**
     * As above, with the longest remainders that the memory allows, but no more than 40 bits.
     *
     * @param bitsPerKey upper bound of all memory divided by the keys; padding to cache lines is
     *     not counted
     */
    public static QuotientMaplet ofBitsPerKey(int keys, int values, double bitsPerKey) {
        return ofRemainders(keys, values, remainderBits(keys, values, bitsPerKey));
    }

    private static int valueBits(int values) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(values - 1);
    }

    /** Returns the fewest quotients that have room for some keys. */
    public static long quotientsFor(long keys) {
        return (long) Math.ceil(keys / LOAD);
    }

    private static long quotients(long fingerprints, int remainderBits) {
        return ((fingerprints - 1) >>> remainderBits) + 1;
    }

    private static int remainderBits(int keys, int values, double bitsPerKey) {
        long quotients = quotientsFor(keys);
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

    /** Returns the bytes of a maplet, without what aligns it to the lines of a cache. */
    public static long sizeInBytes(long fingerprints, int remainderBits, int values) {
        return QuotientTable.sizeInBytes(
                quotients(fingerprints, remainderBits), remainderBits + valueBits(values));
    }

    /** Returns how many fingerprints there are to tell hashes apart. */
    public long fingerprints() {
        return fingerprints;
    }

    /** Returns the bits of a fingerprint that are stored. */
    public int remainderBits() {
        return remainderBits;
    }

    /** Returns the keys held. */
    public long size() {
        return table.size();
    }

    /** Returns the most keys that it holds. */
    public long capacity() {
        // Bounded away from rounding: the capacity of the quotients for n keys is n.
        return (long) (LOAD * quotients(fingerprints, remainderBits) + 1e-6);
    }

    /** Returns keys held divided by quotients. */
    public double load() {
        return (double) table.size() / quotients(fingerprints, remainderBits);
    }

    /** Returns the fingerprint of a hash, from 0 on. */
    public long fingerprint(long hash) {
        long mixed = Hashing.mix(hash);
        // Unsigned: the high half of the product is below the number of fingerprints.
        return Math.multiplyHigh(mixed, fingerprints) + ((mixed >> 63) & fingerprints);
    }

    /** Returns what {@link #query} says of all hashes with a fingerprint. */
    public int valueOf(long fingerprint) {
        long found = table.matching(fingerprint << valueBits, valueBits);
        if (found < 0) {
            return found == QuotientTable.NONE ? ABSENT : AMBIGUOUS;
        }
        return (int) found & ((1 << valueBits) - 1);
    }

    /**
     * Adds an entry of a fingerprint.
     *
     * @throws FilterFullException if there is no room; nothing is changed. Below capacity it means
     *     that hashes are not uniform
     */
    public void put(long fingerprint, int value) {
        if (table.size() >= capacity()) {
            throw new FilterFullException("made for " + capacity() + " keys, and holds as many");
        }
        table.insert(fingerprint << valueBits | value);
    }

    /** Replaces the value of an entry of a fingerprint; returns whether there was one. */
    public boolean replace(long fingerprint, int oldValue, int newValue) {
        long entry = fingerprint << valueBits;
        return counted(table.replace(entry | oldValue, entry | newValue));
    }

    /** Takes out an entry of a fingerprint; returns whether there was one. */
    public boolean take(long fingerprint, int value) {
        return counted(table.remove(fingerprint << valueBits | value));
    }

    /** Shows all entries in the order of their fingerprints. Nothing may be changed meanwhile. */
    public void forEach(Visitor visitor) {
        FingerprintCursor cursor = table.cursor(0);
        long[] batch = new long[BATCH];
        for (int n = cursor.next(batch); n > 0; n = cursor.next(batch)) {
            for (int i = 0; i < n; i++) {
                visitor.visit(batch[i] >>> valueBits, (int) batch[i] & ((1 << valueBits) - 1));
            }
        }
    }

    /**
     * Returns a maplet with the same entries, whose fingerprints are split elsewhere: one bit less
     * of remainder doubles the quotients. O(n).
     *
     * @throws FilterFullException if they do not fit
     */
    public QuotientMaplet split(int newRemainderBits) {
        QuotientMaplet other = create(fingerprints, newRemainderBits, values);
        forEach(other::put);
        return other;
    }

    @Override
    public int query(long hash) {
        return valueOf(fingerprint(hash));
    }

    @Override
    public void insert(long hash, int value) {
        put(fingerprint(hash), value);
    }

    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        return replace(fingerprint(hash), oldValue, newValue);
    }

    @Override
    public boolean remove(long hash, int value) {
        return take(fingerprint(hash), value);
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

    /** Returns the bytes that {@link #writeTo} writes. */
    public long payloadBytes() {
        return table.payloadBytes();
    }

    /** Writes the entries as payload. */
    public void writeTo(FilterWriter writer) throws IOException {
        table.writeTo(writer);
    }

    /**
     * Reads what {@link #writeTo} wrote, which is the rest of the payload. Whatever the bytes, each
     * entry is one that could have been put; values may be too great.
     *
     * @param fingerprints as it was written with, as are the others
     * @param size entries
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged, or the
     *     parameters impossible
     */
    public static QuotientMaplet readFrom(
            FilterReader reader, long fingerprints, int remainderBits, int values, long size)
            throws IOException {
        if (fingerprints < 2
                || fingerprints > MAX_FINGERPRINTS
                || values < 2
                || values > 1 << MAX_VALUE_BITS
                || remainderBits < 1
                || remainderBits >= Long.SIZE
                || quotients(fingerprints, remainderBits) < 2
                || quotients(fingerprints, remainderBits) > MAX_QUOTIENTS) {
            throw reader.corrupt("impossible parameters of a maplet");
        }
        QuotientTable table =
                QuotientTable.readFrom(
                        reader,
                        quotients(fingerprints, remainderBits),
                        remainderBits + valueBits(values),
                        size);
        QuotientMaplet maplet = new QuotientMaplet(fingerprints, remainderBits, values, table);
        long[] last = {-1};
        maplet.forEach((fingerprint, value) -> last[0] = fingerprint);
        if (size > maplet.capacity() || last[0] >= fingerprints) {
            throw reader.corrupt(size + " entries, the last with fingerprint " + last[0]);
        }
        return maplet;
    }
}
