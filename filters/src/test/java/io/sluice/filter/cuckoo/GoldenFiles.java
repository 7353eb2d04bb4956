/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.util.List;
import java.util.Map;

/** What is in the golden files. */
final class GoldenFiles {

    static final int IDS = 700;

    /** Different layouts: a bucket is a word, straddles words, has its fingerprints in two. */
    static final Map<String, CuckooShape> SHAPES =
            Map.of(
                    "v2-word.bin", new CuckooShape(12, 4, 200),
                    "v2-packed.bin", new CuckooShape(16, 8, 190),
                    "v2-wide.bin", new CuckooShape(23, 3, 188));

    /**
     * The other widths: a filter for each, one after the other in one file. The narrowest and the
     * widest fingerprints and counters; fingerprints that are compared in one word and in two;
     * buckets that divide a word, are one, two or four, and that straddle words.
     */
    static final String SHAPES_NAME = "v2-shapes.bin";

    static final List<CuckooShape> OTHER_SHAPES =
            List.of(
                    new CuckooShape(4, 2, 14),
                    new CuckooShape(4, 4, 14),
                    new CuckooShape(4, 32, 14),
                    new CuckooShape(8, 8, 14),
                    new CuckooShape(13, 6, 14),
                    new CuckooShape(16, 16, 14),
                    new CuckooShape(17, 15, 14),
                    new CuckooShape(32, 2, 14),
                    new CuckooShape(32, 32, 14),
                    new CuckooShape(12, 4, 2));

    private GoldenFiles() {}

    /** Ids of one of {@link #OTHER_SHAPES}: three quarters of its slots. */
    static int ids(CuckooShape shape) {
        return (int) (shape.slots() * 3 / 4);
    }

    /** Copies of id number {@code id}: some saturate, some are inserted in a slot of their own. */
    static int copies(int id) {
        return 1 + id % 10;
    }

    static CountingCuckooFilter filter(CuckooShape shape, int ids) {
        CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
        for (int id = 0; id < ids; id++) {
            if (id % 2 == 0) {
                filter.insertSeparately(Hashing.hash((long) id), copies(id));
            } else {
                filter.insert(Hashing.hash((long) id), copies(id));
            }
        }
        return filter;
    }
}
