/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restoring from a checkpoint's copy on the local disk, without its remote files. */
class LocalRecoveryTest {

    private static final long KEYS = 5_000;

    private static final MembershipStateDescriptor SEEN = new MembershipStateDescriptor("seen");

    private static final ValueStateDescriptor<Long> COUNT =
            new ValueStateDescriptor<>("count", Types.LONG);

    @TempDir Path directory;

    private final SharedStateRegistry registry = new SharedStateRegistryImpl();

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void theLocalCopyIsEnough(String delegate) throws Exception {
        SnapshotResult<KeyedStateHandle> checkpoint;
        try (Subtask<Long> task = start(delegate, List.of())) {
            mark(task, 0, KEYS);
            checkpoint = checkpoint(task, 1);
        }
        deleteRemoteFiles();
        try (Subtask<Long> task = start(delegate, List.of(checkpoint.getTaskLocalSnapshot()))) {
            assertHolds(task, KEYS);
        }
        assertThatThrownBy(() -> start(delegate, List.of(checkpoint.getJobManagerOwnedSnapshot())))
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void aSecondCopyOfALocallyRestoredTaskIsEnoughToo(String delegate) throws Exception {
        SnapshotResult<KeyedStateHandle> checkpoint;
        try (Subtask<Long> task = start(delegate, List.of())) {
            mark(task, 0, KEYS);
            checkpoint = checkpoint(task, 1);
        }
        try (Subtask<Long> task = start(delegate, List.of(checkpoint.getTaskLocalSnapshot()))) {
            mark(task, KEYS, 2 * KEYS);
            checkpoint = checkpoint(task, 2);
        }
        deleteRemoteFiles();
        try (Subtask<Long> task = start(delegate, List.of(checkpoint.getTaskLocalSnapshot()))) {
            assertHolds(task, 2 * KEYS);
        }
    }

    @Test
    void afterALocalRestoreNothingIsUploadedAgain() throws Exception {
        SnapshotResult<KeyedStateHandle> first;
        try (Subtask<Long> task = start("hashmap", List.of())) {
            mark(task.state(SEEN), task, 0, 10 * KEYS);
            first = checkpoint(task, 1);
        }
        long stateBytes = first.getJobManagerOwnedSnapshot().getStateSize();
        try (Subtask<Long> task = start("hashmap", List.of(first.getTaskLocalSnapshot()))) {
            KeyedStateHandle second = checkpoint(task, 2).getJobManagerOwnedSnapshot();
            assertThat(second.getStateSize()).isEqualTo(stateBytes);
            assertThat(second.getCheckpointedSize()).isLessThan(stateBytes / 10);
            try (Subtask<Long> restored = start("hashmap", List.of(second))) {
                assertThat(marked(restored, 0, 20 * KEYS)).isEqualTo(10 * KEYS);
            }
        }
    }

    @Test
    void levelFilesAreLinkedAndNotCopied() throws Exception {
        try (Subtask<Long> task = start("hashmap", List.of())) {
            mark(task.state(SEEN), task, 0, KEYS);
            checkpoint(task, 1);
            for (Path file : levelFiles(copies())) {
                assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
            }
            assertThat(levelFiles(copies())).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"flipped", "cut", "missing"})
    void aDamagedCopyIsNoticedAndTheCheckpointIsUsed(String damage) throws Exception {
        SnapshotResult<KeyedStateHandle> checkpoint;
        try (Subtask<Long> task = start("rocksdb", List.of())) {
            mark(task, 0, KEYS);
            checkpoint = checkpoint(task, 1);
        }
        assertThat(files(copies(), ".sample")).isNotEmpty();
        for (Path file : files(copies(), "")) {
            byte[] bytes = Files.readAllBytes(file);
            switch (damage) {
                case "flipped" -> {
                    // In a page that a restore does not read for any other reason.
                    bytes[100] ^= 1;
                    Files.write(file, bytes);
                }
                case "cut" -> Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
                default -> Files.delete(file);
            }
        }
        try (Subtask<Long> task = start("rocksdb", List.of(checkpoint.getTaskLocalSnapshot()))) {
            assertHolds(task, KEYS);
            KeyedStateHandle next = checkpoint(task, 2).getJobManagerOwnedSnapshot();
            try (Subtask<Long> restored = start("rocksdb", List.of(next))) {
                assertHolds(restored, KEYS);
            }
        }
    }

    @Test
    void aCopyThatFlinkDiscardsLeavesNothing() throws Exception {
        try (Subtask<Long> task = start("rocksdb", List.of())) {
            mark(task, 0, KEYS);
            checkpoint(task, 1).getTaskLocalSnapshot().discardState();
            assertThat(levelFiles(copies())).isEmpty();
            assertHolds(task, KEYS);
        }
    }

    /** What was merged has no stand-ins, which would not be there. */
    @Test
    void theCopyHasEveryFileOfTheCheckpoint() throws Exception {
        SnapshotResult<KeyedStateHandle> checkpoint = null;
        long id = 0;
        long keys = 0;
        try (Subtask<Long> task = start("hashmap", List.of())) {
            int before = 0;
            int files = 0;
            // Until a checkpoint holds a merged file.
            while (files >= before) {
                if (checkpoint != null) {
                    checkpoint.getTaskLocalSnapshot().discardState();
                }
                mark(task, keys, keys + 100);
                keys += 100;
                checkpoint = checkpoint(task, ++id);
                before = files;
                files = levelFiles(copies()).size();
            }
        }
        deleteRemoteFiles();
        try (Subtask<Long> task = start("hashmap", List.of(checkpoint.getTaskLocalSnapshot()))) {
            assertHolds(task, keys);
        }
    }

    @Test
    void withoutLocalRecoveryThereIsNoCopy() throws Exception {
        try (Subtask<Long> task = Subtask.ofLongs("rocksdb", directory, List.of())) {
            mark(task, 0, KEYS);
            assertThat(checkpoint(task, 1).getTaskLocalSnapshot()).isNull();
        }
    }

    private Subtask<Long> start(String delegate, List<KeyedStateHandle> handles) throws Exception {
        return new Subtask<>(
                Subtask.stateBackend(delegate),
                LongSerializer.INSTANCE,
                Subtask.MAX_PARALLELISM,
                directory,
                handles,
                LocalRecoveryConfig.backupAndRecoveryEnabled(
                        new LocalSnapshotDirectoryProviderImpl(
                                Files.createDirectories(copies()).toFile(),
                                new JobID(1, 2),
                                new JobVertexID(3, 4),
                                0)),
                new UnregisteredMetricsGroup());
    }

    private Path copies() {
        return directory.resolve("copies");
    }

    private SnapshotResult<KeyedStateHandle> checkpoint(Subtask<Long> task, long id)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> asynchronousPart = task.begin(id);
        asynchronousPart.run();
        SnapshotResult<KeyedStateHandle> result = asynchronousPart.get();
        result.getJobManagerOwnedSnapshot().registerSharedStates(registry, id);
        registry.checkpointCompleted(id);
        task.backend().notifyCheckpointComplete(id);
        return result;
    }

