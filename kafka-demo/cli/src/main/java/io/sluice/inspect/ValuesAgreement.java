/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether the values of keys are equal in two checkpoints: totals of counters, states of machines.
 *
 * @param equal keys that both have, with the same value
 * @param different keys that both have, with two values
 * @param onlyA keys that only the first has
 * @param onlyB keys that only the second has
 * @param keyGroups those in which something differs
 * @param differing the first keys that differ, by key group and key
 * @param <V> type of the values
 */
@Internal
public record ValuesAgreement<V>(
        long equal,
        long different,
        long onlyA,
        long onlyB,
        List<KeyGroup> keyGroups,
        List<Difference<V>> differing) {

    public ValuesAgreement {
        keyGroups = List.copyOf(keyGroups);
        differing = List.copyOf(differing);
    }

    /** The keys of a key group. */
    public record KeyGroup(int keyGroup, long equal, long different, long onlyA, long onlyB) {}

    /**
     * A key that differs.
     *
     * @param a its value in the first checkpoint; null if it is not there
     * @param b the same in the second
     * @param <V> type of the values
     */
    public record Difference<V>(int keyGroup, String key, @Nullable V a, @Nullable V b) {}

    /** Whether all values are equal. */
    public boolean agrees() {
        return keyGroups.isEmpty();
    }

    /** Adds up key groups. Not thread-safe. */
    static final class Sum<V> {
        private final int maxListed;
        private final List<KeyGroup> keyGroups = new ArrayList<>();
        private final List<Difference<V>> differing = new ArrayList<>();
        private long equal;
        private long different;
        private long onlyA;
        private long onlyB;

        /**
         * @param maxListed the most keys that are listed one by one
         */
        Sum(int maxListed) {
            this.maxListed = maxListed;
        }

        /** Compares a key group: O(n log n) in its keys. */
        void add(int keyGroup, Map<String, V> a, Map<String, V> b) {
            long[] counts = new long[4];
            Map<String, V> rest = new TreeMap<>(b);
            new TreeMap<>(a)
                    .forEach(
                            (key, value) -> {
                                V other = rest.remove(key);
                                if (value.equals(other)) {
                                    counts[0]++;
                                } else {
                                    counts[other == null ? 2 : 1]++;
                                    list(new Difference<>(keyGroup, key, value, other));
                                }
                            });
            counts[3] = rest.size();
            rest.forEach((key, value) -> list(new Difference<>(keyGroup, key, null, value)));
            equal += counts[0];
            different += counts[1];
            onlyA += counts[2];
            onlyB += counts[3];
            if (counts[1] + counts[2] + counts[3] > 0) {
                keyGroups.add(new KeyGroup(keyGroup, counts[0], counts[1], counts[2], counts[3]));
            }
        }

        private void list(Difference<V> difference) {
            if (differing.size() < maxListed) {
                differing.add(difference);
            }
        }

        ValuesAgreement<V> result() {
            return new ValuesAgreement<>(equal, different, onlyA, onlyB, keyGroups, differing);
        }
    }
}
