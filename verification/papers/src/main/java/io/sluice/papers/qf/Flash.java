/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeOptionsBuilder;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A folder of the system's for files of one figure, deleted when it is closed. */
final class Flash implements AutoCloseable {
    private static final double FPP = 1e-3;

    private final Path folder;

    Flash() throws IOException {
        folder = Files.createTempDirectory("sluice-papers");
    }

    /** Read past the system's cache where the file system can. */
    NioDirectory directory() throws IOException {
        return new NioDirectory(folder, NioDirectory.Reads.DIRECT);
    }

    /** Options of a cascade without overviews or summaries: pages only, as in the paper. */
    static CascadeOptionsBuilder options(long keys, long buffered) {
        int quotientBits = 63 - Long.numberOfLeadingZeros((long) (buffered / 0.9));
        double hashBits = Math.ceil(Math.log(keys / (15.0 / 16 * FPP)) / Math.log(2));
        double slotBits = hashBits - quotientBits + 4.5;
        return CascadeOptions.builder()
                .falsePositiveProbability(FPP)
                .capacity(keys)
                .bufferBytes((long) (2 * slotBits / 8 * (1L << quotientBits)))
                .pageCacheBytes(1 << 16)
                .overviewBitsPerKey(0)
                .summaryBitsPerKey(0);
    }

    /** Waits until no merge runs and none has begun for a while. */
    static void awaitMerges(CascadeFilter filter) {
        for (int quiet = 0; quiet < 50; quiet++) {
            LockSupport.parkNanos(1_000_000);
            if (filter.statistics().mergesRunning() > 0) {
                quiet = 0;
            }
        }
    }

    @Override
    public void close() throws IOException {
        List<Path> all;
        try (Stream<Path> paths = Files.walk(folder)) {
            all = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }
}
