/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.state.snapshot.CompositeHandle;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import io.sluice.state.snapshot.NeedsCascadeStateBackend;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The delegate is asked for snapshots from the first one for which it has something. */
class DelegateShareTest {

    private static final MembershipStateDescriptor SEEN = new MembershipStateDescriptor("seen");

    private static final ValueStateDescriptor<Long> COUNT =
            new ValueStateDescriptor<>("count", Types.LONG);

    @TempDir Path directory;

    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private long checkpoints;

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void aDelegateWithoutAnyStateIsNotAsked(String delegate) throws Exception {
        KeyedStateHandle handle;
        try (Subtask<Long> task = start(delegate)) {
            mark(task, 1);
            assertThat(partOfDelegate(checkpoint(task))).isEqualTo(DelegateKind.NONE);
            timers(task);
            mark(task, 2);
            handle = checkpoint(task);
            assertThat(partOfDelegate(handle)).isEqualTo(DelegateKind.NONE);
        }
        try (Subtask<Long> task = start(delegate, handle)) {
            assertThat(isMarked(task, 1)).isTrue();
            assertThat(isMarked(task, 2)).isTrue();
            assertThat(isMarked(task, 3)).isFalse();
            assertThat(timers(task).isEmpty()).isTrue();
            assertThat(partOfDelegate(checkpoint(task))).isEqualTo(DelegateKind.NONE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void itIsAskedOnceItHoldsAState(String delegate) throws Exception {
        KeyedStateHandle handle;
        try (Subtask<Long> task = start(delegate)) {
            mark(task, 1);
            assertThat(partOfDelegate(checkpoint(task))).isEqualTo(DelegateKind.NONE);
            task.state(COUNT).update(17L);
            handle = checkpoint(task);
            assertThat(partOfDelegate(handle)).isNotEqualTo(DelegateKind.NONE);
        }
        try (Subtask<Long> task = start(delegate, handle)) {
            assertThat(isMarked(task, 1)).isTrue();
            // What was restored is stored again, even if no code has named it yet.
            handle = checkpoint(task);
        }
        try (Subtask<Long> task = start(delegate, handle)) {
            task.backend().setCurrentKey(1L);
            assertThat(task.state(COUNT).value()).isEqualTo(17L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void itIsAskedFromItsFirstTimerOnAndEverAfter(String delegate) throws Exception {
        KeyedStateHandle handle;
        try (Subtask<Long> task = start(delegate)) {
            mark(task, 1);
            var timers = timers(task);
            timers.add(timer(5));
            handle = checkpoint(task);
            assertThat(partOfDelegate(handle)).isNotEqualTo(DelegateKind.NONE);
            registry.checkpointCompleted(checkpoints);
            task.backend().notifyCheckpointComplete(checkpoints);
            // Later checkpoints use files of this one, so no checkpoint without them may come
            // between.
            assertThat(timers.poll()).isEqualTo(timer(5));
            assertThat(partOfDelegate(checkpoint(task))).isNotEqualTo(DelegateKind.NONE);
        }
        try (Subtask<Long> task = start(delegate, handle)) {
            assertThat(timers(task).poll()).isEqualTo(timer(5));
            assertThat(partOfDelegate(checkpoint(task))).isNotEqualTo(DelegateKind.NONE);
        }
    }

    @Test
    void rocksDbLinksNoFilesInTheSynchronousPartUnlessItHoldsSomething() throws Exception {
        try (Subtask<Long> task = start("rocksdb")) {
            mark(task, 1);
            assertThat(filesOfRocksDb(task)).isEmpty();
            task.state(COUNT).update(17L);
            assertThat(filesOfRocksDb(task)).isNotEmpty();
        }
    }

    /** What RocksDB has put aside when the synchronous part of a checkpoint has ended. */
    private List<Path> filesOfRocksDb(Subtask<Long> task) throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> asynchronousPart =
                task.begin(++checkpoints);
        try (Stream<Path> files = Files.walk(Subtask.local(directory))) {
            return files.filter(file -> file.toString().contains("chk-" + checkpoints)).toList();
        } finally {
            asynchronousPart.run();
            assertThat(asynchronousPart.get().getJobManagerOwnedSnapshot()).isNotNull();
        }
    }

    private Subtask<Long> start(String delegate, KeyedStateHandle... handles) throws Exception {
        return Subtask.ofLongs(delegate, directory, List.of(handles));
    }

    private KeyedStateHandle checkpoint(Subtask<Long> task) throws Exception {
        return task.checkpoint(++checkpoints, registry);
    }

    private static DelegateKind partOfDelegate(KeyedStateHandle handle) throws Exception {
        CompositeHandle parts = CompositeHandle.of(handle).orElseThrow();
        try (InputStream in = parts.manifest().openInputStream()) {
            NeedsCascadeStateBackend.skip(in, "the manifest");
            return CompositeManifest.read(in, "the manifest").delegate().kind();
        }
    }

    private static void mark(Subtask<Long> task, long key) throws Exception {
        ValueState<Boolean> seen = task.state(SEEN);
        task.backend().setCurrentKey(key);
        seen.update(true);
    }

    private static boolean isMarked(Subtask<Long> task, long key) throws Exception {
        ValueState<Boolean> seen = task.state(SEEN);
        task.backend().setCurrentKey(key);
        return Boolean.TRUE.equals(seen.value());
    }

    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>>
            timers(Subtask<Long> task) {
        return task.backend()
                .create(
                        "timers",
                        new TimerSerializer<>(
                                LongSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    private static TimerHeapInternalTimer<Long, VoidNamespace> timer(long key) {
        return new TimerHeapInternalTimer<>(1000, key, VoidNamespace.INSTANCE);
    }
}
