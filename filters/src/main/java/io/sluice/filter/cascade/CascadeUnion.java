/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.annotation.Internal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes the {@linkplain CascadeSnapshot#manifest manifest} of a filter that holds what any of
 * several stored filters holds, without reading their files: their level files are listed together.
 * Each entry keeps the time bucket that it had. Files that several of them list, as after a common
 * beginning, are listed once.
 *
 * <p>A tombstone hides what is older, and among the files of several filters it is not known what
 * is. So those of a filter with tombstones are listed last, where they hide nothing of the others;
 * only one filter may have any.
 */
@Internal
public final class CascadeUnion {

    private CascadeUnion() {}

    /**
     * Makes a manifest.
     *
     * @param base says which key groups, and what time it is
     * @param others of the same key groups, or of some of them
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if a manifest is damaged
     * @throws IllegalArgumentException if they have no union: key groups are divided in different
     *     ways, or two of them have tombstones
     */
    public static byte[] of(byte[] base, List<byte[]> others, String source) throws IOException {
        Manifest ofBase = Manifest.of(base, source);
        List<Manifest> all = new ArrayList<>();
        all.add(ofBase);
        for (byte[] other : others) {
            all.add(Manifest.of(other, source));
        }
        // Only those that have entries say how key groups are divided.
        Manifest divided =
                all.stream()
                        .filter(manifest -> !manifest.files().isEmpty())
                        .findFirst()
                        .orElse(ofBase);
        KeyGroups keyGroups = divided.parts().of(ofBase.wholeKeyGroups());
        Set<Manifest.Listed> listed = new HashSet<>();
        List<Manifest.Listed> plain = new ArrayList<>();
        List<Manifest.Listed> last = new ArrayList<>();
        double bound = ofBase.bound();
        for (Manifest manifest : all) {
            if (manifest.files().isEmpty()) {
                continue;
            }
            if (!manifest.parts().equals(divided.parts())) {
                throw new IllegalArgumentException(
                        "key groups are divided into "
                                + divided.parts().count()
                                + " and "
                                + manifest.parts().count()
                                + " parts");
            }
            List<Manifest.Listed> sections = new ArrayList<>();
            for (Manifest.Listed file : manifest.files()) {
                if (file.section().overlaps(keyGroups)) {
                    sections.add(
                            new Manifest.Listed(
                                    file.info(), file.section().and(keyGroups), file.bucketEnd()));
                }
            }
            boolean hasTombstones =
                    sections.stream().anyMatch(file -> file.info().tombstones() > 0);
            if (!hasTombstones) {
                sections.stream().filter(listed::add).forEach(plain::add);
            } else if (last.isEmpty()) {
                last.addAll(sections);
            } else if (!last.equals(sections)) {
                throw new IllegalArgumentException(
                        "keys were removed in both, and it is not known which removal is newer");
            }
            bound = Math.max(bound, manifest.bound());
        }
        last.removeAll(plain);
        // So that merges join files of the same time bucket and bits.
        plain.sort(
                Comparator.comparingLong(Manifest.Listed::bucketEnd)
                        .thenComparingInt(file -> file.info().hashBits())
                        .reversed());
        plain.addAll(last);
        return new Manifest(keyGroups, divided.parts(), ofBase.time(), bound, plain).toBytes();
    }
}
