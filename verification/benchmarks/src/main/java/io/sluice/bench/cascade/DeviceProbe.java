/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.capture.traffic.SplitMix64;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What the device under a directory can do: sequential bandwidth and random reads of 4 KiB, past
 * all caches of this system (a virtual device may have others behind it). A queue depth is a number
 * of threads that each wait for one read. The file stays until {@link #close}, so that random reads
 * can be measured again between the measurements compared with them.
 */
final class DeviceProbe implements Closeable {
    static final int DEPTH = 32;
    private static final int CHUNK_BYTES = 1 << 20;

    private final DirectFile file;
    private final long bytes;
    private final double writeBytesPerSecond;
    private long seed = SplitMix64.GAMMA;

    /** Writes a file of {@code bytes} random bytes, a multiple of 1 MiB. */
    DeviceProbe(Path path, long bytes) throws IOException {
        if (bytes < CHUNK_BYTES || bytes % CHUNK_BYTES != 0) {
            throw new IllegalArgumentException(
                    "bytes must be a positive multiple of " + CHUNK_BYTES + ", got " + bytes);
        }
        this.bytes = bytes;
        this.file = new DirectFile(path);
        ByteBuffer chunk = DirectFile.buffer(CHUNK_BYTES);
        for (int i = 0; i < CHUNK_BYTES; i += Long.BYTES) {
            chunk.putLong(i, SplitMix64.mix(i + 1));
        }
        long start = System.nanoTime();
        for (long at = 0; at < bytes; at += CHUNK_BYTES) {
            file.write(chunk.clear().putLong(0, at), at);
        }
        file.sync();
        writeBytesPerSecond = bytes / seconds(start);
    }

    /** Adds the limits of the device, each kind of random read measured for some seconds. */
    void figures(BenchReport report, double seconds) throws IOException {
        report.progress("device, past the caches of this system");
        String name = "cascade.device.";
        String chunks = "1 MiB at a time";
        report.add(name + "write.GBs", writeBytesPerSecond / 1e9, "GB/s", "", chunks);
        report.add(name + "read.GBs", readBytesPerSecond() / 1e9, "GB/s", "", chunks);
        for (int depth : new int[] {1, DEPTH}) {
            double reads = randomReadsPerSecond(depth, seconds);
            String how = "4 KiB, by " + depth + " threads";
            report.add(name + "randomReads.depth" + depth, reads, "reads/s", "", how);
        }
    }

    /** Reads the file once from front to back in steps of 1 MiB. */
    private double readBytesPerSecond() throws IOException {
        ByteBuffer chunk = DirectFile.buffer(CHUNK_BYTES);
        long start = System.nanoTime();
        for (long at = 0; at < bytes; at += CHUNK_BYTES) {
            file.read(chunk.clear(), at);
        }
        return bytes / seconds(start);
    }

    /** Random reads of one page a second, {@code depth} at a time, for some seconds. */
    double randomReadsPerSecond(int depth, double forSeconds) throws IOException {
        long start = System.nanoTime();
        long end = start + (long) (forSeconds * 1e9);
        ExecutorService readers = Executors.newFixedThreadPool(depth);
        try {
            List<Future<Long>> counts = new ArrayList<>();
            for (int i = 0; i < depth; i++) {
                long own = SplitMix64.mix(seed += SplitMix64.GAMMA);
                counts.add(readers.submit(() -> readUntil(end, own)));
            }
            long reads = 0;
            for (Future<Long> count : counts) {
                reads += count.get();
            }
            return reads / seconds(start);
        } catch (ExecutionException e) {
            throw new IOException("random reads failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the device was measured", e);
        } finally {
            readers.shutdownNow();
        }
    }

    private long readUntil(long end, long seed) throws IOException {
        ByteBuffer page = DirectFile.buffer(DirectFile.PAGE_BYTES);
        long pages = bytes / DirectFile.PAGE_BYTES;
        long count = 0;
        // At least one: rates are divided by what comes out.
        do {
            long random = SplitMix64.mix(seed + count * SplitMix64.GAMMA);
            long number = Math.multiplyHigh(random >>> 1, 2 * pages);
            file.read(page.clear(), number * DirectFile.PAGE_BYTES);
            count++;
        } while (System.nanoTime() - end < 0);
        return count;
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
