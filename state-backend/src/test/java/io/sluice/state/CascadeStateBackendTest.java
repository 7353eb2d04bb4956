/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the backend refuses, and what it takes over from other backends and other options. */
class CascadeStateBackendTest {

    private static final long KEYS = 2_000;

    private static final long MANY = 50;

    private static final MembershipStateDescriptor SEEN = new MembershipStateDescriptor("seen");

    private static final ValueStateDescriptor<Long> COUNT =
            new ValueStateDescriptor<>("count", Types.LONG);

    @TempDir Path directory;

    private final SharedStateRegistry registry = new SharedStateRegistryImpl();

    @Test
    void falseIsRefusedByTheNameOfTheStateAndTheOption() throws Exception {
        try (Subtask<Long> task = start("hashmap")) {
            ValueState<Boolean> seen = task.state(SEEN);
            task.backend().setCurrentKey(1L);
            assertThatThrownBy(() -> seen.update(false))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("'seen'")
                    .hasMessageContaining(CascadeBackendOptions.STATES.key());
            assertThat(seen.value()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void onlyKeysOfMembershipStatesCannotBeListed(String delegate) throws Exception {
        try (Subtask<Long> task = start(delegate)) {
            mark(task, 0, 3);
            assertThatThrownBy(() -> task.backend().getKeys("seen", VoidNamespace.INSTANCE))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("'seen'");
            assertThatThrownBy(() -> task.backend().getKeysAndNamespaces("seen"))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(
                            () ->
                                    task.backend()
                                            .applyToAllKeys(
                                                    VoidNamespace.INSTANCE,
                                                    VoidNamespaceSerializer.INSTANCE,
                                                    SEEN,
                                                    (key, state) -> state.clear()))
                    .isInstanceOf(UnsupportedOperationException.class);
            try (Stream<Long> keys = task.backend().getKeys("count", VoidNamespace.INSTANCE)) {
                assertThat(keys).containsExactlyInAnyOrder(0L, 1L, 2L);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void aStateWithoutNamespacesTakesNoOther(String delegate) throws Exception {
        try (Subtask<Long> task = start(delegate)) {
            task.state(SEEN);
            task.backend().setCurrentKey(1L);
            assertThatThrownBy(
                            () ->
                                    task.backend()
                                            .getPartitionedState(
                                                    "a window", StringSerializer.INSTANCE, SEEN))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("'seen'", "a window");
        }
    }

    @Test
    void aStateOfTimeWindowsIsRefusedInTheGlobalWindowAfterARestore() throws Exception {
        KeyedStateHandle stored;
        try (Subtask<Long> task = start("hashmap")) {
            task.backend().setCurrentKey(1L);
            task.backend()
                    .getPartitionedState(new TimeWindow(0, 10), new TimeWindow.Serializer(), SEEN)
                    .update(true);
            stored = task.checkpoint(1, registry);
        }
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, "hashmap", stored)) {
            task.backend().setCurrentKey(1L);
            assertThatThrownBy(
                            () ->
                                    task.backend()
                                            .getPartitionedState(
                                                    GlobalWindow.get(),
                                                    new GlobalWindow.Serializer(),
                                                    SEEN))
                    .hasMessageContainingAll("'seen'", "TimeWindow", "GlobalWindow");
            assertThat(
                            task.backend()
                                    .getPartitionedState(
                                            new TimeWindow(0, 10),
                                            new TimeWindow.Serializer(),
                                            SEEN)
                                    .value())
                    .isTrue();
        }
    }

    @Test
    void aBooleanStateThatNobodyAskedForStaysExact() throws Exception {
        try (Subtask<Long> task = start("hashmap")) {
            ValueState<Boolean> flag = task.state(exactFlag("flag"));
            task.backend().setCurrentKey(7L);
            flag.update(false);
            assertThat(flag.value()).isFalse();
        }
    }

    @Test
    void aChangedMaximumParallelismIsRefused() throws Exception {
        KeyedStateHandle handle = checkpointOf(KEYS, "hashmap");
        assertThatThrownBy(
                        () ->
                                new Subtask<>(
                                        Subtask.stateBackend("hashmap"),
                                        LongSerializer.INSTANCE,
                                        2 * Subtask.MAX_PARALLELISM,
                                        directory,
                                        List.of(handle)))
                .hasRootCauseInstanceOf(StateMigrationException.class)
                .hasMessageContaining("maximum parallelism");
    }

    @Test
    void aChangedKeySerializerIsRefused() throws Exception {
        KeyedStateHandle handle = checkpointOf(KEYS, "hashmap");
        assertThatThrownBy(() -> restore(StringSerializer.INSTANCE, "hashmap", handle))
                .hasRootCauseInstanceOf(StateMigrationException.class)
                .hasMessageContaining("key serializer");
    }

    @Test
    void aChangedDelegateIsRefused() throws Exception {
        KeyedStateHandle handle = checkpointOf(KEYS, "hashmap");
        assertThatThrownBy(() -> restore(LongSerializer.INSTANCE, "rocksdb", handle))
                .hasRootCauseInstanceOf(StateMigrationException.class)
                .hasMessageContaining(CascadeBackendOptions.DELEGATE.key());
    }

    @Test
    void rocksDbAloneRefusesTheCheckpointAndSaysWhoseItIs() throws Exception {
        KeyedStateHandle handle = checkpointOf(KEYS, "rocksdb");
        CascadeStateBackend plain = new CascadeStateBackend(new EmbeddedRocksDBStateBackend(true));
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, plain, handle)) {
            assertThat(seen(task, 0, KEYS)).isEqualTo(KEYS);
        }
        assertThatThrownBy(() -> Subtask.ofLongs(new BareRocksDb(), directory, List.of(handle)))
                .hasStackTraceContaining("io.sluice.state.CascadeStateBackendFactory")
                .isInstanceOf(IOException.class);
    }

    /** Hands everything to RocksDB, so that the harness can run it. */
    private static final class BareRocksDb extends CascadeStateBackend {
        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return new EmbeddedRocksDBStateBackend(true).createKeyedStateBackend(parameters);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"flipped", "cut", "missing"})
    void aDamagedLevelFileIsNamed(String damage) throws Exception {
        KeyedStateHandle handle;
        try (Subtask<Long> task = start("hashmap")) {
            ValueState<Boolean> seen = task.state(SEEN);
            for (long key = 0; key < 20 * KEYS; key++) {
                task.backend().setCurrentKey(key);
                seen.update(true);
            }
            handle = task.checkpoint(1, registry);
        }
        // The other file is the manifest.
        Path file = largest(Subtask.checkpoints(directory));
        byte[] bytes = Files.readAllBytes(file);
        switch (damage) {
            case "flipped" -> {
                bytes[bytes.length / 2] ^= 1;
                Files.write(file, bytes);
            }
            case "cut" -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
            default -> Files.delete(file);
        }
        assertThatThrownBy(() -> restore(LongSerializer.INSTANCE, "hashmap", handle))
                .isInstanceOf(
                        damage.equals("missing") ? IOException.class : CorruptFilterException.class)
                .hasMessageContaining(file.getFileName().toString());
    }

    @Test
    void anApproximateStateCannotBecomeExactAgain() throws Exception {
        KeyedStateHandle handle = checkpointOf(KEYS, "hashmap");
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, "hashmap", handle)) {
            assertThatThrownBy(() -> task.state(exactFlag("seen")))
                    .isInstanceOf(StateMigrationException.class)
                    .hasMessageContaining("'seen'")
                    .hasMessageContaining(CascadeBackendOptions.STATES.key());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void exactFlagsMoveIntoTheFilterWhenTheStateIsSelected(String delegate) throws Exception {
        movesFlags(delegate, task -> run(() -> task.checkpoint(1, registry)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void exactFlagsMoveIntoTheFilterFromACanonicalSavepoint(String delegate) throws Exception {
        movesFlags(delegate, task -> run(() -> task.canonicalSavepoint(1)));
    }

    private void movesFlags(String delegate, Function<Subtask<Long>, KeyedStateHandle> snapshot)
            throws Exception {
        KeyedStateHandle handle;
        try (Subtask<Long> task = start(delegate)) {
            ValueState<Boolean> exact = task.state(exactFlag("flag"));
            for (long key = 0; key < KEYS; key++) {
                task.backend().setCurrentKey(key);
                exact.update(true);
            }
            handle = snapshot.apply(task);
        }
        Configuration selecting =
                Subtask.configuration(delegate).set(CascadeBackendOptions.STATES, List.of("fl*"));
        CascadeStateBackend backend =
                new CascadeStateBackend().configure(selecting, getClass().getClassLoader());
        KeyedStateHandle second;
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, backend, handle)) {
            assertThat(count(task, task.state(exactFlag("flag")), 0, 2 * KEYS)).isEqualTo(KEYS);
            second = task.checkpoint(2, registry);
        }
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, backend, second)) {
            assertThat(count(task, task.state(exactFlag("flag")), 0, 2 * KEYS)).isEqualTo(KEYS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void aStateThatIsNamedLateKeepsItsKeys(String delegate) throws Exception {
        KeyedStateHandle first = checkpointOf(KEYS, delegate);
        KeyedStateHandle second;
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, delegate, first)) {
            second = task.checkpoint(2, registry);
            MembershipStateDescriptor other = new MembershipStateDescriptor("seen", 1e-7);
            assertThat(count(task, task.state(other), 0, 2 * KEYS)).isEqualTo(KEYS);
        }
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, delegate, second)) {
            assertThat(seen(task, 0, 2 * KEYS)).isEqualTo(KEYS);
            ValueState<Long> counts = task.state(COUNT);
            task.backend().setCurrentKey(5L);
            assertThat(counts.value()).isEqualTo(5L);
        }
    }

    @Test
    void aStateThatIsNamedLateWithOtherOptionsLeavesTheCheckpointAloneThatIsBeingWritten()
            throws Exception {
        KeyedStateHandle first = checkpointOf(KEYS, "hashmap");
        KeyedStateHandle second;
        KeyedStateHandle third;
        // Small ones: merges soon replace the files that the checkpoint has pinned.
        CascadeStateBackend smallBuffers =
                new CascadeStateBackend()
                        .configure(
                                Subtask.configuration("hashmap")
                                        .set(
                                                CascadeBackendOptions.BUFFER_SIZE,
                                                MemorySize.parse("16kb")),
                                getClass().getClassLoader());
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, smallBuffers, first)) {
            // A savepoint uploads all files, including files of earlier checkpoints.
            RunnableFuture<SnapshotResult<KeyedStateHandle>> savepoint =
                    task.begin(2, SavepointType.savepoint(SavepointFormatType.NATIVE));
            // Other options, but the same number of hash bits, so that old and new files are
            // merged.
            ValueState<Boolean> seen = task.state(new MembershipStateDescriptor("seen", 1.0001e-6));
            for (long key = KEYS; key < MANY * KEYS; key++) {
                task.backend().setCurrentKey(key);
                seen.update(true);
            }
            savepoint.run();
            second = savepoint.get().getJobManagerOwnedSnapshot();
            third = task.checkpoint(3, registry);
            assertThat(count(task, seen, 0, 2 * MANY * KEYS)).isEqualTo(MANY * KEYS);
        }
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, "hashmap", second)) {
            assertThat(seen(task, 0, 3 * KEYS)).isEqualTo(KEYS);
        }
        try (Subtask<Long> task = restore(LongSerializer.INSTANCE, "hashmap", third)) {
            assertThat(seen(task, 0, 2 * MANY * KEYS)).isEqualTo(MANY * KEYS);
        }
    }

    @Test
    void localFilesAreRemovedWithTheBackend() throws Exception {
        try (Subtask<Long> task = start("hashmap")) {
            mark(task, 0, KEYS);
            task.checkpoint(1, registry);
            try (Stream<Path> files = Files.walk(Subtask.local(directory))) {
                assertThat(files.anyMatch(file -> file.toString().endsWith(".level"))).isTrue();
            }
        }
        try (Stream<Path> files = Files.walk(Subtask.local(directory))) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    private interface Action {
        KeyedStateHandle run() throws Exception;
    }

    private static KeyedStateHandle run(Action action) {
        try {
            return action.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static ValueStateDescriptor<Boolean> exactFlag(String name) {
        return new ValueStateDescriptor<>(name, Types.BOOLEAN);
    }

    private Subtask<Long> start(String delegate) throws Exception {
        return Subtask.ofLongs(delegate, directory, List.of());
    }

    private <K> Subtask<K> restore(
            TypeSerializer<K> keySerializer, String delegate, KeyedStateHandle handle)
            throws Exception {
        return restore(keySerializer, Subtask.stateBackend(delegate), handle);
    }

    private <K> Subtask<K> restore(
            TypeSerializer<K> keySerializer, CascadeStateBackend backend, KeyedStateHandle handle)
            throws Exception {
        return new Subtask<>(
                backend, keySerializer, Subtask.MAX_PARALLELISM, directory, List.of(handle));
    }

    private KeyedStateHandle checkpointOf(long keys, String delegate) throws Exception {
        try (Subtask<Long> task = start(delegate)) {
            mark(task, 0, keys);
            return task.checkpoint(1, registry);
        }
    }

    private static void mark(Subtask<Long> task, long from, long to) throws Exception {
        ValueState<Boolean> seen = task.state(SEEN);
        ValueState<Long> counts = task.state(COUNT);
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            seen.update(true);
            counts.update(key);
        }
    }

    private static long seen(Subtask<Long> task, long from, long to) throws Exception {
        return count(task, task.state(SEEN), from, to);
    }

    private static long count(Subtask<Long> task, ValueState<Boolean> state, long from, long to)
            throws Exception {
        long count = 0;
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            count += Boolean.TRUE.equals(state.value()) ? 1 : 0;
        }
        return count;
    }

    private static Path largest(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
        }
    }
}
