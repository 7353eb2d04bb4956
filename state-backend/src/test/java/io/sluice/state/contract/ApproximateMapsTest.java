/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.MeasuredError;
import io.sluice.state.CascadeBackendOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What maps of flags in filters refuse, how they get there, and their error. */
class ApproximateMapsTest {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int MAX_PARALLELISM = 64;
    private static final int KEYS = 17;

    @TempDir Path directory;
    private KeyedJob<Long> job;

    private MapFlags<VoidNamespace> started(UnaryOperator<Configuration> options, int parallelism)
            throws Exception {
        job =
                new KeyedJob<>(
                        () -> StateBackends.cascade(options),
                        KeyKind.LONGS,
                        MAX_PARALLELISM,
                        directory);
        job.start(parallelism);
        return job.mapFlags(StateBackends.mapOfFlags(), VoidNamespaceSerializer.INSTANCE);
    }

    private static UnaryOperator<Configuration> exact(String delegate) {
        return options ->
                options.set(CascadeBackendOptions.MAP_STATES, List.of())
                        .set(CascadeBackendOptions.DELEGATE, delegate);
    }

    private static UnaryOperator<Configuration> selected(String delegate) {
        return options -> options.set(CascadeBackendOptions.DELEGATE, delegate);
    }

    @AfterEach
    void stopJob() throws Exception {
        if (job != null) {
            job.stop();
        }
    }

    private static void mark(MapFlags<VoidNamespace> flags, long from, long to) throws Exception {
        for (long number = from; number < to; number++) {
            flags.mark(number % KEYS, NOWHERE, "m" + number);
        }
    }

    private static void assertAllMarked(MapFlags<VoidNamespace> flags, long end) throws Exception {
        for (long number = 0; number < end; number++) {
            assertThat(flags.isMarked(number % KEYS, NOWHERE, "m" + number)).isTrue();
        }
    }

    private static void isRefused(ThrowingCallable call, String... says) {
        assertThatThrownBy(call)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("'seen-map'", CascadeBackendOptions.MAP_STATES.key())
                .hasMessageContainingAll(says);
    }

    @Test
    void falseAndNullAreRefused() throws Exception {
        MapState<String, Boolean> map = started(selected("rocksdb"), 1).at(1, NOWHERE);
        map.put("a", true);
        isRefused(() -> map.put("a", false), "remove(key)");
        isRefused(() -> map.put("b", null), "remove(key)");
        Map<String, Boolean> some = new HashMap<>();
        some.put("c", true);
        some.put("d", false);
        isRefused(() -> map.putAll(some), "remove(key)");
        assertThat(map.get("a")).isTrue();
        assertThat(map.get("b")).isNull();
        assertThat(map.get("c")).isNull();
    }

    @Test
    void whatNeedsTheKeysOfTheMapIsRefused() throws Exception {
        MapState<String, Boolean> map = started(selected("rocksdb"), 1).at(1, NOWHERE);
        map.put("a", true);
        isRefused(map::isEmpty, "isEmpty()");
        isRefused(map::entries, "entries()");
        isRefused(map::keys, "keys()");
        isRefused(map::values, "values()");
        isRefused(map::iterator, "iterator()");
        isRefused(map::clear, "clear()");
        assertThat(map.contains("a")).isTrue();
    }

