/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.format.CorruptFilterException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.IOUtils;

/**
 * Copies files to and from checkpoints in its own threads, with a checksum over the whole file in
 * both directions. Thread-safe. The threads end when they are idle.
 */
@Internal
public final class FileTransfer implements Closeable {

    private static final int BUFFER_BYTES = 256 << 10;

    private static final long IDLE_SECONDS = 10;

    private final ExecutorService threads;

    public FileTransfer(int threadCount) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threadCount,
                        threadCount,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            Thread thread = new Thread(task, "cascade-transfer");
                            thread.setDaemon(true);
                            return thread;
                        });
        pool.allowCoreThreadTimeOut(true);
        this.threads = pool;
    }

    /** Opens the file to upload. */
    @FunctionalInterface
    public interface Source {
        InputStream open() throws IOException;
    }

    /** Uploads one file. */
    static UploadedFiles.Held upload(
            Source source,
            CheckpointStreamFactory factory,
            CheckpointedStateScope scope,
            CloseableRegistry registry)
            throws IOException {
        CRC32C crc = new CRC32C();
        InputStream in = source.open();
        CheckpointStateOutputStream out = null;
        try {
            registry.registerCloseable(in);
            out = factory.createCheckpointStateOutputStream(scope);
            registry.registerCloseable(out);
            copy(in, out, crc);
            if (!registry.unregisterCloseable(out)) {
                throw new IOException("The checkpoint was cancelled.");
            }
            StreamStateHandle handle = out.closeAndGetHandle();
            out = null;
            if (handle == null) {
                throw new IOException("The checkpoint stream gave no handle for a file.");
            }
            return new UploadedFiles.Held(handle, (int) crc.getValue());
        } finally {
            registry.unregisterCloseable(in);
            IOUtils.closeQuietly(in);
            if (out != null) {
                registry.unregisterCloseable(out);
                IOUtils.closeQuietly(out);
            }
        }
    }

    /**
     * Downloads one file and checks that it is what was uploaded.
     *
     * @throws IOException naming the file and its copy, if it cannot be read or written
     * @throws CorruptFilterException naming the remote file, if it is not
     */
    public static void download(
            StreamStateHandle from,
            CompositeManifest.FilePart expected,
            Path to,
            CloseableRegistry registry)
            throws IOException {
        CRC32C crc = new CRC32C();
        InputStream in = from.openInputStream();
        OutputStream out = null;
        long bytes;
        try {
            registry.registerCloseable(in);
            out = Files.newOutputStream(to, StandardOpenOption.CREATE_NEW);
            registry.registerCloseable(out);
            bytes = copy(in, out, crc);
            registry.unregisterCloseable(out);
            out.close();
        } catch (IOException e) {
            // The message of the system, that the disk is full for example, names no file.
            throw new IOException(
                    from + " could not be copied to " + to + ": " + e.getMessage(), e);
        } finally {
            registry.unregisterCloseable(in);
            IOUtils.closeQuietly(in);
            registry.unregisterCloseable(out);
            IOUtils.closeQuietly(out);
        }
        check(
                "file " + expected.name() + " in the checkpoint (" + from + ")",
                expected,
                bytes,
                crc);
    }

    /**
     * Links a file of a local copy, and reads it once: a damaged copy must be found while the file
     * in the checkpoint can still replace it.
     *
     * @throws CorruptFilterException naming the file, if it is not what was stored
     */
    public static void link(Path from, CompositeManifest.FilePart expected, Path to)
            throws IOException {
        LocalCopy.link(from, to);
        CRC32C crc = new CRC32C();
        long bytes;
        try (InputStream in = Files.newInputStream(to)) {
            bytes = copy(in, OutputStream.nullOutputStream(), crc);
        }
        check("the local copy " + from + " of file " + expected.name(), expected, bytes, crc);
    }

    private static void check(
            String what, CompositeManifest.FilePart expected, long bytes, CRC32C crc)
            throws CorruptFilterException {
        if (bytes != expected.sizeBytes() || (int) crc.getValue() != expected.crc32c()) {
            throw new CorruptFilterException(
                    what,
                    Math.min(bytes, expected.sizeBytes()),
                    String.format(
                            "has %d bytes with checksum %08x, but %d bytes with checksum %08x were"
                                    + " stored",
                            bytes, (int) crc.getValue(), expected.sizeBytes(), expected.crc32c()));
        }
    }

    private static long copy(InputStream in, OutputStream out, CRC32C crc) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            crc.update(buffer, 0, n);
            out.write(buffer, 0, n);
            bytes += n;
        }
        return bytes;
    }

    /**
     * Runs tasks in parallel and waits for all of them, even after one has failed.
     *
     * @return their results, in order
     * @throws IOException the first failure, with the others suppressed
     */
    public <T> List<T> runAll(List<Callable<T>> tasks) throws IOException {
        List<Future<T>> futures = new ArrayList<>();
        try {
            tasks.forEach(task -> futures.add(threads.submit(task)));
        } catch (RejectedExecutionException e) {
            futures.forEach(future -> future.cancel(true));
            throw closed(e);
        }
        List<T> results = new ArrayList<>();
        IOException failure = null;
        for (Future<T> future : futures) {
            try {
                results.add(future.get());
            } catch (ExecutionException e) {
                failure = join(failure, e.getCause());
            } catch (CancellationException e) {
                failure = join(failure, closed(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                futures.forEach(other -> other.cancel(true));
                throw new IOException("Interrupted while files were copied.", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return results;
    }

    private static IOException closed(RuntimeException cause) {
        return new IOException("The state backend was closed while files were copied.", cause);
    }

    private static IOException join(IOException failure, Throwable next) {
        IOException asIo = next instanceof IOException io ? io : new IOException(next);
        if (failure == null) {
            return asIo;
        }
        failure.addSuppressed(asIo);
        return failure;
    }

    /** Aborts what is being copied; {@link #runAll} then fails. */
    @Override
    public void close() {
        for (Runnable waiting : threads.shutdownNow()) {
            if (waiting instanceof Future<?> future) {
                future.cancel(true);
            }
        }
    }
}
