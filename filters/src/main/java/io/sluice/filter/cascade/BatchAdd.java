/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.PageReaders;
import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Additions of many entries at once. Answers as if they were added one by one. Faster because
 * memory accesses overlap, and because pages are read in order, each once, many at the same time.
 *
 * <p>A batch is cut into pieces that fit into the active buffer. First all entries of a piece are
 * looked up in what is older; an error there leaves the piece without effect. Then they are added
 * in order, so that of equal ones the first is the absent one.
 *
 * <p>Used only by the owner. Keeps its arrays, so that nothing is allocated.
 */
final class BatchAdd {

    /**
     * Entries of a piece: few enough that the memory touched for them stays in the second-level
     * cache.
     */
    static final int PIECE = 1 << 11;

    /** Entries whose memory accesses overlap: about as many as a core has in flight. */
    private static final int GROUP = 32;

    private final ActiveBuffer active;
    private final OlderEntries older;
    private final Overviews overviews;
    private final PageReaders readers;

    private final long[] entries = new long[PIECE];
    private final long[] positions = new long[PIECE];

    /** Whether older data hold the entry, as far as known. */
    private final boolean[] held = new boolean[PIECE];

    /** Whether nothing holds the entry, and the overview has it from now on. */
    private final boolean[] denied = new boolean[PIECE];

    /** Which older data may hold the entry, as {@link OlderEntries#markCandidates} says. */
    private final long[] candidates = new long[PIECE];

    /** Entries that files still have to be asked for, ascending, and their places in the piece. */
    private final long[] asked = new long[PIECE];

    private final int[] places = new int[PIECE];
    private int askedCount;

    private final Touches touches = new Touches();

    /**
     * For one file: the entries it is asked for, their places in {@link #asked}, and its answers.
     */
    private final long[] ofFile = new long[PIECE];

    private final int[] ofFileIndex = new int[PIECE];
    private final byte[] answers = new byte[PIECE];

    private final EntrySort sort = new EntrySort(PIECE);

    BatchAdd(ActiveBuffer active, OlderEntries older, Overviews overviews, PageReaders readers) {
        this.overviews = overviews;
        this.readers = readers;
        this.active = active;
        this.older = older;
    }

    /** Where {@link #add} puts the entries before it is called. */
    long[] entries() {
        return entries;
    }

    /** Makes room for a piece of at most {@code most} entries; returns how many it takes. */
    int begin(int most) {
        return active.makeRoom(Math.min(PIECE, most));
    }

    /**
     * Adds the first {@code count} of {@link #entries}.
     *
     * @return how many were absent
     */
    int add(int count, boolean[] absent, int from) {
        EntryBuffer buffer = active.buffer();
        touch(buffer, count);
        if (older.isEmpty()) {
            Arrays.fill(held, 0, count, false);
            Arrays.fill(denied, 0, count, false);
        } else {
            try {
                lookUp(buffer, count);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        int added = 0;
        // Not the buffer's identity: one that was frozen and written may be the active one again.
        long freezes = active.freezes();
        for (int i = 0; i < count; i++) {
            boolean isAbsent = !held[i] && addOne(freezes, i);
            absent[from + i] = isAbsent;
            added += isAbsent ? 1 : 0;
        }
        return added;
    }

    /**
     * @param freezes of the active buffer when the piece was looked up
     */
    private boolean addOne(long freezes, int i) {
        long entry = entries[i];
        if (active.freezes() == freezes) {
            return denied[i]
                    ? active.addNoted(entry, positions[i])
                    : active.add(entry, positions[i]);
        }
        // A buffer was frozen because entries crowd together. An equal one may be in it, or in the
        // file that it has become.
        try {
            return !older.holds(entry) && active.add(entry, active.buffer().position(entry));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the buffer's memory for all entries, without waiting in between. */
    private void touch(EntryBuffer buffer, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long position = buffer.position(entries[i]);
            positions[i] = position;
            sum ^= buffer.touch(position);
        }
        touches.keep(sum);
    }

    private void markCandidates(int count) {
        if (!overviews.isReady()) {
            Arrays.fill(denied, 0, count, false);
            older.markCandidates(entries, count, candidates);
            return;
        }
        for (int from = 0; from < count; from += GROUP) {
            int to = Math.min(count, from + GROUP);
            // A loop that does nothing else, so that as many cache lines as possible are in flight.
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum ^= overviews.touch(entries[i]);
            }
            touches.keep(sum);
            for (int i = from; i < to; i++) {
                denied[i] = overviews.addIfDenied(entries[i]);
                candidates[i] = denied[i] ? 0 : older.markCandidates(entries[i]);
            }
        }
    }

    private void lookUp(EntryBuffer buffer, int count) throws IOException {
        askedCount = 0;
        markCandidates(count);
        for (int i = 0; i < count; i++) {
            held[i] = false;
            if (candidates[i] != 0) {
                int there = buffer.find(positions[i]);
                if (there == LevelFile.ABSENT) {
                    there = older.askFrozen(entries[i]);
                }
                held[i] = there == LevelFile.PRESENT;
                asked[askedCount] = entries[i];
                places[askedCount] = i;
                askedCount += there == LevelFile.ABSENT ? 1 : 0;
            }
        }
        if (askedCount > 0) {
            sort.sort(asked, places, askedCount);
            askFiles();
        }
    }

    /** Asks one file after the other, newest first or in any order, for what no earlier one had. */
    private void askFiles() throws IOException {
        LevelFile[] files = older.files();
        for (int n = 0; n < files.length && askedCount > 0; n++) {
            int file = older.askedAs(n);
            int count = 0;
            for (int i = 0; i < askedCount; i++) {
                ofFile[count] = asked[i];
                ofFileIndex[count] = i;
                boolean isAsked = older.isAsked(file, candidates[places[i]], asked[i]);
                count += isAsked ? 1 : 0;
            }
            if (count > 0) {
                files[file].findAll(ofFile, 0, count, answers, readers);
                take(count);
            }
        }
    }

    /** Takes a file's answers, and takes out what is answered. */
    private void take(int count) {
        boolean anyFound = false;
        for (int i = 0; i < count; i++) {
            held[places[ofFileIndex[i]]] = answers[i] == LevelFile.PRESENT;
            anyFound |= answers[i] != LevelFile.ABSENT;
        }
        if (!anyFound) {
            return;
        }
        int left = 0;
        int at = 0;
        for (int i = 0; i < askedCount; i++) {
            boolean answered =
                    at < count && ofFileIndex[at] == i && answers[at] != LevelFile.ABSENT;
            at += at < count && ofFileIndex[at] == i ? 1 : 0;
            asked[left] = asked[i];
            places[left] = places[i];
            left += answered ? 0 : 1;
        }
        askedCount = left;
    }
}
