/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;

/**
 * Checkpoints of one job in a directory. The last completed one is kept: when another replaces it,
 * its own files are deleted, and so are shared files that the new one does not name.
 */
final class CheckpointStore {
    /** State is never kept inside the metadata, but always in files. */
    private static final int INLINE_BYTES = 0;

    private static final int BUFFER_BYTES = 1 << 16;

    private final Path directory;
    private final SharedStateRegistry registry = new SharedStateRegistryImpl(Runnable::run);
    private Checkpoint completed;

    CheckpointStore(Path directory) throws IOException {
        this.directory = directory;
        Files.createDirectories(shared());
    }

    Path directory() {
        return directory;
    }

    private Path shared() {
        return directory.resolve("shared");
    }

    SharedStateRegistry registry() {
        return registry;
    }

    /** The last completed checkpoint; null before the first. */
    Checkpoint completed() {
        return completed;
    }

    CheckpointStreamFactory streams(long checkpointId) throws IOException {
        Path own = Files.createDirectories(directory.resolve("chk-" + checkpointId));
        return new FsCheckpointStreamFactory(
                LocalFileSystem.getSharedInstance(),
                new org.apache.flink.core.fs.Path(own.toUri()),
                new org.apache.flink.core.fs.Path(shared().toUri()),
                INLINE_BYTES,
                BUFFER_BYTES);
    }

    /** Returns the checkpoint that is no longer kept; null if there was none. */
    Checkpoint complete(Checkpoint checkpoint) throws Exception {
        Checkpoint subsumed = completed;
        completed = checkpoint;
        registry.checkpointCompleted(checkpoint.id());
        registry.unregisterUnusedState(checkpoint.id());
        if (subsumed != null) {
            subsumed.discard();
        }
        return subsumed;
    }
}
