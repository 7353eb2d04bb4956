/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.List;

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

    /**
     * Divides this into ranges of about equal size, ascending: at least one, and at most {@code
     * most}.
     */
    List<KeyGroups> split(long most) {
        int ranges = (int) Math.max(1, Math.min(most, count()));
        List<KeyGroups> split = new ArrayList<>(ranges);
        int begin = first;
        for (int i = 1; i <= ranges; i++) {
            int next = first + (int) ((long) count() * i / ranges);
            split.add(new KeyGroups(begin, next));
            begin = next;
        }
        return split;
    }

    @Override
    public String toString() {
        return first + " to " + (end - 1);
    }
}
