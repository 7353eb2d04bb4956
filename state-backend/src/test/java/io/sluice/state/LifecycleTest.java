/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.testkit.process.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.v2.adaptor.AsyncKeyedStateBackendAdaptor;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.StreamOperatorStateContext;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory, files and threads of a task are gone when the task is. */
@Timeout(120)
@SuppressWarnings("try") // closing an environment may be interrupted, says its type
class LifecycleTest {

    private static final long KEYS = 30_000;

    private static final int STATES = 4;

    /** Memory of the slot; half of it is for the filters. */
    private static final long MANAGED_BYTES = 32L << 20;

    /** Alignment of some dozen buffers. */
    private static final long SLACK_BYTES = 1L << 20;

    @TempDir Path directory;

    private final SharedStateRegistry registry = new SharedStateRegistryImpl();

    private long allocatedBefore;

    @BeforeEach
    void countMemory() {
        allocatedBefore = NativeMemory.allocatedBytes();
    }

    private long allocated() {
        return NativeMemory.allocatedBytes() - allocatedBefore;
    }

    private Subtask<Long> start(String delegate, List<KeyedStateHandle> handles) throws Exception {
        return Subtask.ofLongs(delegate, directory, handles);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void restartsLeaveNoMemoryNoFilesAndNoThreads(String delegate) throws Exception {
        List<KeyedStateHandle> handles = List.of();
        for (int restart = 0; restart < 4; restart++) {
            RunnableFuture<SnapshotResult<KeyedStateHandle>> unfinished;
            try (Subtask<Long> task = start(delegate, handles)) {
                for (int state = 0; state < STATES; state++) {
                    mark(task, "state-" + state, restart * KEYS, (restart + 1) * KEYS);
                    handles = List.of(task.checkpoint(restart * STATES + state + 1, registry));
                }
                assertThat(allocated()).isBetween(1L, MANAGED_BYTES / 2 + SLACK_BYTES);
                unfinished = task.begin(1000 + restart);
            }
            assertThat(unfinished.isCancelled()).isTrue();
            assertThat(allocated()).as("after restart %d", restart).isZero();
            assertNoFiles();
        }
        Await.until("all threads have ended", () -> threads() == 0);
    }

    @Test
    void whatWasTakenForACheckpointThatIsBeingWrittenStaysUntilThatEnds() throws Exception {

        try (MockEnvironment env = environment()) {
            FilterHome home =
                    new FilterHome(
                            CascadeSettings.from(new Configuration()),
                            env,
                            "operator",
                            0.5,
                            new MembershipMetrics(new UnregisteredMetricsGroup()));
            FilterHome.Tenancy checkpoint = home.moveIn("seen", 1);
            Path files = Files.createDirectories(home.directoryOf("seen"));
            home.close();
            assertThat(files).exists();
            assertThat(env.getMemoryManager().verifyEmpty()).isFalse();
            checkpoint.close();
            assertThat(files).doesNotExist();
            assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
        }
    }

    @Test
    void aStateThatFindsNoMemoryIsRefusedByItsName() throws Exception {
        try (MockEnvironment env = environment()) {
            FilterHome home =
                    new FilterHome(
                            CascadeSettings.from(new Configuration()),
                            env,
                            "operator",
                            0.5,
                            new MembershipMetrics(new UnregisteredMetricsGroup()));
            long least = MANAGED_BYTES / 64;
            List<FilterHome.Tenancy> tenants = new ArrayList<>();
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    tenants.add(home.moveIn("state " + tenants.size(), least));
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'state " + tenants.size() + "'")
                    .hasMessageContaining(CascadeBackendOptions.MEMORY_FRACTION.key());
            long taken = tenants.stream().mapToLong(FilterHome.Tenancy::bufferBytes).sum();
            assertThat(taken).isLessThanOrEqualTo(3 * MANAGED_BYTES / 8);
            tenants.forEach(FilterHome.Tenancy::close);
            home.close();
            assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
        }
    }

    @Test
    void overviewsGetFewerBitsAndThenNoneWhenStatesNeedTheMemory() throws Exception {
        try (MockEnvironment env = environment()) {
            var lease = SlotResources.acquire(env, 0.5, CascadeSettings.from(new Configuration()));
            SlotResources slot = lease.getResourceHandle();
            slot.takeBuffers(1, 1);
            long quarter = MANAGED_BYTES / 2 / 4;
            assertThat(slot.reserve(Long.MAX_VALUE, 1)).isEqualTo(quarter);
            slot.takeBuffers(1, 1);
            assertThat(slot.reserve(Long.MAX_VALUE, 1)).isEqualTo(quarter / 2);
            assertThat(slot.reserve(Long.MAX_VALUE, quarter)).isZero();
            slot.release(quarter / 2);
            slot.release(quarter);
            // Buffers that are needed come first.
            assertThat(slot.takeBuffers(Long.MAX_VALUE, MANAGED_BYTES / 2)).isZero();
            long needed = slot.takeBuffers(Long.MAX_VALUE, 3 * quarter - 2);
            assertThat(slot.reserve(Long.MAX_VALUE, 1)).isZero();
            slot.giveBuffers(needed);
            assertThat(slot.reserve(Long.MAX_VALUE, 1)).isPositive();
            lease.close();
        }
    }

    @Test
    void belowTheAdaptorForAsynchronousStateTheTasksCloseablesReleaseEverything() throws Exception {
        try (MockEnvironment env = environment()) {
            CloseableRegistry closeables = new CloseableRegistry();
            markBelowAdaptor(env, closeables);
            assertThat(allocated()).isPositive();
            closeables.close();
            assertThat(allocated()).isZero();
            assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
            assertNoFiles();
        }
    }

    @Test
    void aTaskThatIsCancelledKeepsItsMemoryUntilItsThreadHasEnded() throws Exception {
        try (MockEnvironment env = environment()) {
            CloseableRegistry closeables = new CloseableRegistry();
            CountDownLatch marked = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            Thread task =
                    new Thread(
                            () -> {
                                try {
                                    markBelowAdaptor(env, closeables);
                                    marked.countDown();
                                    end.await();
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            task.start();
            marked.await();
            long taken = allocated();
            closeables.close();
            assertThat(allocated()).isPositive().isEqualTo(taken);
            end.countDown();
            Await.until("the memory is freed", () -> allocated() == 0);
            Await.until("it is given back", () -> env.getMemoryManager().verifyEmpty());
            Await.until("files are deleted", () -> directories() == 0);
        }
    }

    private MockEnvironment environment() throws IOException {
        Path local = Files.createDirectories(Subtask.local(directory));
        return new MockEnvironmentBuilder()
                .setManagedMemorySize(MANAGED_BYTES)
                .setMaxParallelism(Subtask.MAX_PARALLELISM)
                .setTaskManagerRuntimeInfo(
                        new TestingTaskManagerRuntimeInfo(
                                new Configuration(),
                                new String[] {local.toString()},
                                "localhost",
                                local.toFile()))
                .build();
    }

    private static void markBelowAdaptor(MockEnvironment env, CloseableRegistry closeables)
            throws Exception {
        StreamOperatorStateContext context =
                new StreamTaskStateInitializerImpl(env, Subtask.stateBackend("hashmap"))
                        .streamOperatorStateContext(
                                new OperatorID(1, 2),
                                "Operator",
                                new TestProcessingTimeService(),
                                new NoKeyContext(),
                                LongSerializer.INSTANCE,
                                closeables,
                                new UnregisteredMetricsGroup(),
                                0.5,
                                false,
                                true);
        @SuppressWarnings("unchecked") // of what the serializer says
        CheckpointableKeyedStateBackend<Long> backend =
                ((AsyncKeyedStateBackendAdaptor<Long>) context.asyncKeyedStateBackend())
                        .getKeyedStateBackend();
        ValueState<Boolean> seen =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new MembershipStateDescriptor("seen"));
        backend.setCurrentKey(1L);
        seen.update(true);
    }

    /** Keys are set at the backend. */
    private static final class NoKeyContext implements KeyContext {
        @Override
        public void setCurrentKey(Object key) {}

        @Override
        public Object getCurrentKey() {
            throw new UnsupportedOperationException();
        }
    }

    private static void mark(Subtask<Long> task, String name, long from, long to) throws Exception {
        ValueState<Boolean> seen = task.state(new MembershipStateDescriptor(name));
        for (long key = from; key < to; key++) {
            task.backend().setCurrentKey(key);
            seen.update(true);
        }
    }

    private void assertNoFiles() throws IOException {
        assertThat(directories()).isZero();
    }

    /** RocksDB leaves its library next to them. */
    private long directories() throws IOException {
        try (Stream<Path> files = Files.list(Subtask.local(directory))) {
            return files.filter(file -> file.getFileName().toString().contains("sluice-cascade"))
                    .count();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("cascade-"))
                .count();
    }
}
