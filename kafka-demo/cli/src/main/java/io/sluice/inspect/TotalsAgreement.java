/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether the totals of counters are equal in two checkpoints. Exact.
 *
 * @param equal counters that both have, with the same total
 * @param different counters that both have, with two totals
 * @param onlyA counters that only the first has
 * @param onlyB counters that only the second has
 * @param keyGroups those in which something differs
 * @param counters the first counters that differ, by key group and key
 */
@Internal
public record TotalsAgreement(
        long equal,
        long different,
        long onlyA,
        long onlyB,
        List<KeyGroup> keyGroups,
        List<Counter> counters) {

    public TotalsAgreement {
        keyGroups = List.copyOf(keyGroups);
        counters = List.copyOf(counters);
    }

    /** The counters of a key group. */
    public record KeyGroup(int keyGroup, long equal, long different, long onlyA, long onlyB) {}

    /**
     * A counter that differs.
     *
     * @param a its total in the first checkpoint; null if it is not there
     * @param b the same in the second
     */
    public record Counter(int keyGroup, String counter, @Nullable Long a, @Nullable Long b) {}

    /** Whether all totals are equal. */
    public boolean agrees() {
        return keyGroups.isEmpty();
    }

    /** Adds up key groups. Not thread-safe. */
    static final class Sum {
        private final int maxListed;
        private final List<KeyGroup> keyGroups = new ArrayList<>();
        private final List<Counter> counters = new ArrayList<>();
        private long equal;
        private long different;
        private long onlyA;
        private long onlyB;

        /**
         * @param maxListed the most counters that are listed one by one
         */
        Sum(int maxListed) {
            this.maxListed = maxListed;
        }

        /** Compares a key group: O(n log n) in its counters. */
        void add(int keyGroup, Map<String, Long> a, Map<String, Long> b) {
            long[] counts = new long[4];
            Map<String, Long> rest = new TreeMap<>(b);
            new TreeMap<>(a)
                    .forEach(
                            (counter, total) -> {
                                Long other = rest.remove(counter);
                                if (total.equals(other)) {
                                    counts[0]++;
                                } else {
                                    counts[other == null ? 2 : 1]++;
                                    list(new Counter(keyGroup, counter, total, other));
                                }
                            });
            counts[3] = rest.size();
            rest.forEach((counter, total) -> list(new Counter(keyGroup, counter, null, total)));
            equal += counts[0];
            different += counts[1];
            onlyA += counts[2];
            onlyB += counts[3];
            if (counts[1] + counts[2] + counts[3] > 0) {
                keyGroups.add(new KeyGroup(keyGroup, counts[0], counts[1], counts[2], counts[3]));
            }
        }

        private void list(Counter counter) {
            if (counters.size() < maxListed) {
                counters.add(counter);
            }
        }

        TotalsAgreement result() {
            return new TotalsAgreement(equal, different, onlyA, onlyB, keyGroups, counters);
        }
    }
}
