/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.figure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * How large figures are computed, and what they are compared with.
 *
 * @param quick whether sizes are small
 * @param timed whether times mean anything: the machine is idle
 * @param seed of all random numbers
 * @param reference a folder with the tables of an independent implementation, which may be absent
 */
public record Run(boolean quick, boolean timed, long seed, Path reference) {

    /** One of two sizes. */
    public int size(int full, int quickly) {
        return quick ? quickly : full;
    }

    /** Whether there is anything to compare with. */
    public boolean hasReference() {
        return Files.isDirectory(reference);
    }

    /** A table to compare with; empty if there is none. */
    public Table reference(String file) throws IOException {
        return hasReference()
                ? Table.parse(Files.readAllLines(reference.resolve(file)))
                : Table.of();
    }

    /** Random numbers that differ for each {@code purpose}. */
    public SplittableRandom random(long purpose) {
        return new SplittableRandom(seed ^ purpose * 0x9E3779B97F4A7C15L);
    }
}
