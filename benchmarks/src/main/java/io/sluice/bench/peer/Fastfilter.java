/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import org.fastfilter.utils.Hash;

/** What fastfilter's filters need of us. */
final class Fastfilter {
    private Fastfilter() {}

    /** Its seeds come from one global generator: from here on they are the same in every run. */
    static void fixSeed() {
        Hash.setSeed(1);
    }

    /**
     * Keys for its factories, which size a filter by the keys that they add at once: the same key
     * {@code count} times, so that the filter is as good as empty.
     */
    static long[] placeholders(long count) {
        fixSeed();
        return new long[Math.toIntExact(count)];
    }
}
