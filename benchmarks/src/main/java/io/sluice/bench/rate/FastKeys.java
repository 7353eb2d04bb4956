/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** Keys in an array, as fastfilter's factories want them. */
final class FastKeys {
    private FastKeys() {}

    static long[] first(long count) {
        long[] keys = new long[Math.toIntExact(count)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Keys.key(i);
        }
        return keys;
    }
}
