/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.state.CascadeBackendOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What flags in filters cannot do and refuse, and what only they do. The rest is the contract that
 * exact backends fulfil too.
 */
class ApproximateFlagsTest {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int MAX_PARALLELISM = 64;

    private static final ValueStateDescriptor<Long> SUM =
            new ValueStateDescriptor<>("sum", Types.LONG);

    @TempDir Path directory;
    private KeyedJob<Long> job;

    private Flags<Long, VoidNamespace> started(StateBackends backends, int parallelism)
            throws Exception {
        job = new KeyedJob<>(backends::create, KeyKind.LONGS, MAX_PARALLELISM, directory);
        job.start(parallelism);
        return job.flags(backends.flag("seen"));
    }

    @AfterEach
    void stopJob() throws Exception {
        if (job != null) {
            job.stop();
        }
    }

    private static void assertAllMarked(Flags<Long, VoidNamespace> seen, long end)
            throws Exception {
        for (long number = 0; number < end; number++) {
            assertThat(seen.isMarked(number, NOWHERE)).as("%d is marked", number).isTrue();
        }
    }

    @Test
    void falseIsRefused() throws Exception {
        Flags<Long, VoidNamespace> seen = started(StateBackends.CASCADE, 1);
        seen.mark(1L, NOWHERE);
        assertThatThrownBy(() -> seen.at(1L, NOWHERE).update(false))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("seen")
                .hasMessageContaining("clear()")
                .hasMessageContaining(CascadeBackendOptions.STATES.key());
        assertThat(seen.isMarked(1L, NOWHERE)).isTrue();
    }

