/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.annotation.Nullable;

/**
 * The largest of counters whose values come one after the other, each after the earlier ones of its
 * counter. While no value among the largest goes down, no counter that was pushed out can belong to
 * them without another value of its own, so a place for each of the largest is all that is held.
 *
 * <p>Time: O(log n) for each value. Used by one thread.
 */
public final class TopCounters {
    /** The smallest value first; of equal ones that whose key is the greatest. */
    private static final Comparator<StoredCounter> RANK =
            Comparator.comparingLong(StoredCounter::value)
                    .thenComparing(StoredCounter::key, Comparator.reverseOrder());

    private final int most;
    private final TreeSet<StoredCounter> ranked = new TreeSet<>(RANK);
    private final Map<String, StoredCounter> byKey = new HashMap<>();
    private boolean exact = true;

    /**
     * @param most how many, at least 1
     */
    public TopCounters(int most) {
        this.most = most;
    }

    /** Takes the next value of a counter. */
    public void add(StoredCounter counter) {
        StoredCounter before = remove(counter.key());
        if (before != null && counter.value() < before.value()) {
            exact = false;
        }
        if (ranked.size() == most && RANK.compare(counter, ranked.first()) > 0) {
            byKey.remove(ranked.pollFirst().key());
        }
        if (ranked.size() < most) {
            ranked.add(counter);
            byKey.put(counter.key(), counter);
        }
    }

    /** Takes note that a counter was deleted. */
    void delete(String key) {
        if (remove(key) != null) {
            exact = false;
        }
    }

    @Nullable
    private StoredCounter remove(String key) {
        StoredCounter before = byKey.remove(key);
        if (before != null) {
            ranked.remove(before);
        }
        return before;
    }

    /** Returns whether no value among the largest went down, so that these are the largest. */
    boolean isExact() {
        return exact;
    }

    /** Returns the largest, the largest of them first. */
    public List<StoredCounter> largest() {
        return List.copyOf(ranked.descendingSet());
    }
}
