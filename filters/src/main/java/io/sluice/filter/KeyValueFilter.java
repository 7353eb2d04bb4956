/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * A map from 64-bit hashes to small values that forgets the keys: it may give a value to a hash
 * that it never saw (false positive), may not know which of several values a hash has, and
 * otherwise answers correctly. Not thread-safe.
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
     * Gives {@code hash}, which must not be present, a value. Callers that do not know call {@link
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
     * Removes {@code hash}, whose value the caller knows to be {@code value}. Refused, counted and
     * without effect if it certainly is not.
     *
     * @return whether it was done
     */
    boolean remove(long hash, int value);

    /**
     * {@link #query} for {@code length} hashes. An implementation may make this faster than single
     * calls.
     *
     * @param answers gets them, at the indices of the hashes
     * @return how many are not {@link #ABSENT}
     */
    default int queryAll(long[] hashes, int from, int length, int[] answers) {
        int found = 0;
        for (int i = from; i < from + length; i++) {
            answers[i] = query(hashes[i]);
            found += answers[i] == ABSENT ? 0 : 1;
        }
        return found;
    }

    /**
     * {@link #update} for {@code length} hashes, in order: each sees the ones before it. An
     * implementation may make this faster than single calls.
     *
     * @param oldValues at the indices of the hashes, like {@code newValues}
     * @param done gets whether each was done, at the indices of the hashes
     * @return how many were done
     */
    default int updateAll(
            long[] hashes, int[] oldValues, int[] newValues, int from, int length, boolean[] done) {
        int count = 0;
        for (int i = from; i < from + length; i++) {
            done[i] = update(hashes[i], oldValues[i], newValues[i]);
            count += done[i] ? 1 : 0;
        }
        return count;
    }

    /** Number of values: they are 0 to {@code values() - 1}. */
    int values();

    /** Updates and removals that were refused. */
    long refused();

    /** Bytes occupied, on heap and off heap, metadata included. */
    long sizeInBytes();
}