    @Test
    void keysCannotBeListed() throws Exception {
        Flags<Long, VoidNamespace> seen = started(StateBackends.CASCADE, 1);
        seen.mark(1L, NOWHERE);
        CheckpointableKeyedStateBackend<Long> backend = job.subtask(0).backend();
        backend.setCurrentKey(1L);
        backend.getPartitionedState(NOWHERE, VoidNamespaceSerializer.INSTANCE, SUM).update(5L);
        assertThatThrownBy(() -> backend.getKeys("seen", NOWHERE).count())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("seen");
        assertThatThrownBy(() -> backend.getKeys(List.of("sum", "seen"), NOWHERE).count())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("seen");
        assertThatThrownBy(() -> backend.getKeysAndNamespaces("seen").count())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("seen");
        assertThatThrownBy(
                        () ->
                                backend.applyToAllKeys(
                                        NOWHERE,
                                        VoidNamespaceSerializer.INSTANCE,
                                        StateBackends.CASCADE.flag("seen"),
                                        (key, state) -> state.clear()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("seen");
        assertThat(backend.getKeys("sum", NOWHERE)).containsExactly(1L);
    }

    @Test
    void anotherMaxParallelismIsRefused() throws Exception {
        Flags<Long, VoidNamespace> seen = started(StateBackends.CASCADE, 1);
        StateContract.mark(seen, 0, 1000);
        Checkpoint checkpoint = job.checkpoint();
        KeyedJob<Long> other =
                new KeyedJob<>(
                        StateBackends.CASCADE::create,
                        KeyKind.LONGS,
                        MAX_PARALLELISM * 2,
                        directory.resolve("other"));
        try {
            assertThatThrownBy(
                            () -> {
                                other.start(1, checkpoint);
                                other.flags(StateBackends.CASCADE.flag("seen"))
                                        .isMarked(1L, NOWHERE);
                            })
                    .hasStackTraceContaining("maximum parallelism of 64");
        } finally {
            other.stop();
        }
    }

    private static Configuration small(Configuration configuration) {
        return configuration
                .set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("16kb"))
                .set(CascadeBackendOptions.CAPACITY, 20_000L);
    }

    @Test
    void changedOptionsLoseNothing() throws Exception {
        Flags<Long, VoidNamespace> seen = started(StateBackends.CASCADE, 2);
        List<UnaryOperator<Configuration>> changes =
                List.of(
                        ApproximateFlagsTest::small,
                        c -> c.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, 1e-6),
                        c -> small(c).set(CascadeBackendOptions.MERGE_POLICY, "doubling"),
                        c -> c.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, 0.05),
                        c -> small(c).set(CascadeBackendOptions.OVERVIEW_BITS, 0),
                        c -> small(c).set(CascadeBackendOptions.USE_MANAGED_MEMORY, false));
        long known = 0;
        for (UnaryOperator<Configuration> change : changes) {
            long end = known + 20_000;
            StateContract.mark(seen, known, end);
            known = end;
            job.checkpoint();
            job.changeBackend(() -> StateBackends.cascade(change));
            job.start(known % 40_000 == 0 ? 3 : 2);
            assertAllMarked(seen, known);
        }
        long wrong = 0;
        for (long number = known; number < known + 10_000; number++) {
            wrong += seen.isMarked(number, NOWHERE) ? 1 : 0;
        }
        assertThat(wrong).isLessThanOrEqualTo(Tolerance.of(10_000, 0.05));
    }

    /** The flags of an exact backend are read once, and put into the filter. */
    @Test
    void flagsComeFromACanonicalSavepointOfRocksDb() throws Exception {
        Flags<Long, VoidNamespace> seen = started(StateBackends.ROCKSDB, 2);
        StateContract.mark(seen, 0, 3000);
        Checkpoint savepoint =
                job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        job.changeBackend(StateBackends.CASCADE::create);
        job.start(3, savepoint);
        Flags<Long, VoidNamespace> ours = job.flags(StateBackends.CASCADE.flag("seen"));
        assertAllMarked(ours, 3000);
        StateContract.mark(ours, 3000, 4000);
        job.checkpoint();
        job.start(1);
        assertAllMarked(ours, 4000);
        assertThatThrownBy(() -> job.subtask(0).backend().getKeys("seen", NOWHERE).count())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aStateThatIsSelectedLaterMovesIntoAFilter() throws Exception {
        job =
                new KeyedJob<>(
                        () ->
                                StateBackends.cascade(
                                        c -> c.set(CascadeBackendOptions.STATES, List.of())),
                        KeyKind.LONGS,
                        MAX_PARALLELISM,
                        directory);
        job.start(1);
        Flags<Long, VoidNamespace> seen =
                job.flags(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
        StateContract.mark(seen, 0, 3000);
        assertThat(job.subtask(0).backend().getKeys("seen", NOWHERE)).hasSize(3000);
        job.checkpoint();
        job.changeBackend(() -> StateBackends.cascade(UnaryOperator.identity()));
        job.start(2);
        assertAllMarked(seen, 3000);
        job.checkpoint();
        job.start(1);
        assertAllMarked(seen, 3000);
    }

    /** Damages the files of a checkpoint one after another: each is noticed, or not needed. */
    @Test
    void aDamagedFileIsNamed() throws Exception {
        Flags<Long, VoidNamespace> seen = started(StateBackends.CASCADE_SMALL, 1);
        StateContract.mark(seen, 0, 30_000);
        job.checkpoint();
        job.stop();
        int refused = 0;
        for (Path file : files(job.checkpointDirectory())) {
            byte[] whole = Files.readAllBytes(file);
            for (Function<byte[], byte[]> damage : damages()) {
                Files.write(file, damage.apply(whole.clone()));
                try {
                    job.start(1);
                    assertAllMarked(seen, 30_000);
                } catch (AssertionError lost) {
                    throw new AssertionError("damage of " + file + " went unnoticed", lost);
                } catch (Exception noticed) {
                    refused++;
                } finally {
                    job.stop();
                    Files.write(file, whole);
                }
            }
        }
        assertThat(refused).isPositive();
        job.start(1);
        assertAllMarked(seen, 30_000);
    }

    private static List<Function<byte[], byte[]>> damages() {
        return List.of(
                bytes -> flipped(bytes, 0),
                bytes -> flipped(bytes, bytes.length / 2),
                bytes -> flipped(bytes, bytes.length - 1),
                bytes -> java.util.Arrays.copyOf(bytes, bytes.length / 2));
    }

    private static byte[] flipped(byte[] bytes, int at) {
        bytes[at] ^= 0x10;
        return bytes;
    }

    private static List<Path> files(Path checkpoints) throws IOException {
        try (Stream<Path> all = Files.walk(checkpoints)) {
            return all.filter(Files::isRegularFile)
                    .filter(ApproximateFlagsTest::isNotEmpty)
                    .toList();
        }
    }

    private static boolean isNotEmpty(Path file) {
        try {
            return Files.size(file) > 0;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The task ends while buffers are written and files are merged: nothing stays behind. */
    @Test
    void aTaskEndsWhileFilesAreMerged() throws Exception {
        for (int i = 1; i <= 5; i++) {
            Flags<Long, VoidNamespace> seen = started(StateBackends.CASCADE_SMALL, 2);
            StateContract.mark(seen, 0, 50_000L * i);
            Checkpoint checkpoint = i % 2 == 0 ? job.begin() : null;
            if (checkpoint != null) {
                checkpoint.parts().forEach(part -> part.cancel(true));
            }
            job.stop();
            for (int subtask = 0; subtask < 2; subtask++) {
                assertThat(files(job.localDirectory(1, subtask))).isEmpty();
            }
        }
    }
}
