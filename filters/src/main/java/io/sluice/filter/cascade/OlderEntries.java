/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The owner's view of everything older than the active buffer: a version, laid out for lookups. The
 * newest that has an entry or its tombstone decides.
 *
 * <p>Files are asked in two steps. First memory: the indexes and summaries of all files, without
 * waiting for one before the next is asked, give a bit for each file that may have the entry;
 * without summaries, cached pages are touched at the same time. Then those files, newest first; or,
 * as long as no file has a tombstone and the order does not matter, the ones first in which most is
 * found. An entry that is {@link #isInFavourites probably held} is looked for in a few files before
 * the memory of all is touched.
 *
 * <p>Used only by the owner.
 */
final class OlderEntries {

    /** Files of a word of sections. */
    private static final int GROUP = Long.SIZE;

    /** In a word of candidates: one of the frozen buffers. */
    private static final long FROZEN = Long.MIN_VALUE;

    /**
     * The bit of a word of candidates that all files from this one on share; earlier files have
     * their own.
     */
    static final int OTHERS = Long.SIZE - 2;

    /** Files that are asked one after the other for what is probably held. */
    private static final int MAX_FAVOURITES = 2;

    /** What the sizes of all files together count as, until something is found in them. */
    private static final int FOUND_AT_FIRST = 1 << 6;

    /** After this many entries found in one file, all earlier ones count half. */
    private static final int MANY_FOUND = 1 << 10;

    private final KeyGroups keyGroups;

    /** See {@link KeyGroupParts#hashBits}: sections consist of whole key groups. */
    private final int partBits;

    private EntryBuffer[] frozen = {};
    private LevelFile[] files = {};
    private int groups;

    /** Whether a file has a summary. */
    private boolean hasSummaries;

    /**
     * For each key group, and each group of files: those whose section has it. Null if all have.
     */
    private long[] sections;

    /**
     * Whether files may be asked in any order; otherwise the newest has to be first, because it may
     * hold the tombstone of an entry in another.
     */
    private boolean anyOrder;

    /** Files that may be asked before anything else: none if anything has a tombstone. */
    private int favourites;

    /** The files that have bits of their own, as they are asked. */
    private int[] order = {};

    /** How often, lately, an entry was found in each of these files; by their indices. */
    private int[] found = {};

    /** For lookups of a single entry in which this looks for the candidates itself. */
    private final OlderLookup own = new OlderLookup();

    private final Touches touches = new Touches();

    OlderEntries(KeyGroups keyGroups, KeyGroupParts parts) {
        this.keyGroups = keyGroups;
        this.partBits = parts.hashBits();
    }

    /** Switches to another version. */
    void use(Version version) {
        frozen = version.frozen().stream().map(FrozenBuffer::buffer).toArray(EntryBuffer[]::new);
        files = version.files().stream().map(f -> f.stored().file()).toArray(LevelFile[]::new);
        hasSummaries = Arrays.stream(files).anyMatch(file -> file.summary() != null);
        groups = (files.length + GROUP - 1) / GROUP;
        sections = sections(version.files());
        anyOrder = version.files().stream().allMatch(file -> file.tombstones() == 0);
        order = IntStream.range(0, Math.min(files.length, OTHERS)).toArray();
        found = new int[order.length];
        if (anyOrder) {
            expectBySize(version.files());
        }
        boolean isAnyRemoved =
                !anyOrder || Arrays.stream(frozen).anyMatch(buffer -> buffer.tombstones() != 0);
        favourites = isAnyRemoved ? 0 : Math.min(MAX_FAVOURITES, order.length);
    }

    private void expectBySize(List<FileSection> sections) {
        double all = sections.stream().mapToLong(FileSection::entries).sum();
        for (int i = 0; i < order.length; i++) {
            found[i] = (int) (FOUND_AT_FIRST * sections.get(i).entries() / Math.max(1, all));
            for (int at = i; at > 0 && found[i] > found[order[at - 1]]; at--) {
                swap(at - 1, at);
            }
        }
    }

    private void swap(int at, int with) {
        int file = order[at];
        order[at] = order[with];
        order[with] = file;
    }

    private long[] sections(List<FileSection> of) {
        if (of.stream().allMatch(file -> file.keyGroups().equals(keyGroups))) {
            return null;
        }
        long[] masks = new long[(keyGroups.count() >> partBits) * groups];
        for (int i = 0; i < of.size(); i++) {
            KeyGroups section = of.get(i).keyGroups();
            int step = 1 << partBits;
            for (int keyGroup = section.first(); keyGroup < section.end(); keyGroup += step) {
                masks[index(keyGroup) * groups + i / GROUP] |= 1L << i;
            }
        }
        return masks;
    }

    boolean isEmpty() {
        return files.length + frozen.length == 0;
    }

    /**
     * Asks memory where an entry may be, for {@link #holds(OlderLookup)}. Starts all memory
     * accesses before waiting for any.
     *
     * @return false if the entry is certainly absent
     */
    boolean findCandidates(OlderLookup lookup) {
        long entry = lookup.entry;
        int[] pages = lookup.pages;
        long read = 0;
        for (EntryBuffer buffer : frozen) {
            read ^= buffer.touch(buffer.position(entry));
        }
        long any = frozen.length == 0 ? 0 : FROZEN;
        int shared = Math.min(files.length, OTHERS);
        for (int i = 0; i < shared; i++) {
            int page = files[i].pageOf(entry);
            pages[i] = page;
            read ^= hasSummaries ? 0 : files[i].touch(page, entry);
            any |= (files[i].mightFind(page, entry) ? 1L : 0L) << i;
        }
        touches.keep(read);
        if (files.length > OTHERS || sections != null) {
            any = candidatesOfMany(entry, any);
        }
        lookup.candidates = any & ~lookup.notFoundIn;
        return lookup.candidates != 0;
    }

    private long candidatesOfMany(long entry, long first) {
        int keyGroup = Entries.keyGroup(entry);
        long any = sections == null ? first : first & (section(keyGroup, 0) | FROZEN);
        for (int i = OTHERS; i < files.length && (any & 1L << OTHERS) == 0; i++) {
            any |= isCandidate(i, keyGroup, entry) ? 1L << OTHERS : 0;
        }
        return any;
    }

    private long section(int keyGroup, int group) {
        return sections[index(keyGroup) * groups + group];
    }

    private int index(int keyGroup) {
        return (keyGroup - keyGroups.first()) >> partBits;
    }

    /**
     * {@link #findCandidates} for many entries: file by file, and several entries at a time, so
     * that their memory accesses overlap.
     *
     * @param candidates gets the answers; without summaries nothing is asked, and all files may
     *     have any entry
     */
    void markCandidates(long[] entries, int count, long[] candidates) {
        Arrays.fill(candidates, 0, count, allUnasked());
        for (int file = 0; hasSummaries && file < files.length; file++) {
            files[file].markCandidates(entries, count, 1L << Math.min(file, OTHERS), candidates);
        }
        for (int i = 0; sections != null && i < count; i++) {
            candidates[i] = inSections(candidates[i], entries[i]);
        }
    }

    /** As {@link #markCandidates}, for one entry. */
    long markCandidates(long entry) {
        long candidates = allUnasked();
        if (hasSummaries) {
            own.begin(entry);
            findCandidates(own);
            return own.candidates;
        }
        return sections == null ? candidates : inSections(candidates, entry);
    }

    /** The bits of all files, for when there is no summary to ask. */
    private long allUnasked() {
        long all = frozen.length == 0 ? 0 : FROZEN;
        return hasSummaries || files.length == 0 ? all : all | ~FROZEN;
    }

    private long inSections(long candidates, long entry) {
        long others = files.length > OTHERS ? 1L << OTHERS : 0;
        return candidates & (section(Entries.keyGroup(entry), 0) | FROZEN | others);
    }

    /**
     * Whether a file has to be asked for an entry.
     *
     * @param candidates what {@link #markCandidates} says about the entry
     */
    boolean isAsked(int file, long candidates, long entry) {
        return (candidates >>> Math.min(file, OTHERS) & 1) != 0
                && (file < OTHERS || isCandidate(file, Entries.keyGroup(entry), entry));
    }

    private boolean isCandidate(int file, int keyGroup, long entry) {
        return files[file].mightFind(entry)
                && (sections == null || (section(keyGroup, file / GROUP) >>> file & 1) != 0);
    }

    /** Whether an entry is held, as far as older data say. */
    boolean holds(long entry) throws IOException {
        own.begin(entry);
        return findCandidates(own) && holds(own);
    }

    /** As {@link #holds(long)}, for an entry for which {@link #findCandidates} was called. */
    boolean holds(OlderLookup lookup) throws IOException {
        long entry = lookup.entry;
        long candidates = lookup.candidates;
        int there = askFrozen(entry);
        if (there == LevelFile.ABSENT && (candidates & (1L << OTHERS) - 1) != 0) {
            there = ask(lookup);
        }
        if ((candidates & 1L << OTHERS) != 0) {
            for (int i = OTHERS; i < files.length && there == LevelFile.ABSENT; i++) {
                there =
                        isCandidate(i, Entries.keyGroup(entry), entry)
                                ? files[i].find(entry)
                                : LevelFile.ABSENT;
            }
        }
        return there == LevelFile.PRESENT;
    }

    /** What frozen buffers say about an entry. */
    int askFrozen(long entry) {
        int there = LevelFile.ABSENT;
        for (int i = 0; i < frozen.length && there == LevelFile.ABSENT; i++) {
            there = frozen[i].find(frozen[i].position(entry));
        }
        return there;
    }

    /** Asks files in their order. */
    private int ask(OlderLookup lookup) throws IOException {
        long left = lookup.candidates & (1L << OTHERS) - 1;
        for (int i = 0; left != 0; i++) {
            int file = order[i];
            if ((left >>> file & 1) != 0) {
                left ^= 1L << file;
                int there = files[file].find(lookup.pages[file], lookup.entry);
                if (there != LevelFile.ABSENT) {
                    countFound(i);
                    return there;
                }
            }
        }
        return LevelFile.ABSENT;
    }

    /**
     * Whether an entry is in one of the files that are asked first; false if that is not known, or
     * something newer in this view might say that it was removed.
     */
    boolean isInFavourites(OlderLookup lookup) throws IOException {
        for (int i = 0; i < favourites; i++) {
            if (isInFile(order[i], lookup.entry)) {
                countFound(i);
                return true;
            }
            lookup.notFoundIn |= 1L << order[i];
        }
        return false;
    }

    private boolean isInFile(int file, long entry) throws IOException {
        if (sections != null && (section(Entries.keyGroup(entry), 0) >>> file & 1) == 0) {
            return false;
        }
        int page = files[file].pageOf(entry);
        if (!files[file].mightFind(page, entry)) {
            return false;
        }
        touches.keep(files[file].touch(page, entry));
        return files[file].find(page, entry) == LevelFile.PRESENT;
    }

    /** Notes that the file at a place in the order had an entry, and moves it up if it is time. */
    private void countFound(int at) {
        if (!anyOrder) {
            return;
        }
        int now = ++found[order[at]];
        if (at > 0 && now > found[order[at - 1]]) {
            swap(at - 1, at);
        }
        if (now >= MANY_FOUND) {
            for (int i = 0; i < found.length; i++) {
                found[i] >>= 1;
            }
        }
    }

    /** The index of the file that is asked {@code n}th. */
    int askedAs(int n) {
        return n < order.length ? order[n] : n;
    }

    /** Newest first. */
    LevelFile[] files() {
        return files;
    }
}
