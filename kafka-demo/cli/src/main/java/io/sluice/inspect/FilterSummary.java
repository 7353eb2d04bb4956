/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.forgetful.StoredWindow.StoredGeneration;
import io.sluice.filter.forgetful.StoredWindow.StoredSegment;
import io.sluice.filter.format.FilterReader;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupHeader;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;

/** Adds up what the key groups of an operator say in their headers. Not thread-safe. */
final class FilterSummary {

    /** Headers are some hundred bytes; identities may be larger. */
    private static final int BUFFER_BYTES = 4 << 10;

    private final Set<String> layouts = new LinkedHashSet<>();
    private final Set<String> idTypes = new LinkedHashSet<>();
    private final Set<String> arrayLayouts = new TreeSet<>();
    private final Set<String> files = new HashSet<>();
    private long bytes;
    private int keyGroups;
    private int keyGroupsWithIds;

    /** Of the key groups that have a filter. */
    private int filters;

    /** The last one, for what is the same in all. */
    @Nullable private StoredWindow any;

    private long ids;
    private double capacity;
    private int minGenerations = Integer.MAX_VALUE;
    private int maxGenerations;
    private long oldest = Long.MAX_VALUE;
    private long newest = Long.MIN_VALUE;
    private long clock = Long.MAX_VALUE;
    private long coveredSince = Long.MIN_VALUE;
    private double sumOfFpp;
    private double maxFpp;
    private long firsts;
    private long dropped;
    private long missed;
    private long overflows;

    /** Whether the stream begins as one of ours does. */
    static boolean isOurs(KeyGroupsStateHandle handle) throws IOException {
        List<KeyGroupRegions.Part> parts = KeyGroupRegions.of(handle);
        long length = handle.getDelegateStateHandle().getStateSize();
        if (parts.isEmpty() || !KeyGroupRegions.areInside(parts, length)) {
            return false;
        }
        byte[] begin = new byte[Integer.BYTES + Short.BYTES];
        try (FSDataInputStream in = handle.openInputStream()) {
            in.seek(parts.get(0).from());
            if (in.readNBytes(begin, 0, begin.length) < begin.length) {
                return false;
            }
        }
        int kind = (begin[4] & 0xff) | (begin[5] & 0xff) << Byte.SIZE;
        return begin[0] == 'S'
                && begin[1] == 'L'
                && begin[2] == 'C'
                && begin[3] == 'F'
                && kind == KeyGroupHeader.KIND;
    }

    /** Reads the headers of a subtask's state. A key group that cannot be read is a problem. */
    void add(StoredStream stream, KeyGroupsStateHandle handle, Consumer<Problem> problems)
            throws IOException {
        bytes += stream.bytes();
        stream.path().ifPresent(path -> files.add(path.toString()));
        try (FSDataInputStream in = handle.openInputStream()) {
            for (KeyGroupRegions.Part part : KeyGroupRegions.of(handle)) {
                try {
                    add(part, new Region(in, part.from(), part.end(), BUFFER_BYTES, n -> {}));
                } catch (IOException e) {
                    problems.accept(Problem.of(stream, part.from(), e));
                }
            }
        }
    }

    private void add(KeyGroupRegions.Part part, Region in) throws IOException {
        String source = "key group " + part.keyGroup();
        KeyGroupHeader header = KeyGroupHeader.readFrom(in, source);
        keyGroups++;
        layouts.add(header.layout());
        if (header.identity().length > 0) {
            idTypes.addAll(IdsIdentity.typeNames(header.identity(), source));
        }
        if (!header.hasStructure()) {
            return;
        }
        keyGroupsWithIds++;
        long at = in.position();
        if (FilterReader.ofAnyKind(in, source).kind() == StoredDeduplicator.KIND) {
            in.seek(at);
            add(StoredDeduplicator.readFrom(in, source));
        }
    }

    private void add(StoredDeduplicator stored) {
        StoredWindow window = stored.filter();
        filters++;
        any = window;
        ids += window.ids();
        int generations = window.generations();
        minGenerations = Math.min(minGenerations, generations);
        maxGenerations = Math.max(maxGenerations, generations);
        clock = Math.min(clock, window.clock());
        coveredSince = Math.max(coveredSince, window.coveredSince());
        double fpp = window.predictedFpp();
        sumOfFpp += fpp;
        maxFpp = Math.max(maxFpp, fpp);
        overflows += window.overflows();
        firsts += stored.sample().error().firsts();
        dropped += stored.sample().error().dropped();
        missed += stored.sample().missed();
        for (StoredSegment segment : window.segments()) {
            arrayLayouts.add(segment.layout().name());
            capacity += segment.capacity();
            for (StoredGeneration generation : segment.generations()) {
                oldest = Math.min(oldest, generation.begin());
                newest = Math.max(newest, generation.end());
            }
        }
    }

    boolean isEmpty() {
        return keyGroups == 0 && bytes == 0;
    }

    FilterReport report() {
        boolean has = any != null;
        return new FilterReport(
                FilterReport.STATE,
                FilterReport.ENGINE,
                String.join("; ", layouts),
                List.copyOf(idTypes),
                bytes,
                files.size(),
                keyGroups,
                keyGroupsWithIds,
                has ? any.options().windowMillis() : null,
                has ? any.options().fpp() : null,
                has ? any.options().maxFpp() : null,
                has ? any.options().expectedPerWindow() : null,
                has ? any.options().overflow().name() : null,
                List.copyOf(arrayLayouts),
                has ? ids : null,
                has ? capacity : null,
                has ? ids / capacity : null,
                has ? minGenerations : null,
                has ? maxGenerations : null,
                time(oldest),
                time(newest),
                time(clock),
                time(coveredSince),
                has ? sumOfFpp / filters : null,
                has ? maxFpp : null,
                has ? firsts : null,
                has ? dropped : null,
                has ? missed : null,
                has ? overflows : null);
    }

    @Nullable
    private static Long time(long millis) {
        return millis == Long.MIN_VALUE || millis == Long.MAX_VALUE ? null : Long.valueOf(millis);
    }
}
