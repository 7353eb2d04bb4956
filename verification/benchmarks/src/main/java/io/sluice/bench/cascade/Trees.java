/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Operations on whole directories. Files may vanish meanwhile: background work deletes what it has
 * merged.
 */
final class Trees {
    private Trees() {}

    /** Bytes of all files under {@code directory}. */
    static long bytes(Path directory) throws IOException {
        long[] sum = {0};
        Files.walkFileTree(
                directory,
                new Visitor() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        sum[0] += attributes.size();
                        return FileVisitResult.CONTINUE;
                    }
                });
        return sum[0];
    }

    static void delete(Path directory) throws IOException {
        Files.walkFileTree(
                directory,
                new Visitor() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path visited, IOException failure)
                            throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        Files.delete(visited);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /** Skips files that are gone by the time they are visited. */
    private static class Visitor extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
