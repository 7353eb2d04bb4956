/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * Finds the merges of a version: divides its files into series that may be merged, and asks {@link
 * MergePlanner} for each.
 *
 * <p>A series is closed when no more entries will be added to it: its time bucket or its era has
 * passed, or it was written with other options. Its files then become one, which costs each entry
 * one more write, and spares every lookup the other files.
 *
 * <p>Where snapshots are stored, files that none has named yet are a series of their own until one
 * has: see {@link StoredFile#isNamed}.
 *
 * <p>Thread-safe: guarded by its own lock.
 */
final class MergeSchedule {

    /**
     * The newer of two series becomes part of the older one when it has at least one in this many
     * of its entries: with less, the older one would be written again for every buffer.
     */
    private static final int SHRINK_PART = 4;

    /**
     * Series of several eras are written again without tombstones when one in this many of their
     * entries is a tombstone.
     */
    private static final int TOMBSTONE_PART = 4;

    private final MergePolicy policy;
    private final Eras eras;
    private final KeyGroups keyGroups;
    private final KeyGroupParts parts;

    /** Entries of a full buffer. */
    private long bufferEntries = 1;

    /** The series that the active buffer will go to. */
    private long openBucket;

    private int openHashBits;

    MergeSchedule(CascadeOptions options) {
        this.policy = options.mergePolicy();
        this.eras = options.eras();
        this.keyGroups = options.keyGroups();
        this.parts = options.parts();
    }

    /** Says which series is open from now on. */
    synchronized void open(EntryBuffer active) {
        bufferEntries = Math.max(bufferEntries, active.capacity());
        openBucket = active.bucketEnd();
        openHashBits = active.hashBits();
    }

    /**
     * Files of a series: neighbours in age, oldest first, with those of one running merge as one.
     */
    private static final class Series {
        private final List<List<FileSection>> files = new ArrayList<>();
        private final List<Merge> merges = new ArrayList<>();

        private void add(FileSection file, Merge merge) {
            int last = files.size() - 1;
            if (merge != null && last >= 0 && merge.equals(merges.get(last))) {
                files.get(last).add(file);
                return;
            }
            files.add(new ArrayList<>(List.of(file)));
            merges.add(merge);
        }

        private FileSection oldest() {
            return files.get(0).get(0);
        }

        private boolean isBusy() {
            return merges.stream().anyMatch(Objects::nonNull);
        }

        private long entries() {
            return Arrays.stream(sizes()).sum();
        }

        private long tombstones() {
            return files.stream().flatMap(List::stream).mapToLong(FileSection::tombstones).sum();
        }

        private void addNewestFirst(List<FileSection> into) {
            for (int i = files.size() - 1; i >= 0; i--) {
                into.addAll(files.get(i));
            }
        }

        private long[] sizes() {
            return files.stream()
                    .mapToLong(file -> file.stream().mapToLong(FileSection::entries).sum())
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
            List<FileSection> inputs = new ArrayList<>();
            for (List<FileSection> file : files.subList(range.from(), range.to())) {
                inputs.addAll(file);
            }
            List<FileSection> newestFirst = new ArrayList<>(inputs);
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
    synchronized List<Merge> plan(Version version, Function<FileSection, Merge> running) {
        List<Merge> merges = new ArrayList<>();
        List<FileSection> files = version.files();
        List<Series> whole = seriesOf(files, running, FileSection::isAlike);
        int older = erasThatMeet(whole);
        boolean isClosed = whole.size() > 2;
        boolean joins = mayShrink(whole.subList(0, older), isClosed, version);
        if (joins || mayRemove(whole.subList(0, older))) {
            List<FileSection> all = new ArrayList<>();
            for (int i = (joins ? 2 : older) - 1; i >= 0; i--) {
                whole.get(i).addNewestFirst(all);
            }
            merges.add(new Merge(all, true, !joins));
            files = files.subList(0, files.size() - all.size());
        }
        List<Series> allSeries = seriesOf(files, running, joins(version));
        for (int i = 0; i < allSeries.size(); i++) {
            Series series = allSeries.get(i);
            boolean open = isOpen(allSeries, i, version);
            MergePlanner.Range range = next(series, open);
            while (!range.isEmpty()) {
                merges.add(series.take(range, i == 0 && merges.isEmpty()));
                range = next(series, open);
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
        // Whether or not files are kept apart now: a snapshot that names them adds none.
        List<Series> allSeries = seriesOf(version.files(), file -> null, FileSection::isAlike);
        for (int i = 0; i < allSeries.size(); i++) {
            boolean open = isOpen(allSeries, i, version);
            wanted +=
                    open
                            ? MergePlanner.mostFiles(
                                    policy, bufferEntries, allSeries.get(i).sizes())
                            : 1;
        }
        return version.files().size() - wanted;
    }

    private MergePlanner.Range next(Series series, boolean open) {
        return open
                ? MergePlanner.next(policy, bufferEntries, series.sizes(), series.busy())
                : MergePlanner.nextOfClosed(series.busy());
    }

    /** How many of the oldest series are eras one after the other that a merge may read now. */
    private int erasThatMeet(List<Series> allSeries) {
        int count = 0;
        // If there are more files, those of each series are merged first.
        int files = 0;
        for (Series series : allSeries) {
            files += series.files.size();
            // A tombstone that is cut to fewer bits than the first era's would hide too many.
            if (series.isBusy()
                    || files > MergePlanner.MOST_INPUTS
                    || series.oldest().hashBits() < eras.hashBits(0)) {
                break;
            }
            if (count > 0) {
                FileSection older = allSeries.get(count - 1).oldest();
                FileSection newer = series.oldest();
                if (older.bucketEnd() != newer.bucketEnd()
                        || older.hashBits() >= newer.hashBits()) {
                    break;
                }
            }
            count++;
        }
        return count;
    }

    /**
     * Whether the two oldest series should become one, although the newer one keeps more bits: when
     * so much of them was removed that both fit into the older era twice, everything else leaves
     * enough of the probability, and the newer one is worth it, or will not grow.
     *
     * @param isClosed whether there is a third series, so that the second one will not grow
     */
    private boolean mayShrink(List<Series> meeting, boolean isClosed, Version version) {
        return meeting.size() >= 2
                && (isClosed || meeting.get(1).entries() >= meeting.get(0).entries() / SHRINK_PART)
                && hasRoom(meeting.subList(0, 2), version);
    }

    /**
     * Whether series should lose what newer ones of them have removed, and the tombstones: when
     * those are worth it. How much they hide is not known before, so the series do not become one.
     */
    private static boolean mayRemove(List<Series> meeting) {
        long entries = 0;
        long tombstones = 0;
        for (int i = 0; i < meeting.size(); i++) {
            entries += meeting.get(i).entries();
            tombstones += i == 0 ? 0 : meeting.get(i).tombstones();
        }
        return tombstones > 0 && tombstones >= entries / TOMBSTONE_PART;
    }

    /**
     * Whether two series would leave half of the older one's era in every key group, if their
     * tombstones were entries too: what those hide is not known.
     */
    private boolean hasRoom(List<Series> both, Version version) {
        int era = eras.eraOf(both.get(0).oldest().hashBits());
        if (era < 0) {
            return false;
        }
        KeyGroupLoad load = new KeyGroupLoad(keyGroups, parts);
        Set<FileSection> joined = new HashSet<>();
        for (Series series : both) {
            for (List<FileSection> files : series.files) {
                joined.addAll(files);
                files.forEach(file -> load.addAs(file, eras.hashBits(era)));
            }
        }
        if (load.greatest() > eras.share(era) / 2) {
            return false;
        }
        for (FileSection file : version.files()) {
            if (!joined.contains(file)) {
                load.add(file, ProbabilityBudget.HIDDEN);
            }
        }
        return load.greatest() <= eras.allowance(era);
    }

    /**
     * Which neighbours merges may join now. Files that no snapshot has named are kept apart, unless
     * much of the others was removed since: tombstones have to meet what they hide, and files of
     * which much is gone do not stand in for the result anyway.
     */
    private static BiPredicate<FileSection, FileSection> joins(Version version) {
        long named = 0;
        long removed = 0;
        for (FileSection file : version.files()) {
            if (file.stored().isNamed()) {
                named += file.entries();
            } else {
                removed += file.tombstones();
            }
        }
        return removed > named / 2 ? FileSection::isAlike : FileSection::joins;
    }

    /** Oldest first. */
    private static List<Series> seriesOf(
            List<FileSection> newestFirst,
            Function<FileSection, Merge> running,
            BiPredicate<FileSection, FileSection> joins) {
        List<Series> allSeries = new ArrayList<>();
        for (int i = newestFirst.size() - 1; i >= 0; i--) {
            FileSection file = newestFirst.get(i);
            if (allSeries.isEmpty()
                    || !joins.test(allSeries.get(allSeries.size() - 1).oldest(), file)) {
                allSeries.add(new Series());
            }
            allSeries.get(allSeries.size() - 1).add(file, running.apply(file));
        }
        return allSeries;
    }

    /**
     * Whether more will be added to a series, by the active buffer or, once a snapshot has named
     * it, by a neighbour: only then is it time to make one file of it.
     */
    private boolean isOpen(List<Series> allSeries, int index, Version version) {
        FileSection file = allSeries.get(index).oldest();
        boolean isDivided =
                (index > 0 && allSeries.get(index - 1).oldest().isAlike(file))
                        || (index + 1 < allSeries.size()
                                && allSeries.get(index + 1).oldest().isAlike(file));
        return isDivided || isOpen(allSeries.get(index), version, index == allSeries.size() - 1);
    }

    /** Whether the active buffer, or one that is being written, will add to the series. */
    private boolean isOpen(Series series, Version version, boolean newest) {
        if (!newest) {
            return false;
        }
        FileSection file = series.oldest();
        boolean waits =
                version.frozen().stream()
                        .anyMatch(
                                buffer ->
                                        buffer.bucketEnd() == file.bucketEnd()
                                                && buffer.hashBits() == file.hashBits());
        return waits || (file.bucketEnd() == openBucket && file.hashBits() == openHashBits);
    }
}
