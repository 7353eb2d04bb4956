/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Files, directories and bytes below a directory while others write and delete there. */
record FolderSize(long files, long bytes) {

    /** Directories count as files: an empty one that stays is a leak, too. */
    static FolderSize of(Path directory) throws IOException {
        long[] sums = new long[2];
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        sums[0]++;
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        sums[0]++;
                        sums[1] += attributes.size();
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e)
                            throws IOException {
                        return goOnIfGone(e);
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path folder, IOException e)
                            throws IOException {
                        return e == null ? FileVisitResult.CONTINUE : goOnIfGone(e);
                    }
                });
        return new FolderSize(sums[0], sums[1]);
    }

    private static FileVisitResult goOnIfGone(IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }
}
