/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Turns lists of files into open sections. */
final class RestoredFiles {

    private RestoredFiles() {}

    /**
     * One list, newest first, of the sections that several filters had in the key groups of one.
     * Only entries of the same key group have to keep their order, so files of the same time bucket
     * and length of hash are put next to each other, for merges to join them.
     *
     * @throws IllegalArgumentException if two lists have a key group in common, or were written by
     *     filters that divide key groups in different ways
     */
    static Manifest combine(List<Manifest> manifests, CascadeOptions options) {
        KeyGroupParts parts = parts(manifests, options);
        KeyGroups keyGroups = parts.of(options.wholeKeyGroups());
        List<List<Manifest.Listed>> heads = new ArrayList<>();
        long time = Manifest.NO_TIME;
        double bound = 0;
        for (int i = 0; i < manifests.size(); i++) {
            Manifest manifest = manifests.get(i);
            for (Manifest other : manifests.subList(0, i)) {
                checkApart(manifest, other, options.wholeKeyGroups());
            }
            heads.add(sections(manifest, keyGroups));
            time = earlier(time, manifest.time());
            bound = Math.max(bound, manifest.bound());
        }
        heads.removeIf(List::isEmpty);
        List<Manifest.Listed> all = new ArrayList<>();
        while (!heads.isEmpty()) {
            List<Manifest.Listed> newest =
                    heads.stream()
                            .max(
                                    Comparator.comparingLong(
                                                    (List<Manifest.Listed> l) ->
                                                            l.get(0).bucketEnd())
                                            .thenComparing(l -> l.get(0).info().hashBits()))
                            .orElseThrow();
            all.add(newest.remove(0));
            heads.removeIf(List::isEmpty);
        }
        return new Manifest(keyGroups, parts, time, bound, all);
    }

    /**
     * The time that is believed: the earliest. A clock that was ahead is not, and one that was
     * behind does no harm, since the first time that is told is later.
     */
    private static long earlier(long one, long other) {
        return one == Manifest.NO_TIME || other == Manifest.NO_TIME
                ? Math.max(one, other)
                : Math.min(one, other);
    }

    /** How those that have entries divide key groups; if none has any, how all do. */
    private static KeyGroupParts parts(List<Manifest> manifests, CascadeOptions options) {
        List<KeyGroupParts> different =
                different(manifests.stream().filter(manifest -> !manifest.files().isEmpty()));
        if (different.isEmpty()) {
            List<KeyGroupParts> empty = different(manifests.stream());
            return empty.size() == 1 ? empty.get(0) : options.parts();
        }
        if (different.size() > 1) {
            throw new IllegalArgumentException(
                    "manifests to be restored together must divide key groups alike, got "
                            + different.get(0).count()
                            + " and "
                            + different.get(1).count()
                            + " parts: restore them into separate filters; filters whose snapshots"
                            + " are to be combined need divideKeyGroups(false)");
        }
        return different.get(0);
    }

    private static List<KeyGroupParts> different(Stream<Manifest> manifests) {
        return manifests.map(Manifest::parts).distinct().toList();
    }

    private static void checkApart(Manifest first, Manifest second, KeyGroups wanted) {
        KeyGroups one = first.wholeKeyGroups();
        KeyGroups other = second.wholeKeyGroups();
        if (one.overlaps(other) && one.and(other).overlaps(wanted)) {
            throw new IllegalArgumentException(
                    "manifests must not have a key group in common, got key groups "
                            + one
                            + " and "
                            + other
                            + ": it is not known which is newer");
        }
    }

    /** Sections in a range, mutable. */
    private static List<Manifest.Listed> sections(Manifest manifest, KeyGroups keyGroups) {
        List<Manifest.Listed> sections = new ArrayList<>();
        for (Manifest.Listed file : manifest.files()) {
            if (file.section().overlaps(keyGroups)) {
                KeyGroups section = file.section().and(keyGroups);
                sections.add(new Manifest.Listed(file.info(), section, file.bucketEnd()));
            }
        }
        return sections;
    }

    /**
     * Opens the files, each once.
     *
     * @param opened gets what was opened, to be closed if something fails later
     */
    static List<FileSection> open(
            Manifest manifest, KeyGroups keyGroups, LevelFiles files, List<Closeable> opened)
            throws IOException {
        Map<String, StoredFile> byName = new HashMap<>();
        List<FileSection> sections = new ArrayList<>();
        for (Manifest.Listed file : sections(manifest, keyGroups)) {
            StoredFile stored = byName.get(file.info().name());
            if (stored == null) {
                stored = files.open(file.info());
                opened.add(stored.file());
                byName.put(file.info().name(), stored);
            }
            sections.add(new FileSection(stored, file.section(), file.bucketEnd()));
        }
        return sections;
    }
}
