/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.element;

import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * A key for each key group: Flink assigns keys to key groups by a hash, but messages are about a
 * key group as a whole. The smallest number that Flink assigns to a key group stands for it, so all
 * elements of a key group and all messages about it have the same key. O(groups log groups) to
 * find.
 */
@Internal
public final class GroupKeys {

    private GroupKeys() {}

    /** Returns the keys of all key groups, by key group. */
    public static Integer[] of(int groups) {
        Integer[] keys = new Integer[groups];
        int found = 0;
        for (int key = 0; found < groups; key++) {
            int group = KeyGroupRangeAssignment.assignToKeyGroup(key, groups);
            if (keys[group] == null) {
                keys[group] = key;
                found++;
            }
        }
        return keys;
    }
}
