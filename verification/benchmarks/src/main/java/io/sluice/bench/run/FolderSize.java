/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import java.io.File;
import java.nio.file.Path;

/**
 * Files, directories and bytes in a directory. Directories count as files: an empty one that stays
 * is a leak, too.
 */
public record FolderSize(long files, long bytes) {

    /** Counts while others write and delete there: what is gone meanwhile is empty. */
    public static FolderSize of(Path directory) {
        return of(directory.toFile());
    }

    private static FolderSize of(File directory) {
        File[] children = directory.listFiles();
        long files = directory.exists() ? 1 : 0;
        long bytes = 0;
        for (File child : children == null ? new File[0] : children) {
            if (child.isDirectory()) {
                FolderSize inner = of(child);
                files += inner.files;
                bytes += inner.bytes;
            } else {
                files++;
                bytes += child.length();
            }
        }
        return new FolderSize(files, bytes);
    }
}
