/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import io.sluice.filter.Seeds;
import java.util.HashSet;
import java.util.Set;

/**
 * Maps a record's number to its id: a third are duplicates, some of a recent record, some of any
 * record.
 */
final class Ids {
    private static final int NEAR = 500;

    private Ids() {}

    static long at(long record) {
        long number = record;
        while (number % 3 == 2) {
            long distance = Math.floorMod(mix(number), number % 2 == 0 ? number : NEAR);
            number = Math.max(0, number - 1 - distance);
        }
        return mix(number);
    }

    static Set<Long> distinct(long records) {
        Set<Long> ids = new HashSet<>();
        for (long record = 0; record < records; record++) {
            ids.add(at(record));
        }
        return ids;
    }

    /** The finalizer of SplitMix64: different numbers give different ids. */
    private static long mix(long number) {
        long z = number + Seeds.seed(0);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
