/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system that may be full: no other, and nothing else that anybody needs, is on it. */
public final class SmallDisk {
    private static final long MIB = 1L << 20;
    private static final long MIN_BYTES = 256 * MIB;
    private static final long MAX_BYTES = 4096 * MIB;

    private SmallDisk() {}

    /**
     * The folder of a run on it.
     *
     * @param folder on the small file system
     * @param out where the run has all else; it need not exist
     * @throws IllegalArgumentException if the file system must not be filled, with the fix
     */
    public static Path folder(Path folder, Path out) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException(
                    "--disk " + folder + " is not a folder: " + remedy(folder));
        }
        FileStore disk = Files.getFileStore(folder);
        requireSize(folder, disk.getTotalSpace());
        Path existing = out.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (Files.getFileStore(existing).equals(disk)) {
            throw new IllegalArgumentException(
                    "--out "
                            + out
                            + " is on the file system of --disk, where the broker would find no"
                            + " room: name a folder on another one");
        }
        return folder.toAbsolutePath().resolve("sluice-chaos");
    }

    static void requireSize(Path folder, long bytes) {
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "--disk "
                            + folder
                            + " is on a file system of "
                            + bytes / MIB
                            + " MB, which would be filled to the last byte; at most "
                            + MAX_BYTES / MIB
                            + " are allowed: "
                            + remedy(folder));
        }
        if (bytes < MIN_BYTES) {
            throw new IllegalArgumentException(
                    "--disk "
                            + folder
                            + " is on a file system of "
                            + bytes / MIB
                            + " MB; a run needs at least "
                            + MIN_BYTES / MIB
                            + ": "
                            + remedy(folder));
        }
    }

    private static String remedy(Path folder) {
        return "mount a small one there, such as 'mount -t tmpfs -o size=600m tmpfs "
                + folder
                + "'";
    }
}
