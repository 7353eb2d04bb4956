/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.PageReaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Additions of many entries at once. Answers as if they were added one by one; faster because
 * memory is waited for together, and because pages that have to be read are read in order, each
 * once, many at the same time.
 *
 * <p>A batch is cut into pieces that fit into the active buffer. Of a piece, first all are looked
 * up in what is older; an error there leaves the piece without effect. Then they are added in their
 * order, so that of equal ones the first is the absent one.
 *
 * <p>The owner's. Keeps its arrays, so that nothing is allocated.
 */
final class BatchAdd {

    /** Entries of a piece: what is touched for them stays in the second-level cache. */
    static final int PIECE = 1 << 11;

    private final ActiveBuffer active;
    private final Older older;
    private final PageReaders readers;

    private final long[] entries = new long[PIECE];
    private final long[] positions = new long[PIECE];

    /** Whether older data hold the entry, as far as known. */
    private final boolean[] held = new boolean[PIECE];

    /** Whether memory says that older data may hold the entry. */
    private final boolean[] mightBeHeld = new boolean[PIECE];

    /** Entries that files have to be asked for, ascending, each once; and the answers. */
    private final long[] asked = new long[PIECE];

    private final byte[] answers = new byte[PIECE];
    private int askedCount;

    /** Those of them that a file is asked for, and its answers. */
    private final long[] ofFile = new long[PIECE];

    private final int[] ofFileIndex = new int[PIECE];
    private final byte[] fileAnswers = new byte[PIECE];

    /** Entries that wait for the answers: their places in the piece. */
    private final int[] waiting = new int[PIECE];

    private int waitingCount;

    BatchAdd(ActiveBuffer active, Older older, PageReaders readers) {
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
        } else {
            try {
                lookUp(buffer, count);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        int added = 0;
        for (int i = 0; i < count; i++) {
            boolean isAbsent = !held[i] && addOne(buffer, i);
            absent[from + i] = isAbsent;
            added += isAbsent ? 1 : 0;
        }
        return added;
    }

    private boolean addOne(EntryBuffer buffer, int i) {
        long entry = entries[i];
        if (active.buffer() == buffer) {
            return active.add(entry, positions[i]);
        }
        // The buffer was frozen because entries crowd together: an equal one may be in it.
        return older.askFrozen(entry) != LevelFile.PRESENT
                && active.add(entry, active.buffer().position(entry));
    }

    /** Reads the buffer's memory for all of them, without waiting in between. */
    private void touch(EntryBuffer buffer, int count) {
        long spare = 0;
        for (int i = 0; i < count; i++) {
            long position = buffer.position(entries[i]);
            positions[i] = position;
            spare |= buffer.touch(position);
        }
        if (spare != 0) {
            throw new IllegalStateException("spare bits of a buffer are set: memory was damaged");
        }
    }

    private void lookUp(EntryBuffer buffer, int count) throws IOException {
        waitingCount = 0;
        askedCount = 0;
        boolean certain = older.markCandidates(entries, count, mightBeHeld);
        for (int i = 0; i < count; i++) {
            long entry = entries[i];
            held[i] = false;
            if (!certain || mightBeHeld[i]) {
                int there = buffer.find(positions[i]);
                if (there == LevelFile.ABSENT) {
                    there = older.askFrozen(entry);
                }
                held[i] = there == LevelFile.PRESENT;
                if (there == LevelFile.ABSENT) {
                    waiting[waitingCount++] = i;
                    asked[askedCount++] = entry;
                }
            }
        }
        if (askedCount > 0) {
            askFiles();
            for (int w = 0; w < waitingCount; w++) {
                int i = waiting[w];
                int at = Arrays.binarySearch(asked, 0, askedCount, entries[i]);
                held[i] = answers[at] == LevelFile.PRESENT;
            }
        }
    }

    /** Asks the files, newest first, for what no newer one has. */
    private void askFiles() throws IOException {
        Arrays.sort(asked, 0, askedCount);
        int distinct = 1;
        for (int i = 1; i < askedCount; i++) {
            asked[distinct] = asked[i];
            distinct += asked[i] == asked[distinct - 1] ? 0 : 1;
        }
        askedCount = distinct;
        Arrays.fill(answers, 0, askedCount, (byte) LevelFile.ABSENT);
        LevelFile[] files = older.files();
        for (int file = 0; file < files.length; file++) {
            int count = 0;
            for (int i = 0; i < askedCount; i++) {
                ofFile[count] = asked[i];
                ofFileIndex[count] = i;
                boolean isAsked =
                        answers[i] == LevelFile.ABSENT
                                && older.isCandidate(file, Entries.keyGroup(asked[i]), asked[i]);
                count += isAsked ? 1 : 0;
            }
            if (count > 0) {
                files[file].findAll(ofFile, 0, count, fileAnswers, readers);
                for (int i = 0; i < count; i++) {
                    answers[ofFileIndex[i]] = fileAnswers[i];
                }
            }
        }
    }
}
