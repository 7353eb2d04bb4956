/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.LevelFileInfo;
import java.util.List;

/**
 * A level file, and how many things still need it: versions of the filter, and the manifest that is
 * durable. When nothing does, it is closed and deleted.
 *
 * <p>Guarded by the {@link Catalog}, except for final and volatile fields.
 */
final class StoredFile {

    private final LevelFileInfo info;
    private final LevelFile file;
    private final KeyGroupCounts counts;
    private int pins;

    /** See {@link #mergedFrom()}. */
    private volatile List<MergedFrom> mergedFrom = List.of();

    /** See {@link #isNamed()}. */
    private volatile boolean named = true;

    StoredFile(LevelFileInfo info, LevelFile file, KeyGroupCounts counts) {
        this.info = info;
        this.file = file;
        this.counts = counts;
    }

    LevelFileInfo info() {
        return info;
    }

    LevelFile file() {
        return file;
    }

    /** Its entries in the filter's key groups. */
    KeyGroupCounts counts() {
        return counts;
    }

    /**
     * The files that a snapshot may name in its place, newest first; empty if there are none. Any
     * thread may ask.
     */
    List<MergedFrom> mergedFrom() {
        return mergedFrom;
    }

    void setMergedFrom(List<MergedFrom> inputs) {
        mergedFrom = List.copyOf(inputs);
    }

    /**
     * Whether a snapshot that is stored has named the file, or none is: files that none has named
     * are merged only with each other, because the result has to be stored as a whole. Any thread
     * may ask.
     */
    boolean isNamed() {
        return named;
    }

    void setNamed(boolean isNamed) {
        named = isNamed;
    }

    void pin() {
        pins++;
    }

    /** Returns whether nothing needs it any more. */
    boolean unpin() {
        return --pins == 0;
    }
}
