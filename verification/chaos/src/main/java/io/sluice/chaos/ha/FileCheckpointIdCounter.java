/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;

/** The next id of a checkpoint, which no restart gives again. */
final class FileCheckpointIdCounter implements CheckpointIDCounter {
    private final Path file;

    FileCheckpointIdCounter(Path file) {
        this.file = file;
    }

    @Override
    public void start() {}

    @Override
    public CompletableFuture<Void> shutdown(JobStatus status) {
        try {
            if (status.isGloballyTerminalState()) {
                Files.deleteIfExists(file);
            }
            return CompletableFuture.completedFuture(null);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public synchronized long getAndIncrement() throws IOException {
        long id = get();
        setCount(id + 1);
        return id;
    }

    @Override
    public synchronized long get() {
        try {
            return Files.exists(file)
                    ? Long.parseLong(Files.readString(file))
                    : INITIAL_CHECKPOINT_ID;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void setCount(long id) throws IOException {
        WholeFile.write(file, Long.toString(id).getBytes(StandardCharsets.US_ASCII));
    }
}
