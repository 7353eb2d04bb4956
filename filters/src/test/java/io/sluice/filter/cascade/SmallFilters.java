/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.Seeds;

/** Filters whose buffers are soon full, and what to fill them with. */
final class SmallFilters {
    private SmallFilters() {}

    static CascadeOptionsBuilder small() {
        return CascadeOptions.builder()
                .capacity(100_000)
                .bufferBytes(1 << 14)
                .pageCacheBytes(1 << 22);
    }

    static long[] hashes(int count) {
        return Seeds.random().longs(count).toArray();
    }
}
