/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFileInfo;

/**
 * The part of a level file that belongs to a filter: all of it, or, after it was restored with
 * other key groups, a range. Nothing else of the file is ever looked at.
 *
 * @param keyGroups which part
 * @param bucketEnd end of the time bucket of its entries
 */
record FileSection(StoredFile stored, KeyGroups keyGroups, long bucketEnd) {

    LevelFileInfo info() {
        return stored.info();
    }

    int hashBits() {
        return stored.info().hashBits();
    }

    /** Whether merges may join it with a neighbour now. */
    boolean joins(FileSection other) {
        return isAlike(other) && stored.isNamed() == other.stored.isNamed();
    }

    /** Whether merges may join it with a neighbour once snapshots have named both. */
    boolean isAlike(FileSection other) {
        return bucketEnd == other.bucketEnd && hashBits() == other.hashBits();
    }

    /**
     * Entries, tombstones included: exact for a whole file; otherwise estimated as if all key
     * groups had equally many.
     */
    long entries() {
        return share(info().entries());
    }

    /** How many of the entries are tombstones, with the same accuracy. */
    long tombstones() {
        return share(info().tombstones());
    }

    private long share(long all) {
        LevelFileInfo info = info();
        int first = Entries.keyGroup(info.firstEntry());
        int end = Entries.keyGroup(info.lastEntry()) + 1;
        int in = Math.min(end, keyGroups.end()) - Math.max(first, keyGroups.first());
        if (in <= 0) {
            return 0;
        }
        return in == end - first ? all : (long) Math.ceil((double) all * in / (end - first));
    }
}
