/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;

/** What is in the golden files. */
final class GoldenFiles {

    static final CuckooShape SHAPE = new CuckooShape(12, 8, 100);

    /** Short fingerprints in few buckets, so that some elements share a slot. */
    static final CuckooShape MERGED_SHAPE = new CuckooShape(6, 16, 100);

    static final long SEED = 20_261_122;

    private GoldenFiles() {}

    static String name(Collisions collisions) {
        return collisions == Collisions.SEPARATE ? "v2-digest.bin" : "v2-merged-digest.bin";
    }

    static CuckooShape shape(Collisions collisions) {
        return collisions == Collisions.SEPARATE ? SHAPE : MERGED_SHAPE;
    }

    static RootSet set() {
        return visitor -> {
            for (long id = 0; id < 350; id++) {
                visitor.element(Hashing.hash(id), 1 + id);
            }
        };
    }

    static MultisetDigest digest(Collisions collisions) {
        return MultisetDigest.of(set(), shape(collisions), collisions, SEED);
    }
}
