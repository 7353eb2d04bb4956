/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a membership state says of itself.
 *
 * @param name of the state
 * @param keys what is hashed of a key, and what wrote it
 * @param hashBits the fewest bits that a level file keeps of a hash
 * @param hashIds algorithms of the hashes; one, unless something is wrong
 * @param partsOfKeyGroup into how many parts key groups are divided, of those that have entries
 * @param expired for each key group, the end of the last bucket that has expired; the least long if
 *     none can have
 */
record FlagsFacts(
        String name,
        double falsePositiveProbability,
        long timeToLiveMillis,
        String namespaceScheme,
        String keys,
        int hashBits,
        NavigableSet<Integer> hashIds,
        NavigableSet<Integer> partsOfKeyGroup,
        NavigableMap<Integer, Long> expired) {

    FlagsFacts {
        hashIds = new TreeSet<>(hashIds);
        partsOfKeyGroup = new TreeSet<>(partsOfKeyGroup);
        expired = new TreeMap<>(expired);
    }

    /** Returns the key groups of all subtasks. */
    Set<Integer> keyGroups() {
        return expired.keySet();
    }

    /** Returns whether what was marked until then has expired, by the clock of the key group. */
    boolean hasExpired(int keyGroup, long bucketEnd) {
        Long until = expired.get(keyGroup);
        return until != null && until != Long.MIN_VALUE && bucketEnd <= until;
    }
}
