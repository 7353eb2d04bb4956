/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.testutils.statemigration.TestType;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.Test;

/** Flags and all the other states of one job: neither harms the other. */
class MixedStatesContractTest extends StateContract {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int KEYS = 400;

    private static final ValueStateDescriptor<Long> SUM =
            new ValueStateDescriptor<>("sum", Types.LONG);
    private static final ListStateDescriptor<String> LINES =
            new ListStateDescriptor<>("lines", Types.STRING);
    private static final MapStateDescriptor<Integer, String> NAMES =
            new MapStateDescriptor<>("names", Types.INT, Types.STRING);
    private static final ReducingStateDescriptor<Long> LARGEST =
            new ReducingStateDescriptor<>("largest", Math::max, Types.LONG);

    /** An ordinary Boolean, which was not declared approximate. */
    private static final ValueStateDescriptor<Boolean> EVEN =
            new ValueStateDescriptor<>("even", Types.BOOLEAN);

    private static <S extends State> S at(
            KeyedJob<Long> job, long key, StateDescriptor<S, ?> descriptor) throws Exception {
        CheckpointableKeyedStateBackend<Long> backend = job.subtaskOf(key).backend();
        backend.setCurrentKey(key);
        return backend.getPartitionedState(NOWHERE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private static void write(KeyedJob<Long> job, long key, long value) throws Exception {
        at(job, key, SUM).update(value);
        at(job, key, LINES).update(List.of("line " + value, "of " + key));
        at(job, key, NAMES).put((int) value, "name " + key);
        at(job, key, LARGEST).add(value);
        at(job, key, EVEN).update(value % 2 == 0);
    }

    private static void assertWritten(KeyedJob<Long> job, long key, long value) throws Exception {
        assertThat(at(job, key, SUM).value()).isEqualTo(value);
        assertThat(at(job, key, LINES).get()).containsExactly("line " + value, "of " + key);
        assertThat(at(job, key, NAMES).get((int) value)).isEqualTo("name " + key);
        assertThat(at(job, key, LARGEST).get()).isEqualTo(value);
        assertThat(at(job, key, EVEN).value()).isEqualTo(value % 2 == 0);
    }

    @Test
    void everyStateComesBackBesideTheFlags() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        for (long key = 0; key < KEYS; key++) {
            write(job, key, key * 3);
            if (key % 2 == 0) {
                seen.mark(key, NOWHERE);
            }
        }
        job.checkpoint();
        for (long key = 0; key < KEYS; key++) {
            write(job, key, key * 3 + 1);
        }
        mark(seen, 0, KEYS);
        for (int parallelism : new int[] {2, 3, 1}) {
            job.start(parallelism);
            for (long key = 0; key < KEYS; key++) {
                assertWritten(job, key, key * 3);
            }
            assertMarked(seen, KEYS, number -> number % 2 == 0);
            job.checkpoint();
        }
    }

    /** The key must be right for both sorts of state, whichever is used first. */
    @Test
    void statesOfEverySortAreAskedInTurns() throws Exception {
        KeyedJob<Long> job = job();
        job.start(1);
        Flags<Long, VoidNamespace> seen = job.flags(backends.flag("seen"));
        long dropped = 0;
        for (long i = 0; i < 3000; i++) {
            long key = i % 1000;
            if (i % 3 == 0) {
                Long sum = at(job, key, SUM).value();
                at(job, key, SUM).update(sum == null ? 1 : sum + 1);
                dropped += seen.markFirst(key, NOWHERE) == (i < 1000) ? 0 : 1;
            } else {
                dropped += seen.markFirst(key, NOWHERE) == (i < 1000) ? 0 : 1;
                Long sum = at(job, key, SUM).value();
                at(job, key, SUM).update(sum == null ? 1 : sum + 1);
            }
        }
        for (long key = 0; key < 1000; key++) {
            assertThat(at(job, key, SUM).value()).isEqualTo(3);
        }
        assertThat(dropped).isLessThanOrEqualTo(allowed(1000));
    }

    @Test
    void timersComeBackBesideTheFlags() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        var timers = timers(job, 0);
        for (long key = 0; key < KEYS; key++) {
            timers.add(new TimerHeapInternalTimer<>(KEYS - key, key, NOWHERE));
            seen.mark(key, NOWHERE);
        }
        job.checkpoint();
        timers.poll();
        job.start(2);
        List<Long> times = new ArrayList<>();
        for (int subtask = 0; subtask < 2; subtask++) {
            var queue = timers(job, subtask);
            for (var timer = queue.poll(); timer != null; timer = queue.poll()) {
                assertThat(timer.getTimestamp()).isEqualTo(KEYS - timer.getKey());
                assertThat(job.subtaskOf(timer.getKey())).isSameAs(job.subtask(subtask));
                times.add(timer.getTimestamp());
            }
        }
        assertThat(times)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, KEYS).boxed().toList());
        assertMarked(seen, KEYS, number -> true);
    }

    private static org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue<
                    TimerHeapInternalTimer<Long, VoidNamespace>>
            timers(KeyedJob<Long> job, int subtask) {
        return job.subtask(subtask)
                .backend()
                .create(
                        "timers",
                        new TimerSerializer<>(
                                LongSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    @Test
    void theKeysOfExactStatesCanBeListed() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        for (long key = 0; key < KEYS; key++) {
            at(job, key, SUM).update(1L);
            seen.mark(key + KEYS, NOWHERE);
        }
        try (Stream<Long> keys = job.subtask(0).backend().getKeys("sum", NOWHERE)) {
            assertThat(keys)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, KEYS).boxed().toList());
        }
        job.subtask(0)
                .backend()
                .applyToAllKeys(
                        NOWHERE,
                        VoidNamespaceSerializer.INSTANCE,
                        SUM,
                        (key, state) -> state.update(key));
        for (long key = 0; key < KEYS; key++) {
            assertThat(at(job, key, SUM).value()).isEqualTo(key);
        }
    }

    @Test
    void aJobWithoutFlagsTakesCanonicalSavepoints() throws Exception {
        KeyedJob<Long> job = job();
        job.start(2);
        for (long key = 0; key < KEYS; key++) {
            write(job, key, key);
        }
        Checkpoint savepoint =
                job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        job.start(3, savepoint);
        for (long key = 0; key < KEYS; key++) {
            assertWritten(job, key, key);
        }
    }

    @Test
    void aCanonicalSavepointCarriesFlagsAndOtherStatesToAnyParallelism() throws Exception {
        Flags<Long, VoidNamespace> seen = started(2);
        KeyedJob<Long> job = seen.job();
        for (long key = 0; key < KEYS; key++) {
            write(job, key, key);
        }
        mark(seen, 0, KEYS / 2);
        job.checkpoint();
        mark(seen, KEYS / 2, KEYS);
        for (int parallelism : new int[] {3, 1, 2}) {
            Checkpoint savepoint =
                    job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
            job.start(parallelism, savepoint);
            for (long key = 0; key < KEYS; key++) {
                assertWritten(job, key, key);
            }
            assertMarked(seen, 2 * KEYS, number -> number < KEYS);
        }
        job.checkpoint();
        job.start(1);
        assertMarked(seen, 2 * KEYS, number -> number < KEYS);
    }

    @Test
    void otherStatesChangeTheirSerializersBesideTheFlags() throws Exception {
        Flags<Long, VoidNamespace> seen = started(1);
        KeyedJob<Long> job = seen.job();
        ValueStateDescriptor<TestType> old =
                new ValueStateDescriptor<>("evolving", new TestType.V1TestTypeSerializer());
        for (long key = 0; key < KEYS; key++) {
            at(job, key, old).update(new TestType("key " + key, (int) key));
        }
        mark(seen, 0, KEYS / 2);
        job.checkpoint();
        job.start(2);
        ValueStateDescriptor<TestType> newer =
                new ValueStateDescriptor<>("evolving", new TestType.V2TestTypeSerializer());
        for (long key = 0; key < KEYS; key++) {
            assertThat(at(job, key, newer).value())
                    .isEqualTo(new TestType("key " + key, (int) key));
        }
        assertMarked(seen, KEYS, number -> number < KEYS / 2);
        job.checkpoint();
        job.start(1);
        ValueStateDescriptor<TestType> unreadable =
                new ValueStateDescriptor<>(
                        "evolving", new TestType.IncompatibleTestTypeSerializer());
        assertThatThrownBy(() -> at(job, 1, unreadable).value())
                .hasStackTraceContaining(StateMigrationException.class.getSimpleName());
        assertMarked(seen, KEYS, number -> number < KEYS / 2);
    }

    @Test
    void anotherSerializerOfTheKeysIsRefused() throws Exception {
        KeyKind<TestType> kind =
                KeyKind.of(
                        "TestType",
                        new TestType.V1TestTypeSerializer(),
                        number -> new TestType("key " + number, (int) number));
        KeyedJob<TestType> job = job(kind, MAX_PARALLELISM);
        job.start(1);
        Flags<TestType, VoidNamespace> seen = job.flags(backends.flag("seen"));
        mark(seen, 0, 100);
        job.checkpoint();
        assertThatThrownBy(
                        () -> {
                            job.start(1, new TestType.IncompatibleTestTypeSerializer());
                            seen.isMarked(kind.key(1), NOWHERE);
                        })
                .hasStackTraceContaining(StateMigrationException.class.getSimpleName());
        job.start(1);
        assertMarked(seen, 200, number -> number < 100);
    }
}
