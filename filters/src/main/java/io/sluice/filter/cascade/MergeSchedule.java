/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Finds the merges of a version: divides its files into lines that may be merged, and asks {@link
 * MergePlanner} for each.
 *
 * <p>A line is closed when no more entries will be added to it: its time bucket or its era has
 * passed, or it was written with other options. Its files then become one, which costs each entry
 * one more write, and spares every lookup the other files.
 *
 * <p>Thread-safe: guarded by its own lock.
 */
final class MergeSchedule {

    private final MergePolicy policy;
    private final Eras eras;
    private final int keyGroups;

    /** Entries of a full buffer. */
    private long bufferEntries = 1;

    /** The line that the active buffer will go to. */
    private long openBucket;

    private int openHashBits;

    MergeSchedule(CascadeOptions options) {
        this.policy = options.mergePolicy();
        this.eras = options.eras();
        this.keyGroups = options.keyGroups().count();
    }

    /** Says which line is open from now on. */
    synchronized void open(EntryBuffer active) {
        bufferEntries = Math.max(bufferEntries, active.capacity());
        openBucket = active.bucketEnd();
        openHashBits = active.hashBits();
    }

    /** Files of a line: neighbours in age, oldest first, with those of one running merge as one. */
    private static final class Line {
        private final List<List<FileSlice>> files = new ArrayList<>();
        private final List<Merge> merges = new ArrayList<>();

        private void add(FileSlice file, Merge merge) {
            int last = files.size() - 1;
            if (merge != null && last >= 0 && merge.equals(merges.get(last))) {
                files.get(last).add(file);
                return;
            }
            files.add(new ArrayList<>(List.of(file)));
            merges.add(merge);
        }

        private FileSlice oldest() {
            return files.get(0).get(0);
        }

        private boolean isBusy() {
            return merges.stream().anyMatch(Objects::nonNull);
        }

        /** Entries that may be reported: without tombstones, and without what those hide. */
        private long reported() {
            return files.stream()
                    .flatMap(List::stream)
                    .mapToLong(file -> file.entries() - 2 * file.tombstones())
                    .sum();
        }

        private void addNewestFirst(List<FileSlice> into) {
            for (int i = files.size() - 1; i >= 0; i--) {
                into.addAll(files.get(i));
            }
        }

        private long[] sizes() {
            return files.stream()
                    .mapToLong(file -> file.stream().mapToLong(FileSlice::entries).sum())
                    .toArray();
        }

        private boolean[] busy() {
            boolean[] busy = new boolean[merges.size()];
            for (int i = 0; i < busy.length; i++) {
                busy[i] = merges.get(i) != null;
            }
            return busy;
        }

        /** A merge of free files, which count as one from now on. */
        private Merge take(MergePlanner.Range range, boolean oldestOfAll) {
            List<FileSlice> inputs = new ArrayList<>();
            for (List<FileSlice> file : files.subList(range.from(), range.to())) {
                inputs.addAll(file);
            }
            List<FileSlice> newestFirst = new ArrayList<>(inputs);
            Collections.reverse(newestFirst);
            Merge merge = new Merge(newestFirst, oldestOfAll && range.from() == 0);
            files.subList(range.from(), range.to()).clear();
            merges.subList(range.from(), range.to()).clear();
            files.add(range.from(), inputs);
            merges.add(range.from(), merge);
            return merge;
        }
    }

    /**
     * All merges that can begin now.
     *
     * @param running the merge that a file is an input of, null if none
     */
    synchronized List<Merge> plan(Version version, Function<FileSlice, Merge> running) {
        List<Merge> merges = new ArrayList<>();
        List<Line> lines = lines(version.files(), running);
        if (mayShrink(lines, version)) {
            List<FileSlice> all = new ArrayList<>();
            lines.get(1).addNewestFirst(all);
            lines.get(0).addNewestFirst(all);
            merges.add(new Merge(all, true));
            lines.subList(0, 2).clear();
        }
        for (int i = 0; i < lines.size(); i++) {
            Line line = lines.get(i);
            boolean open = isOpen(line, version, i == lines.size() - 1);
            MergePlanner.Range range = next(line, open);
            while (!range.isEmpty()) {
                merges.add(line.take(range, i == 0 && merges.isEmpty()));
                range = next(line, open);
            }
        }
        return merges;
    }

    /** Entries of a full buffer. */
    synchronized long bufferEntries() {
        return bufferEntries;
    }

    /** How many more files there are than there would be if all merges had been done. */
    synchronized int excess(Version version) {
        int wanted = 0;
        List<Line> lines = lines(version.files(), file -> null);
        for (int i = 0; i < lines.size(); i++) {
            boolean open = isOpen(lines.get(i), version, i == lines.size() - 1);
            wanted +=
                    open ? MergePlanner.mostFiles(policy, bufferEntries, lines.get(i).sizes()) : 1;
        }
        return version.files().size() - wanted;
    }

    private MergePlanner.Range next(Line line, boolean open) {
        return open
                ? MergePlanner.next(policy, bufferEntries, line.sizes(), line.busy())
                : MergePlanner.nextOfClosed(line.busy());
    }

    /**
     * Whether the two oldest lines should become one, although the newer one keeps more bits: when
     * so much of the older one was removed that the rest of both fits into its era twice, and
     * everything else leaves enough of the probability.
     */
    private boolean mayShrink(List<Line> lines, Version version) {
        if (lines.size() < 2 || lines.get(0).isBusy() || lines.get(1).isBusy()) {
            return false;
        }
        FileSlice older = lines.get(0).oldest();
        FileSlice newer = lines.get(1).oldest();
        int era = eras.eraOf(older.hashBits());
        long reported = lines.get(0).reported() + lines.get(1).reported();
        return era >= 0
                && older.bucketEnd() == newer.bucketEnd()
                && older.hashBits() < newer.hashBits()
                && reported <= eras.capacity(era, keyGroups) / 2
                && Math.scalb((double) reported, -older.hashBits())
                        <= eras.allowance(era) * keyGroups - used(lines, version);
    }

    /** What the other lines use, in key groups times probability. */
    private static double used(List<Line> all, Version version) {
        double sum = 0;
        for (FileSlice file : version.files()) {
            sum += ProbabilityBudget.used(file);
        }
        for (Line line : all.subList(0, 2)) {
            for (List<FileSlice> files : line.files) {
                for (FileSlice file : files) {
                    sum -= ProbabilityBudget.used(file);
                }
            }
        }
        return sum;
    }

    /** Oldest first. */
    private static List<Line> lines(
            List<FileSlice> newestFirst, Function<FileSlice, Merge> running) {
        List<Line> lines = new ArrayList<>();
        for (int i = newestFirst.size() - 1; i >= 0; i--) {
            FileSlice file = newestFirst.get(i);
            if (lines.isEmpty() || !lines.get(lines.size() - 1).oldest().joins(file)) {
                lines.add(new Line());
            }
            lines.get(lines.size() - 1).add(file, running.apply(file));
        }
        return lines;
    }

    /** Whether the active buffer, or one that is being written, will add to the line. */
    private boolean isOpen(Line line, Version version, boolean newest) {
        if (!newest) {
            return false;
        }
        FileSlice file = line.oldest();
        boolean waits =
                version.frozen().stream()
                        .anyMatch(
                                buffer ->
                                        buffer.bucketEnd() == file.bucketEnd()
                                                && buffer.hashBits() == file.hashBits());
        return waits || (file.bucketEnd() == openBucket && file.hashBits() == openHashBits);
    }
}
