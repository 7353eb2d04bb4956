/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Decides which operations fail. Thread-safe. */
final class Disk {
    static final String NO_SPACE = "No space left on device";
    static final String ERROR = "Input/output error";

    private static final long BELIEVED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Path control;
    private DiskState state = DiskState.HEALTHY;
    private SplittableRandom random = new SplittableRandom(0);
    private long readNanos = System.nanoTime() - BELIEVED_NANOS;

    /** Behaves as {@code control} says, which may change at any time. */
    Disk(Path control) {
        this.control = control;
    }

    /** Fails if the disk returns an error now. */
    void operation(String what, Object file) throws IOException {
        if (fails()) {
            throw new IOException(what + " " + file + ": " + ERROR);
        }
    }

    /** How many of {@code bytes} can be written; the rest fails with {@link #noSpace}. */
    int room(int bytes) throws IOException {
        return state().isFull() ? bytes / 2 : bytes;
    }

    IOException noSpace(Object file) {
        return new IOException("write " + file + ": " + NO_SPACE);
    }

    private synchronized boolean fails() throws IOException {
        DiskState now = state();
        return now.errorProbability() > 0 && random.nextDouble() < now.errorProbability();
    }

    private synchronized DiskState state() throws IOException {
        if (System.nanoTime() - readNanos >= BELIEVED_NANOS) {
            DiskState now = DiskState.read(control);
            if (!now.equals(state)) {
                random = new SplittableRandom(now.seed() ^ ProcessHandle.current().pid());
                state = now;
            }
            readNanos = System.nanoTime();
        }
        return state;
    }
}
