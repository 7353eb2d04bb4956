/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.cascade.file.LevelFileInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the {@linkplain CascadeSnapshot#manifest manifest} of a stored {@link CascadeFilter} says,
 * without its files. Immutable.
 *
 * @param firstKeyGroup of the filter
 * @param keyGroupCount how many key groups it has
 * @param partsOfKeyGroup into how many parts each key group is divided: what divides them alike has
 *     entries that can be compared
 * @param time the last time that the filter was told, in milliseconds; {@code Long.MIN_VALUE} if
 *     none
 * @param falsePositiveBound the bound that was in force
 * @param estimatedFpp probability that an absent hash of an average key group is reported
 * @param sections parts of level files that belong to the filter, newest first
 */
@Internal
public record StoredCascade(
        int firstKeyGroup,
        int keyGroupCount,
        int partsOfKeyGroup,
        long time,
        double falsePositiveBound,
        double estimatedFpp,
        List<StoredSection> sections) {

    public StoredCascade {
        sections = List.copyOf(sections);
    }

    /**
     * The part of a level file that belongs to the filter.
     *
     * @param file the whole file
     * @param firstPart the first part of a key group in it, counted over all key groups
     * @param endPart the end of the parts in it, exclusive
     * @param entries in the part, tombstones included; exact for a whole file, else an estimate
     * @param tombstones how many of them say "removed", with the same accuracy
     * @param bucketEnd end of the time bucket of its entries in milliseconds, {@code
     *     Long.MAX_VALUE} if they never expire
     */
    public record StoredSection(
            LevelFileInfo file,
            int firstPart,
            int endPart,
            long entries,
            long tombstones,
            long bucketEnd) {}

    /**
     * Reads a manifest.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static StoredCascade of(byte[] manifest, String source) throws IOException {
        Manifest read = Manifest.of(manifest, source);
        KeyGroups keyGroups = read.wholeKeyGroups();
        double used = 0;
        List<StoredSection> sections = new ArrayList<>();
        for (Manifest.Listed listed : read.files()) {
            FileSection section =
                    new FileSection(
                            new StoredFile(listed.info(), null, null),
                            listed.section(),
                            listed.bucketEnd());
            used += ProbabilityBudget.used(section);
            sections.add(
                    new StoredSection(
                            listed.info(),
                            listed.section().first(),
                            listed.section().end(),
                            section.entries(),
                            section.tombstones(),
                            listed.bucketEnd()));
        }
        return new StoredCascade(
                keyGroups.first(),
                keyGroups.count(),
                read.parts().count(),
                read.time(),
                read.bound(),
                Math.min(1, used / read.keyGroups().count()),
                sections);
    }

    /** Entries of all files, tombstones and copies that no merge has dropped yet included. */
    public long entries() {
        return sections.stream().mapToLong(StoredSection::entries).sum();
    }
}
