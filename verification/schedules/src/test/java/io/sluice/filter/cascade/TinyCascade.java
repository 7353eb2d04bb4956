/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.schedules.CountedMemory;
import io.sluice.schedules.OpenFiles;
import io.sluice.schedules.Schedules;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A filter whose buffers hold a handful of entries, with threads, memory and files that are
 * counted. Its ids differ in the bits that entries keep, so a set of them is an exact model.
 */
final class TinyCascade {

    private static final int THREADS = 3;

    private static final int PAGES = 4;

    private static final int PAGE_BYTES = 4096;

    private static final int BUFFER_BYTES = 1 << 10;

    /** Entries of a buffer, however much memory there is. */
    private static final int CAPACITY = 7;

    private static final long MIX = 0x9e3779b97f4a7c15L;

    final CrashableDirectory files = new CrashableDirectory();
    final OpenFiles directory = new OpenFiles(files);
    final CountedMemory memory = new CountedMemory();
    private final ExecutorService threads;
    private final CascadeResources resources;

    private TinyCascade(ExecutorService threads, CascadeResources resources) {
        this.threads = threads;
        this.resources = resources;
    }

    private static TinyCascade create(int pages) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        PageCache cache = new PageCache((long) pages * PAGE_BYTES);
        return new TinyCascade(threads, CascadeResources.of(cache, threads));
    }

    /** Another directory and other memory, for a filter that shares threads and pages. */
    TinyCascade neighbour() {
        return new TinyCascade(threads, resources);
    }

    /** Options of a filter that shares this one's threads and pages. */
    CascadeOptionsBuilder options() {
        return own().resources(resources);
    }

    /** Options of a filter whose owner does what has to be done. */
    CascadeOptionsBuilder idle() {
        return own().resources(CascadeResources.of(new PageCache(PAGE_BYTES), task -> {}));
    }

    /** Options of a filter that has threads and pages of its own. */
    CascadeOptionsBuilder own() {
        return CascadeOptions.builder()
                .divideKeyGroups(false)
                .capacity(CAPACITY)
                .capacityPolicy(CapacityPolicy.RAISE_PROBABILITY)
                .falsePositiveProbability(0x1p-20)
                .bufferBytes(BUFFER_BYTES)
                .bufferMemory(memory::piece)
                .overviewBitsPerKey(0)
                .mergePolicy(MergePolicy.fewFiles(1));
    }

    CascadeFilter open(CascadeOptionsBuilder options) throws IOException {
        return CascadeFilter.open(directory, options.build());
    }

    static long hash(int id) {
        return (id + 1) * MIX;
    }

    static void add(CascadeFilter filter, int from, int to) {
        for (int id = from; id < to; id++) {
            assertThat(filter.add(hash(id))).as("id %s is new", id).isTrue();
        }
    }

    /** The ids among the first {@code count} that the filter holds. */
    static Set<Integer> held(CascadeFilter filter, int count) {
        Set<Integer> held = new TreeSet<>();
        for (int id = 0; id < count; id++) {
            if (filter.mightContain(hash(id))) {
                held.add(id);
            }
        }
        return held;
    }

    static Set<Integer> ids(int from, int to) {
        return new TreeSet<>(IntStream.range(from, to).boxed().toList());
    }

    /** Copies a snapshot that was prepared, and says which of the first ids the copy holds. */
    static Set<Integer> copied(CascadeSnapshot snapshot, int count) throws IOException {
        CrashableDirectory copy = new CrashableDirectory();
        for (CascadeSnapshot.File file : snapshot.files()) {
            try (InputStream in = file.open()) {
                copy.put(file.name(), in.readAllBytes());
            }
        }
        // Nothing is done in the background, and nothing need be.
        CascadeResources none = CascadeResources.of(new PageCache(PAGE_BYTES), task -> {});
        CascadeOptions options =
                CascadeOptions.builder()
                        .divideKeyGroups(false)
                        .capacity(CAPACITY)
                        .capacityPolicy(CapacityPolicy.RAISE_PROBABILITY)
                        .falsePositiveProbability(0x1p-20)
                        .bufferBytes(BUFFER_BYTES)
                        .overviewBitsPerKey(0)
                        .syncPolicy(SyncPolicy.NEVER)
                        .resources(none)
                        .build();
        try (CascadeFilter filter =
                CascadeFilter.restore(copy, options, List.of(snapshot.manifest()))) {
            Set<Integer> held = held(filter, count);
            try (EntryCursor entries = filter.scan()) {
                int entriesInAll = 0;
                long[] batch = new long[64];
                for (int n = entries.next(batch); n > 0; n = entries.next(batch)) {
                    entriesInAll += n;
                }
                assertThat(entriesInAll).as("entries of the copy").isEqualTo(held.size());
            }
            return held;
        }
    }

    /** What is done with a filter and its surroundings. */
    interface Body {
        void run(TinyCascade tiny) throws Exception;
    }

    /**
     * Explores what is done with filters that it also closes, and that nothing of them is left.
     *
     * @param name of the test, for the report
     */
    static void explore(String name, Body body) {
        explore(name, PAGES, body);
    }

    /**
     * As {@link #explore(String, Body)}.
     *
     * @param pages that the cache holds
     */
    static void explore(String name, int pages, Body body) {
        Schedules.explore(
                name,
                () -> {
                    TinyCascade tiny = create(pages);
                    try {
                        body.run(tiny);
                    } finally {
                        tiny.end();
                    }
                    tiny.assertNothingIsLeft();
                });
    }

    /** Ends the threads, once everything in the background is done. */
    private void end() throws InterruptedException {
        resources.close();
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    /** That closed filters and snapshots have left nothing, once the background is at rest. */
    void assertNothingIsLeft() throws IOException {
        assertThat(directory.open()).as("files that are open").isEmpty();
        assertThat(memory.bytes()).as("bytes of buffers").isZero();
        assertThat(levelFiles()).as("level files").isEqualTo(listedFiles());
    }

    private Set<String> levelFiles() {
        return new TreeSet<>(files.list().stream().filter(CascadeFileNames::isLevel).toList());
    }

    /** What the list that is durable names. */
    private Set<String> listedFiles() throws IOException {
        Set<String> listed = new TreeSet<>();
        ManifestStore.open(files, false)
                .read()
                .ifPresent(
                        manifest ->
                                manifest.files().forEach(file -> listed.add(file.info().name())));
        return listed;
    }
}
