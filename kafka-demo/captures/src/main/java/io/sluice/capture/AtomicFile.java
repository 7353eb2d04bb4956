/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes a file completely or not at all: into a temporary file beside it, which is forced to disk
 * and then renamed over the target. A failure, such as a full disk, leaves the target as it was and
 * no temporary file.
 */
public final class AtomicFile {
    /** Writes the contents. */
    @FunctionalInterface
    public interface Contents {
        /** Writes everything; may close. */
        void writeTo(OutputStream out) throws IOException;
    }

    private static final int BUFFER_BYTES = 1 << 16;

    private AtomicFile() {}

    /**
     * Replaces {@code target} by {@code contents}.
     *
     * @throws IOException if that fails, with one line that names the target and what to check;
     *     then nothing has changed
     */
    public static void write(Path target, Contents contents) throws IOException {
        try {
            writeTemporary(target.toAbsolutePath(), contents);
        } catch (FileSystemException e) {
            // Its message is the temporary file's name; the reason, if any, is separate.
            throw failed(target, e.getReason() == null ? kindOf(e) : e.getReason(), e);
        } catch (IOException e) {
            throw failed(target, e.getMessage(), e);
        }
    }

    private static void writeTemporary(Path target, Contents contents) throws IOException {
        Path temporary = temporaryFor(target);
        try {
            try (FileChannel channel =
                    FileChannel.open(
                            temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                OutputStream out = new Unclosed(Channels.newOutputStream(channel));
                contents.writeTo(out);
                out.flush();
                channel.force(true);
            }
            Files.move(
                    temporary,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException e) {
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException cleanup) {
                e.addSuppressed(cleanup);
            }
            throw e;
        }
    }

    /** Not by {@link Files#createTempFile}: others may read the target, as far as umask allows. */
    private static Path temporaryFor(Path target) {
        String random = Long.toHexString(ThreadLocalRandom.current().nextLong());
        return target.resolveSibling(target.getFileName() + "." + random + ".tmp");
    }

    private static String kindOf(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "no such folder";
        }
        return e instanceof AccessDeniedException ? "permission denied" : e.toString();
    }

    private static IOException failed(Path target, String reason, IOException cause) {
        return new IOException(
                target
                        + ": cannot be written ("
                        + reason
                        + "): check the folder, its permissions and the space left",
                cause);
    }

    /** The writer may close the contents; the channel must stay open to be forced. */
    private static final class Unclosed extends BufferedOutputStream {
        Unclosed(OutputStream out) {
            super(out, BUFFER_BYTES);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
