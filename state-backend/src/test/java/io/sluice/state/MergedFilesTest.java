/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.process.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What checkpoints name in place of files that the background has merged. */
class MergedFilesTest {

    private static final int CHECKPOINTS = 30;

    private static final int KEYS_OF_A_CHECKPOINT = 300;

    private static final MembershipStateDescriptor SEEN = new MembershipStateDescriptor("seen");

    @TempDir Path directory;

    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private long checkpoints;
    private long keys;
    private KeyedStateHandle last;

    private int maxParallelism = Subtask.MAX_PARALLELISM;

    /** Files up to this size are kept inside the metadata. */
    private int inlineBytes;

    @ParameterizedTest
    @ValueSource(ints = {1, Subtask.MAX_PARALLELISM, 32_768})
    void filesThatWereUploadedStandInForMergedOnes(int maxParallelism) throws Exception {
        this.maxParallelism = maxParallelism;
        try (Subtask<Long> task = start(List.of())) {
            last = markAndCheckpoint(task);
            Await.until(
                    "a checkpoint names files of an earlier one that are gone",
                    () -> {
                        Set<String> reused = files(last);
                        Set<String> local = localFiles();
                        last = markAndCheckpoint(task);
                        reused.retainAll(files(last));
                        return !local.containsAll(reused);
                    });
        }
        assertHasAll(last);
    }

    @Test
    void filesInsideTheMetadataDoNot() throws Exception {
        inlineBytes = 1 << 15;
        try (Subtask<Long> task = start(List.of())) {
            for (int i = 0; i < CHECKPOINTS; i++) {
                markAndCheckpoint(task);
            }
            Await.until(
                    "the checkpoint has only files that are there",
                    () -> {
                        last = checkpoint(task);
                        return files(last).equals(localFiles());
                    });
        }
        assertHasAll(last);
    }

    private Subtask<Long> start(List<KeyedStateHandle> handles) throws Exception {
        return new Subtask<>(
                Subtask.stateBackend("hashmap"),
                LongSerializer.INSTANCE,
                maxParallelism,
                directory,
                handles);
    }

    private KeyedStateHandle markAndCheckpoint(Subtask<Long> task) {
        try {
            ValueState<Boolean> seen = task.state(SEEN);
            for (int i = 0; i < KEYS_OF_A_CHECKPOINT; i++) {
                task.backend().setCurrentKey(keys++);
                seen.update(true);
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return checkpoint(task);
    }

    private KeyedStateHandle checkpoint(Subtask<Long> task) {
        try {
            return task.complete(++checkpoints, registry, streams());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private CheckpointStreamFactory streams() throws IOException {
        Path files = Files.createDirectories(Subtask.checkpoints(directory));
        org.apache.flink.core.fs.Path path = new org.apache.flink.core.fs.Path(files.toUri());
        return new FsCheckpointStreamFactory(
                LocalFileSystem.getSharedInstance(), path, path, inlineBytes, 1 << 16);
    }

    /** The names of the level files of a checkpoint. */
    private static Set<String> files(KeyedStateHandle handle) {
        return ((IncrementalRemoteKeyedStateHandle) handle)
                .getSharedState().stream()
                        .map(file -> file.getLocalPath())
                        .filter(path -> path.endsWith(".level"))
                        .map(path -> path.substring(path.indexOf('/') + 1))
                        .collect(Collectors.toSet());
    }

    private Set<String> localFiles() throws IOException {
        while (true) {
            try (Stream<Path> files = Files.walk(Subtask.local(directory))) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".level"))
                        .collect(Collectors.toSet());
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof NoSuchFileException)) {
                    throw e.getCause();
                }
                // A file was deleted meanwhile: once more.
            }
        }
    }

    private void assertHasAll(KeyedStateHandle handle) throws Exception {
        try (Subtask<Long> task = start(List.of(handle))) {
            ValueState<Boolean> seen = task.state(SEEN);
            for (long key = 0; key < keys; key++) {
                task.backend().setCurrentKey(key);
                assertThat(seen.value()).as("key %d", key).isTrue();
            }
        }
    }
}
