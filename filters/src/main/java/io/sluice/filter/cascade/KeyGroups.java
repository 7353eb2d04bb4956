/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * A range of key groups, half-open.
 *
 * @param first from 0 to 32,767
 * @param end greater than {@code first}, at most 32,768
 */
record KeyGroups(int first, int end) {

    static KeyGroups of(int first, int count) {
        return new KeyGroups(first, first + count);
    }

    int count() {
        return end - first;
    }

    boolean contains(int keyGroup) {
        return keyGroup >= first && keyGroup < end;
    }

    boolean overlaps(KeyGroups other) {
        return first < other.end && other.first < end;
    }

    /** The intersection; they must overlap. */
    KeyGroups and(KeyGroups other) {
        return new KeyGroups(Math.max(first, other.first), Math.min(end, other.end));
    }

    @Override
    public String toString() {
        return first + " to " + (end - 1);
    }
}
