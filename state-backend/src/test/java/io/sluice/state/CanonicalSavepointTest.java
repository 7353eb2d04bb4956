/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Savepoints of the format that Flink takes by default. */
class CanonicalSavepointTest {

    private static final long KEYS = 2_000;

    private static final MembershipStateDescriptor SEEN = new MembershipStateDescriptor("seen");

    private static final ValueStateDescriptor<Long> COUNT =
            new ValueStateDescriptor<>("count", Types.LONG);

    @TempDir Path directory;

    private final SharedStateRegistry registry = new SharedStateRegistryImpl();

    @ParameterizedTest
    @CsvSource({"rocksdb,rocksdb", "rocksdb,hashmap", "hashmap,rocksdb", "hashmap,hashmap"})
    void aCanonicalSavepointCarriesMembershipStatesFromDelegateToDelegate(String from, String to)
            throws Exception {
        KeyedStateHandle savepoint;
        try (Subtask<Long> task = start(from, List.of())) {
            mark(task, 0, KEYS);
            savepoint = task.canonicalSavepoint(1);
            // It does not harm the running job.
            mark(task, KEYS, 2 * KEYS);
            assertThat(count(task, task.state(SEEN), 0, 3 * KEYS)).isEqualTo(2 * KEYS);
        }
        KeyedStateHandle checkpoint;
        try (Subtask<Long> task = start(to, List.of(savepoint))) {
            assertThat(count(task, task.state(SEEN), 0, 2 * KEYS)).isEqualTo(KEYS);
            assertCounts(task);
            checkpoint = task.checkpoint(2, registry);
        }
        savepoint.discardState();
        try (Subtask<Long> task = start(to, List.of(checkpoint))) {
            assertThat(count(task, task.state(SEEN), 0, 2 * KEYS)).isEqualTo(KEYS);
            assertCounts(task);
        }
    }

    @Test
    void aCanonicalSavepointOfFlagsAloneIsEnough() throws Exception {
        KeyedStateHandle savepoint;
        try (Subtask<Long> task = start("rocksdb", List.of())) {
            ValueState<Boolean> seen = task.state(SEEN);
            task.backend().setCurrentKey(7L);
            seen.update(true);
            savepoint = task.canonicalSavepoint(1);
        }
        try (Subtask<Long> task = start("hashmap", List.of(savepoint))) {
            assertThat(count(task, task.state(SEEN), 0, 100)).isEqualTo(1);
        }
    }

    @Test
    void anotherBackendRefusesACanonicalSavepointAndSaysWhoseItIs() throws Exception {
        KeyedStateHandle savepoint;
        try (Subtask<Long> task = start("rocksdb", List.of())) {
            mark(task, 0, KEYS);
            savepoint = task.canonicalSavepoint(1);
        }
        assertThatThrownBy(() -> Subtask.ofLongs(new BareRocksDb(), directory, List.of(savepoint)))
                .hasStackTraceContaining("io.sluice.state.CascadeStateBackendFactory");
    }

    private static void assertCounts(Subtask<Long> task) throws Exception {
        ValueState<Long> counts = task.state(COUNT);
        for (long key = 0; key < KEYS; key++) {
            task.backend().setCurrentKey(key);
            assertThat(counts.value()).isEqualTo(key);
        }
        task.backend().setCurrentKey(KEYS);
        assertThat(counts.value()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SLCF", "SLLF"})
    void aDamagedManifestOrLevelFileIsNoticed(String magic) throws Exception {
        KeyedStateHandle savepoint;
        try (Subtask<Long> task = start("hashmap", List.of())) {
            mark(task, 0, KEYS);
            savepoint = task.canonicalSavepoint(1);
        }
        Path file;
        try (Stream<Path> files = Files.walk(Subtask.checkpoints(directory))) {
            file = files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(magic);
        assertThat(at).isPositive();
        bytes[at + 30] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(() -> start("hashmap", List.of(savepoint)))
                .hasStackTraceContaining(CorruptFilterException.class.getName());
    }

    /** Hands everything to RocksDB, so that the harness can run it. */
    private static final class BareRocksDb extends CascadeStateBackend {
        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return new EmbeddedRocksDBStateBackend(true).createKeyedStateBackend(parameters);
        }
    }

    private Subtask<Long> start(String delegate, List<KeyedStateHandle> handles) throws Exception {
        return Subtask.ofLongs(delegate, directory, handles);
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

    private static long count(Subtask<Long> task, ValueState<Boolean> state, long from, long to)
            throws Exception {
        long count = 0;
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            count += Boolean.TRUE.equals(state.value()) ? 1 : 0;
        }
        return count;
    }
}
