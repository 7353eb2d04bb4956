/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.merge.SortedCursor;
import io.sluice.filter.merge.TournamentMerge;
import java.io.IOException;
import java.util.List;

/**
 * Merges entries of several ages into one ascending sequence: the newest entry of each key stays
 * ({@link TournamentMerge}).
 *
 * <p>Inputs may keep different numbers of hash bits; the smallest number applies to all. Keys of
 * one input that become equal by this become one, which is a tombstone only if all of them were: a
 * key that is in the set is never lost.
 *
 * <p>Cost: O(log k) for an entry and k inputs, less for entries of large inputs; 128 KiB for each
 * input.
 */
@Internal
public final class EntryMerge {

    private EntryMerge() {}

    /**
     * Merges inputs, which are closed with the result.
     *
     * @param newestFirst at least one, in order of age: the entries of an earlier one win
     * @param dropTombstones leaves tombstones out of the result: only if nothing older than these
     *     inputs holds entries that the tombstones still have to hide
     */
    public static EntryCursor of(List<? extends EntryCursor> newestFirst, boolean dropTombstones) {
        if (newestFirst.isEmpty()) {
            throw new IllegalArgumentException("newestFirst must not be empty");
        }
        int hashBits = newestFirst.stream().mapToInt(EntryCursor::hashBits).min().getAsInt();
        List<EntryCursor> inputs =
                newestFirst.stream().map(input -> shortened(input, hashBits)).toList();
        EntryCursor merged = new Merged(inputs, hashBits);
        return dropTombstones ? new Selected(merged, 0) : merged;
    }

    /**
     * The entries of an input with fewer bits of their hashes. Keys that become equal become one,
     * which is a tombstone only if all of them were.
     *
     * @param hashBits at most those of the input; if it keeps as many, it is the result
     */
    public static EntryCursor shortened(EntryCursor input, int hashBits) {
        return input.hashBits() == hashBits ? input : new Shortened(input, hashBits);
    }

    /** The merged entries of inputs, which are closed with it. */
    private static final class Merged implements EntryCursor {
        private final List<? extends EntryCursor> inputs;
        private final int hashBits;
        private final SortedCursor<IOException> merged;

        private Merged(List<? extends EntryCursor> inputs, int hashBits) {
            this.inputs = inputs;
            this.hashBits = hashBits;
            merged = TournamentMerge.firstOfEqual(inputs, Entries.TOMBSTONE);
        }

        @Override
        public int next(long[] into) throws IOException {
            return merged.next(into);
        }

        @Override
        public int batchLength() {
            return merged.batchLength();
        }

        @Override
        public int hashBits() {
            return hashBits;
        }

        @Override
        public long expectedEntries() {
            return merged.expectedEntries();
        }

        @Override
        public void close() throws IOException {
            closeFrom(0);
        }

        private void closeFrom(int first) throws IOException {
            if (first < inputs.size()) {
                try {
                    inputs.get(first).close();
                } finally {
                    closeFrom(first + 1);
                }
            }
        }
    }

    /** Keeps fewer hash bits. */
    private static final class Shortened implements EntryCursor {
        private final EntryCursor input;
        private final int hashBits;
        private final long mask;

        /** The last key, which following entries may still join; -1 if there is none. */
        private long pending = -1;

        private Shortened(EntryCursor input, int hashBits) {
            this.input = input;
            this.hashBits = hashBits;
            mask = Entries.mask(hashBits);
        }

        @Override
        public int next(long[] into) throws IOException {
            int at = 0;
            while (at == 0) {
                int n = input.next(into);
                if (n == 0) {
                    if (pending < 0) {
                        return 0;
                    }
                    into[0] = pending;
                    pending = -1;
                    return 1;
                }
                int first = 0;
                if (pending < 0) {
                    pending = into[0] & mask;
                    first = 1;
                }
                for (int i = first; i < n; i++) {
                    long entry = into[i] & mask;
                    if ((entry | Entries.TOMBSTONE) == (pending | Entries.TOMBSTONE)) {
                        pending &= entry;
                    } else {
                        // at <= i: each entry writes at most one, and that is the one before it.
                        into[at++] = pending;
                        pending = entry;
                    }
                }
            }
            return at;
        }

        @Override
        public int hashBits() {
            return hashBits;
        }

        @Override
        public long expectedEntries() {
            return input.expectedEntries();
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }

    /** The tombstones of an input, which is closed with the result. */
    public static EntryCursor onlyTombstones(EntryCursor input) {
        return new Selected(input, Entries.TOMBSTONE);
    }

    /** Leaves out tombstones, or everything else. */
    private static final class Selected implements EntryCursor {
        private final EntryCursor input;

        /** What this bit of an entry has to be. */
        private final long tombstone;

        private Selected(EntryCursor input, long tombstone) {
            this.input = input;
            this.tombstone = tombstone;
        }

        @Override
        public int next(long[] into) throws IOException {
            while (true) {
                int n = input.next(into);
                int at = 0;
                for (int i = 0; i < n; i++) {
                    long entry = into[i];
                    into[at] = entry;
                    // What is left out is overwritten by the next entry.
                    at += (entry & Entries.TOMBSTONE) == tombstone ? 1 : 0;
                }
                if (at > 0 || n == 0) {
                    return at;
                }
            }
        }

        @Override
        public int hashBits() {
            return input.hashBits();
        }

        @Override
        public long expectedEntries() {
            return input.expectedEntries();
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }
}
