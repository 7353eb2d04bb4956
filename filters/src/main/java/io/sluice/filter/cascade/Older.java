/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * The owner's view of everything older than the active buffer: a version, laid out for lookups. The
 * newest that has an entry or its tombstone decides.
 *
 * <p>Files are asked in two steps. First memory: what indexes and summaries know of all files,
 * without waiting for one before the next is asked, as a bit for each file that may have the entry.
 * Then those files, newest first.
 *
 * <p>The owner's.
 */
final class Older {

    /** Files of a word of candidates. */
    private static final int GROUP = Long.SIZE;

    private final KeyGroups keyGroups;

    private EntryBuffer[] frozen = {};
    private LevelFile[] files = {};
    private int groups;

    /** Whether a file has a summary. */
    private boolean hasSummaries;

    /** For each key group, and each group of files: those whose slice has it. Null if all have. */
    private long[] slices;

    Older(KeyGroups keyGroups) {
        this.keyGroups = keyGroups;
    }

    /** Looks at another version from now on. */
    void use(Version version) {
        frozen = version.frozen().stream().map(FrozenBuffer::buffer).toArray(EntryBuffer[]::new);
        files = version.files().stream().map(f -> f.stored().file()).toArray(LevelFile[]::new);
        hasSummaries = Arrays.stream(files).anyMatch(file -> file.summary() != null);
        groups = (files.length + GROUP - 1) / GROUP;
        slices = slices(version.files());
    }

    private long[] slices(List<FileSlice> of) {
        if (of.stream().allMatch(file -> file.keyGroups().equals(keyGroups))) {
            return null;
        }
        long[] masks = new long[keyGroups.count() * groups];
        for (int i = 0; i < of.size(); i++) {
            KeyGroups slice = of.get(i).keyGroups();
            for (int keyGroup = slice.first(); keyGroup < slice.end(); keyGroup++) {
                masks[(keyGroup - keyGroups.first()) * groups + i / GROUP] |= 1L << i;
            }
        }
        return masks;
    }

    boolean isEmpty() {
        return files.length + frozen.length == 0;
    }

    /** Whether memory alone says at a glance that an entry is absent: no frozen buffer is asked. */
    boolean isCertainlyAbsent(int keyGroup, long entry) {
        if (frozen.length > 0) {
            return false;
        }
        long any = 0;
        for (int group = 0; group < groups; group++) {
            any |= candidates(group, keyGroup, entry);
        }
        return any == 0;
    }

    /** Files of a group that may have an entry: bit i for the i-th. */
    private long candidates(int group, int keyGroup, long entry) {
        int first = group * GROUP;
        int end = Math.min(files.length, first + GROUP);
        long found = 0;
        for (int i = first; i < end; i++) {
            found |= (files[i].mightFind(entry) ? 1L : 0L) << i;
        }
        return slices == null
                ? found
                : found & slices[(keyGroup - keyGroups.first()) * groups + group];
    }

    /**
     * What memory says of many entries: file by file, not entry by entry, so that the processor
     * waits for the memory of several entries at once.
     *
     * @param might gets whether older data may hold the entry
     * @return false if memory says nothing: all have to be asked for, {@code might} is not set
     */
    boolean markCandidates(long[] entries, int count, boolean[] might) {
        if (frozen.length > 0 || !hasSummaries) {
            return false;
        }
        Arrays.fill(might, 0, count, false);
        for (int file = 0; file < files.length; file++) {
            LevelFile of = files[file];
            if (slices == null) {
                for (int i = 0; i < count; i++) {
                    might[i] |= of.mightFind(entries[i]);
                }
            } else {
                for (int i = 0; i < count; i++) {
                    might[i] |= isCandidate(file, Entries.keyGroup(entries[i]), entries[i]);
                }
            }
        }
        return true;
    }

    /** Whether a file has to be asked for an entry. */
    boolean isCandidate(int file, int keyGroup, long entry) {
        return files[file].mightFind(entry)
                && (slices == null
                        || (slices[(keyGroup - keyGroups.first()) * groups + file / GROUP] >>> file
                                        & 1)
                                != 0);
    }

    /** Whether an entry is held, as far as older data say. */
    boolean holds(int keyGroup, long entry) throws IOException {
        int there = askFrozen(entry);
        for (int group = 0; group < groups && there == LevelFile.ABSENT; group++) {
            there = ask(group, candidates(group, keyGroup, entry), entry);
        }
        return there == LevelFile.PRESENT;
    }

    /** What frozen buffers say of an entry. */
    int askFrozen(long entry) {
        int there = LevelFile.ABSENT;
        for (int i = 0; i < frozen.length && there == LevelFile.ABSENT; i++) {
            there = frozen[i].find(frozen[i].position(entry));
        }
        return there;
    }

    private int ask(int group, long candidates, long entry) throws IOException {
        int there = LevelFile.ABSENT;
        for (long left = candidates; left != 0 && there == LevelFile.ABSENT; left &= left - 1) {
            there = files[group * GROUP + Long.numberOfTrailingZeros(left)].find(entry);
        }
        return there;
    }

    /** Newest first. */
    LevelFile[] files() {
        return files;
    }
}