    private void deleteRemoteFiles() throws IOException {
        try (Stream<Path> files = Files.walk(Subtask.checkpoints(directory))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }

    private static List<Path> levelFiles(Path under) throws IOException {
        return files(under, ".level");
    }

    private static List<Path> files(Path under, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(under)) {
            return files.filter(
                            file ->
                                    file.getParent().endsWith("files")
                                            && file.toString().endsWith(suffix))
                    .toList();
        }
    }

    private static void mark(Subtask<Long> task, long from, long to) throws Exception {
        mark(task.state(SEEN), task, from, to);
        ValueState<Long> counts = task.state(COUNT);
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            counts.update(key);
        }
    }

    private static void mark(ValueState<Boolean> seen, Subtask<Long> task, long from, long to)
            throws Exception {
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            seen.update(true);
        }
    }

    private static void assertHolds(Subtask<Long> task, long keys) throws Exception {
        assertThat(marked(task, 0, 2 * keys)).isEqualTo(keys);
        ValueState<Long> counts = task.state(COUNT);
        for (long key = 0; key < keys; key++) {
            task.backend().setCurrentKey(key);
            assertThat(counts.value()).isEqualTo(key);
        }
    }

    private static long marked(Subtask<Long> task, long from, long to) throws Exception {
        ValueState<Boolean> seen = task.state(SEEN);
        long count = 0;
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            count += Boolean.TRUE.equals(seen.value()) ? 1 : 0;
        }
        return count;
    }
}
