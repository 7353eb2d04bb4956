/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * A map from 64-bit hashes to small values that forgets the keys: it may give a value to a hash
 * that it was never given (false positive), may not know which of several values a hash has, and
 * otherwise answers right. Not thread-safe.
 *
 * <p>Answers are plain numbers, so that nothing is allocated: a value, or one of two negative ones.
 */
public interface KeyValueFilter {

    /** {@link #query}: the hash was certainly not inserted. */
    int ABSENT = -1;

    /** {@link #query}: the hash may be there, with a value that cannot be told. */
    int AMBIGUOUS = -2;

    /** The value of {@code hash}, or {@link #ABSENT}, or {@link #AMBIGUOUS}. Changes nothing. */
    int query(long hash);

    /**
     * Gives {@code hash}, which must not be there yet, a value. Callers who do not know ask {@link
     * #query} first.
     *
     * @param value at least 0 and less than {@link #values}
     * @throws FilterFullException if there is no room; the filter is unchanged
     */
    void insert(long hash, int value);

    /**
     * Changes the value of {@code hash} from {@code oldValue}, which the caller knows to be the
     * present one. Refused, counted and without effect if it certainly is not.
     *
     * @return whether it was done
     */
    boolean update(long hash, int oldValue, int newValue);

    /**
     * Takes out {@code hash}, whose value the caller knows to be {@code value}. Refused, counted
     * and without effect if it certainly is not.
     *
     * @return whether it was done
     */
    boolean delete(long hash, int value);

    /** Number of values: they are 0 to {@code values() - 1}. */
    int values();

    /** Updates and deletions that were refused. */
    long refused();

    /** Bytes occupied, on heap and off heap, metadata included. */
    long sizeInBytes();
}
