/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.EntryMerge;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.LevelFileOptions;
import io.sluice.filter.cascade.file.LevelFileWriter;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does an entry of a level file cost when it is looked up in a cached page, ruled out by the
 * summary, read in order, written, merged? Two files of 2 million entries, in the operating
 * system's cache, and their union; 10 bits of hash between neighbours.
 *
 * <pre>
 * ./sluice bench jmh LevelFileBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LevelFileBenchmark {
    private static final int KEY_GROUPS = 32;
    private static final int HASH_BITS = 27;
    private static final int ENTRIES = 1 << 22;
    private static final int QUESTIONS = 1 << 16;
    private static final int SUMMARY_BITS = 8;
    private static final String WRITTEN = "written";

    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] present = new long[QUESTIONS];
    private final long[] sorted = new long[QUESTIONS];
    private final long[] absent = new long[QUESTIONS];
    private final long[] batch = new long[LevelFile.MAX_PAGE_ENTRIES];
    private Path folder;
    private NioDirectory directory;
    private long[] entries;
    private List<LevelFile> inputs;
    private LevelFile file;

    @Setup
    public void fill() throws IOException {
        folder = Files.createTempDirectory("level-files");
        directory = new NioDirectory(folder);
        entries = ascending(ENTRIES);
        PageCache cache = new PageCache(2L * ENTRIES);
        LevelFileOptions options = LevelFileOptions.ofHashBits(HASH_BITS);
        inputs =
                List.of(
                        write("input-1", ascending(ENTRIES / 2), options, cache),
                        write("input-2", ascending(ENTRIES / 2), options, cache));
        file = write("all", entries, options.withSummary(SUMMARY_BITS).warming(cache), cache);
        for (int i = 0; i < QUESTIONS; i++) {
            present[i] = entries[random.nextInt(entries.length)];
            sorted[i] = present[i];
            absent[i] = entry();
        }
        Arrays.sort(sorted);
    }

    private LevelFile write(String name, long[] content, LevelFileOptions options, PageCache cache)
            throws IOException {
        try (LevelFileWriter writer = LevelFileWriter.create(directory, name, options)) {
            writer.add(content, 0, content.length);
            writer.finish(false);
            return writer.open(cache);
        }
    }

    private long[] ascending(int count) {
        return random.longs(count).map(any -> entry()).sorted().distinct().toArray();
    }

    private long entry() {
        return Entries.of(random.nextInt(KEY_GROUPS), random.nextLong()) & Entries.mask(HASH_BITS);
    }

    @Benchmark
    @OperationsPerInvocation(QUESTIONS)
    public long findPresent() throws IOException {
        return findAll(present);
    }

    @Benchmark
    @OperationsPerInvocation(QUESTIONS)
    public long findPresentInOrder() throws IOException {
        return findAll(sorted);
    }

    @Benchmark
    @OperationsPerInvocation(QUESTIONS)
    public long findAbsent() throws IOException {
        return findAll(absent);
    }

    private long findAll(long[] questions) throws IOException {
        long sum = 0;
        for (long question : questions) {
            sum += file.find(question);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(QUESTIONS)
    public long askTheSummary() {
        long sum = 0;
        for (long question : absent) {
            sum += file.mightFind(question) ? 1 : 0;
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public long readInOrder() throws IOException {
        long sum = 0;
        try (EntryCursor cursor = file.cursor()) {
            for (int n = cursor.next(batch); n > 0; n = cursor.next(batch)) {
                sum += batch[n - 1];
            }
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public long writeFile() throws IOException {
        return written(LevelFileOptions.ofHashBits(HASH_BITS));
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public long writeFileWithSummary() throws IOException {
        return written(LevelFileOptions.ofHashBits(HASH_BITS).withSummary(SUMMARY_BITS));
    }

    private long written(LevelFileOptions options) throws IOException {
        try (LevelFileWriter writer = LevelFileWriter.create(directory, WRITTEN, options)) {
            writer.add(entries, 0, entries.length);
            long bytes = writer.finish(false).sizeBytes();
            directory.delete(WRITTEN);
            return bytes;
        }
    }

    /** Merges two files into a third one. */
    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public long mergeTwoFiles() throws IOException {
        LevelFileOptions options = LevelFileOptions.ofHashBits(HASH_BITS);
        List<EntryCursor> cursors = List.of(inputs.get(0).cursor(), inputs.get(1).cursor());
        try (EntryCursor merged = EntryMerge.of(cursors, false);
                LevelFileWriter writer = LevelFileWriter.create(directory, WRITTEN, options)) {
            long[] batch = new long[LevelFile.MAX_PAGE_ENTRIES];
            for (int n = merged.next(batch); n > 0; n = merged.next(batch)) {
                writer.add(batch, 0, n);
            }
            long bytes = writer.finish(false).sizeBytes();
            directory.delete(WRITTEN);
            return bytes;
        }
    }

    @TearDown
    public void remove() throws IOException {
        file.close();
        for (LevelFile input : inputs) {
            input.close();
        }
        for (String name : directory.list()) {
            directory.delete(name);
        }
        Files.delete(folder);
    }
}
