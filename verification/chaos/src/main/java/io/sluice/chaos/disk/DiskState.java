/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * How a disk behaves: a line of a file that the run writes, and the file systems in other processes
 * read.
 *
 * @param isFull whether writes find no space
 * @param errorProbability of each operation
 * @param seed of the errors
 */
public record DiskState(boolean isFull, double errorProbability, long seed) {
    /** Everything works. */
    public static final DiskState HEALTHY = new DiskState(false, 0, 0);

    /** Writes find no space. */
    public static final DiskState FULL = new DiskState(true, 0, 0);

    /** Operations fail with this probability each. */
    public static DiskState errors(double probability, long seed) {
        return new DiskState(false, probability, seed);
    }

    /** Makes the file systems that read {@code file} behave like this. */
    public void write(Path file) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(unfinished, isFull + " " + errorProbability + " " + seed);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** What {@code file} says; healthy if there is none. */
    static DiskState read(Path file) throws IOException {
        try {
            String[] words = Files.readString(file).split(" ", 3);
            return new DiskState(
                    Boolean.parseBoolean(words[0]),
                    Double.parseDouble(words[1]),
                    Long.parseLong(words[2]));
        } catch (NoSuchFileException e) {
            return HEALTHY;
        }
    }
}
