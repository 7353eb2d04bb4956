/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.StoredCascade;
import io.sluice.filter.cascade.StoredCascade.StoredSection;
import io.sluice.filter.sample.StoredSample;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.StoredParts;
import java.io.BufferedInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Adds up what the manifests of all subtasks say about one membership state. */
final class CascadeSummary {

    private final MembershipInfo info;
    private final Map<String, Long> fileBytes = new HashMap<>();
    private final Map<Series, Totals> series =
            new TreeMap<>(
                    Comparator.comparingLong(Series::bucketEnd).thenComparingInt(Series::hashBits));
    private int keyGroups;
    private double bound;
    private double fppOfKeyGroups;
    private long tombstones;
    private long watched;

    CascadeSummary(MembershipInfo info) {
        this.info = info;
    }

    private record Series(long bucketEnd, int hashBits) {}

    private static final class Totals {
        private final Set<String> files = new HashSet<>();
        private long entries;
        private long bytes;
    }

    /** Adds a subtask's filter. */
    void add(CompositeManifest.StatePart part, StoredParts files, String source)
            throws IOException {
        StoredCascade stored = StoredCascade.of(part.filterManifest(), source);
        keyGroups += stored.keyGroupCount();
        bound = Math.max(bound, stored.falsePositiveBound());
        fppOfKeyGroups += stored.estimatedFpp() * stored.keyGroupCount();
        watched += part.sample() == null ? 0 : sample(part.sample(), files, source).size();
        for (CompositeManifest.FilePart file : part.files()) {
            fileBytes.put(file.name(), file.sizeBytes());
        }
        for (StoredSection section : stored.sections()) {
            tombstones += section.tombstones();
            Totals totals =
                    series.computeIfAbsent(
                            new Series(section.bucketEnd(), section.file().hashBits()),
                            key -> new Totals());
            totals.entries += section.entries();
            if (totals.files.add(section.file().name())) {
                totals.bytes += section.file().sizeBytes();
            }
        }
    }

    private static StoredSample sample(
            CompositeManifest.FilePart part, StoredParts files, String source) throws IOException {
        StreamStateHandle file = files.files().get(part.name());
        if (file == null) {
            throw new FileNotFoundException(
                    source + ": " + part.name() + " is not in the checkpoint");
        }
        try (InputStream in = new BufferedInputStream(file.openInputStream())) {
            return StoredSample.readFrom(in, source + ", " + part.name());
        }
    }

    CascadeReport report() {
        long bytes = fileBytes.values().stream().mapToLong(Long::longValue).sum();
        long entries = series.values().stream().mapToLong(totals -> totals.entries).sum();
        List<CascadeReport.Generation> generations = new ArrayList<>();
        series.forEach(
                (of, totals) ->
                        generations.add(
                                new CascadeReport.Generation(
                                        end(of.bucketEnd),
                                        of.hashBits,
                                        totals.files.size(),
                                        totals.entries,
                                        totals.bytes)));
        return new CascadeReport(
                info.name(),
                CascadeReport.ENGINE,
                bytes,
                fileBytes.size(),
                keyGroups,
                info.falsePositiveProbability(),
                bound,
                keyGroups == 0 ? 0 : fppOfKeyGroups / keyGroups,
                info.timeToLiveMillis() == 0 ? null : Long.valueOf(info.timeToLiveMillis()),
                entries,
                tombstones,
                entries == 0 ? null : Double.valueOf((double) bytes * Byte.SIZE / entries),
                watched,
                generations);
    }

    @Nullable
    private static Long end(long bucketEnd) {
        return bucketEnd == Long.MAX_VALUE ? null : Long.valueOf(bucketEnd);
    }
}
