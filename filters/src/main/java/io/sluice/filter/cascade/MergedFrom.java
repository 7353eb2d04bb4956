/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFileInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A file section that became part of a merged file, and what it was merged from itself. A snapshot
 * may name such files in place of the merged one: they have the same entries, and may be stored
 * already.
 *
 * <p>Immutable.
 *
 * @param info of the file, which may be deleted by now
 * @param keyGroups the section
 * @param inputs newest first; empty if it was not merged, or from too many
 */
record MergedFrom(LevelFileInfo info, KeyGroups keyGroups, List<MergedFrom> inputs) {

    /** The most files of a snapshot if they are small: more cost a restore too much. */
    static final int MOST_SMALL_FILES = 64;

    /** The most files of a snapshot if they are large: until they are merged, lookups ask all. */
    private static final int MOST_FILES = 256;

    /** From this size on average, files are large: opening them costs less than reading them. */
    private static final long LARGE_BYTES = 8 << 20;

    /**
     * Files may stand in for a merged one that has at most one in this many entries less than the
     * whole files: what a merge drops takes room and a part of the probability again after a
     * restore, and whoever holds a section of a file has to download all of it.
     */
    private static final int DROPPED_PART = 64;

    MergedFrom {
        inputs = List.copyOf(inputs);
    }

    /**
     * Remembers what a merge has joined; empty if that is more than a snapshot would name, or if it
     * was not joined into one file.
     */
    static List<MergedFrom> inputsOf(Merge merge) {
        if (merge.parts().size() > 1) {
            return List.of();
        }
        List<MergedFrom> inputs = merge.inputs().stream().map(MergedFrom::of).toList();
        long bytes = inputs.stream().mapToLong(input -> input.info.sizeBytes()).sum();
        return files(inputs) <= mostFiles(bytes) ? inputs : List.of();
    }

    /** Returns the most files that a snapshot names, if all of it has this size. */
    static int mostFiles(long bytes) {
        return (int) Math.min(MOST_FILES, Math.max(MOST_SMALL_FILES, bytes / LARGE_BYTES));
    }

    private static MergedFrom of(FileSection section) {
        return new MergedFrom(section.info(), section.keyGroups(), section.stored().mergedFrom());
    }

    private static int files(List<MergedFrom> all) {
        return all.stream().mapToInt(each -> each.inputs.isEmpty() ? 1 : files(each.inputs)).sum();
    }

    /**
     * Returns sections of stored files with the entries of a section, newest first; empty if there
     * are none, or the files have notably more entries.
     *
     * @param isStored whether a file of this name is stored
     */
    static List<Manifest.Listed> standIns(FileSection section, Predicate<String> isStored) {
        List<MergedFrom> found = new ArrayList<>();
        for (MergedFrom input : section.stored().mergedFrom()) {
            if (!input.addStored(isStored, found)) {
                return List.of();
            }
        }
        long entries = found.stream().mapToLong(each -> each.info.entries()).sum();
        if (entries > section.entries() + section.entries() / DROPPED_PART) {
            return List.of();
        }
        // The time bucket of the merged file: it may have changed since.
        return found.stream()
                .map(each -> new Manifest.Listed(each.info, each.keyGroups, section.bucketEnd()))
                .toList();
    }

    /** Adds stored files with all entries of this one; false if there are none. */
    private boolean addStored(Predicate<String> isStored, List<MergedFrom> to) {
        if (isStored.test(info.name())) {
            to.add(this);
            return true;
        }
        for (MergedFrom input : inputs) {
            if (!input.addStored(isStored, to)) {
                return false;
            }
        }
        return !inputs.isEmpty();
    }
}