    @Test
    void keysCannotBeListed() throws Exception {
        MapFlags<VoidNamespace> flags = started(selected("rocksdb"), 1);
        flags.mark(1, NOWHERE, "a");
        var backend = job.subtask(0).backend();
        isRefused(() -> backend.getKeys("seen-map", NOWHERE).count(), "list its keys");
        job.checkpoint();
        job.start(1);
        // Restored, but not named yet.
        isRefused(
                () -> job.subtask(0).backend().getKeysAndNamespaces("seen-map").count(),
                "list its keys");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void aMapThatIsSelectedLaterMovesIntoAFilter(String delegate) throws Exception {
        MapFlags<VoidNamespace> flags = started(exact(delegate), 2);
        mark(flags, 0, 3000);
        assertThat(flags.at(1, NOWHERE).keys()).hasSize(177);
        job.checkpoint();
        job.changeBackend(() -> StateBackends.cascade(selected(delegate)));
        for (int parallelism : new int[] {3, 1}) {
            job.start(parallelism);
            assertAllMarked(flags, 3000);
            isRefused(() -> flags.at(1, NOWHERE).keys(), "keys()");
            // The delegate has nothing left of it.
            assertThat(exactEntries()).isZero();
            job.checkpoint();
        }
    }

    private int exactEntries() throws Exception {
        int entries = 0;
        for (int i = 0; i < job.parallelism(); i++) {
            var backend = job.subtask(i).backend();
            var delegate =
                    ((org.apache.flink.runtime.state.AbstractKeyedStateBackend<Long>) backend)
                            .getDelegatedKeyedStateBackend(false);
            entries += (int) delegate.getKeys("seen-map", NOWHERE).count();
        }
        return entries;
    }

    @Test
    void aMapWithFalseInItDoesNotMove() throws Exception {
        MapFlags<VoidNamespace> flags = started(exact("hashmap"), 1);
        flags.at(1, NOWHERE).put("a", false);
        job.checkpoint();
        job.changeBackend(() -> StateBackends.cascade(selected("hashmap")));
        job.start(1);
        assertThatThrownBy(() -> flags.at(1, NOWHERE))
                .hasStackTraceContaining("'seen-map' holds 'false' or null for some key")
                .hasStackTraceContaining(CascadeBackendOptions.MAP_STATES.key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void anApproximateMapCannotBecomeExactAgain(String delegate) throws Exception {
        MapFlags<VoidNamespace> flags = started(selected(delegate), 1);
        mark(flags, 0, 100);
        job.checkpoint();
        job.changeBackend(() -> StateBackends.cascade(exact(delegate)));
        job.start(1);
        assertThatThrownBy(() -> flags.at(1, NOWHERE))
                .hasStackTraceContaining("'seen-map' is approximate in the checkpoint")
                .hasStackTraceContaining(CascadeBackendOptions.MAP_STATES.key());
    }

    @Test
    void aMapIsNotTakenForAFlagOfTheSameName() throws Exception {
        UnaryOperator<Configuration> both =
                options ->
                        options.set(CascadeBackendOptions.STATES, List.of("*"))
                                .set(CascadeBackendOptions.MAP_STATES, List.of("*"));
        MapFlags<VoidNamespace> flags = started(both, 1);
        mark(flags, 0, 100);
        job.checkpoint();
        job.start(1);
        Flags<Long, VoidNamespace> values =
                job.flags(new ValueStateDescriptor<>("seen-map", Types.BOOLEAN));
        assertThatThrownBy(() -> values.isMarked(1L, NOWHERE))
                .hasStackTraceContaining("was stored as a map state, but is a value state now");
    }

    @Test
    void keysOfAnotherKindAreRefused() throws Exception {
        MapFlags<VoidNamespace> flags = started(selected("hashmap"), 1);
        mark(flags, 0, 100);
        job.checkpoint();
        job.start(1);
        var backend = job.subtask(0).backend();
        backend.setCurrentKey(1L);
        assertThatThrownBy(
                        () ->
                                backend.getPartitionedState(
                                        NOWHERE,
                                        VoidNamespaceSerializer.INSTANCE,
                                        new MapStateDescriptor<>(
                                                "seen-map", Types.LONG, Types.BOOLEAN)))
                .hasStackTraceContaining("'map(string)'")
                .hasStackTraceContaining("'map(number)'");
    }

    /** Hashed with the namespaces, so these must be of the same kind too. */
    @Test
    void namespacesOfAnotherKindAreRefused() throws Exception {
        MapFlags<VoidNamespace> flags = started(selected("hashmap"), 1);
        mark(flags, 0, 100);
        job.checkpoint();
        job.start(1);
        MapFlags<String> windows =
                job.mapFlags(StateBackends.mapOfFlags(), StringSerializer.INSTANCE);
        assertThatThrownBy(() -> windows.at(1, "a window"))
                .hasStackTraceContaining("'map(string)'")
                .hasStackTraceContaining("'string,map(string)'");
    }

    private static UnaryOperator<Configuration> probable(double probability) {
        return options ->
                options.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, probability)
                        .set(CascadeBackendOptions.CAPACITY, 20_000L)
                        .set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("16kb"))
                        .set(CascadeBackendOptions.SAMPLE_ONE_IN, 1);
    }

    /** Few keys with long maps: what counts are entries, not keys. */
    @Test
    void theProbabilityHoldsForEntriesAndIsMeasured() throws Exception {
        double probability = 1e-2;
        MapFlags<VoidNamespace> flags = started(probable(probability), 2);
        // All of them are watched.
        long end = 10_000;
        long dropped = 0;
        for (long number = 0; number < end; number++) {
            MapState<String, Boolean> map = flags.at(number % KEYS, NOWHERE);
            if (map.contains("m" + number)) {
                dropped++;
            } else {
                map.put("m" + number, true);
            }
        }
        assertThat(dropped).isPositive().isLessThanOrEqualTo(Tolerance.of(end, probability));
        job.checkpoint();
        MeasuredError measured = MeasuredError.NONE;
        for (int i = 0; i < job.parallelism(); i++) {
            Gauges gauges = job.subtask(i).gauges();
            measured =
                    measured.plus(
                            new MeasuredError(
                                    (long) gauges.value("cascade.state.seen-map.watchedFirsts"),
                                    (long) gauges.value("cascade.state.seen-map.watchedDropped")));
        }
        assertThat(measured).isEqualTo(new MeasuredError(end, dropped));
        job.start(3, job.checkpoint(SavepointType.savepoint(SavepointFormatType.NATIVE)));
        long wrong = 0;
        for (long number = end; number < 5 * end; number++) {
            wrong += flags.at(number % KEYS, NOWHERE).contains("m" + number) ? 1 : 0;
        }
        assertThat(wrong).isPositive().isLessThanOrEqualTo(Tolerance.of(4 * end, probability));
    }
}
