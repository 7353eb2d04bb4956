/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.state.CascadeBackendOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * States and timers are as in an exact model, on the heap or, when it has no room, on disk: through
 * checkpoints, savepoints of both formats, other parallelisms and other memory.
 */
class HeapFirstStatesTest {

    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final long KEYS = 300;
    private static final List<String> NAMESPACES = List.of("here", "there");

    private static final ValueStateDescriptor<String> ROW =
            new ValueStateDescriptor<>("row", Types.STRING);
    private static final MapStateDescriptor<Integer, String> ROWS =
            new MapStateDescriptor<>("rows", Types.INT, Types.STRING);

    private static final List<SnapshotType> SNAPSHOTS =
            List.of(
                    CheckpointType.CHECKPOINT,
                    CheckpointType.CHECKPOINT,
                    CheckpointType.FULL_CHECKPOINT,
                    SavepointType.savepoint(SavepointFormatType.CANONICAL),
                    SavepointType.savepoint(SavepointFormatType.NATIVE));

    @TempDir Path directory;

    private KeyedJob<Long> job;
    private boolean timersFirst;
    private final List<Timers> timers = new ArrayList<>();

    /** The timers of one subtask. */
    private record Timers(
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>> queue) {}

    /** What a state should hold. */
    private record Place(long key, String namespace) {}

    private record Timer(long time, long key) {}

    private static final class Model {
        private final Map<Place, String> row = new HashMap<>();
        private final Map<Place, Map<Integer, String>> rows = new HashMap<>();
        private final Set<Timer> timers = new HashSet<>();

        Model copy() {
            Model copy = new Model();
            copy.row.putAll(row);
            rows.forEach((place, map) -> copy.rows.put(place, new HashMap<>(map)));
            copy.timers.addAll(timers);
            return copy;
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (job != null) {
            job.stop();
        }
    }

    private static StateBackend backend(String memory) {
        return StateBackends.cascade(
                configuration ->
                        configuration
                                .set(CascadeBackendOptions.HEAP_STATES, List.of("row*"))
                                .set(CascadeBackendOptions.HEAP_MEMORY, MemorySize.parse(memory)));
    }

    private void start(int maxParallelism, String memory) throws Exception {
        job = new KeyedJob<>(() -> backend(memory), KeyKind.LONGS, maxParallelism, directory);
    }

    private <S extends State> S at(Place place, StateDescriptor<S, ?> descriptor) throws Exception {
        var backend = job.subtaskOf(place.key()).backend();
        job.kind().select(place.key(), backend, job.maxParallelism());
        return backend.getPartitionedState(
                place.namespace(), StringSerializer.INSTANCE, descriptor);
    }

    /** Opens what an operator opens, in its order. */
    private void open() throws Exception {
        timers.clear();
        for (int i = 0; i < job.parallelism(); i++) {
            if (timersFirst) {
                timers.add(timers(i));
            }
            var backend = job.subtask(i).backend();
            backend.getOrCreateKeyedState(StringSerializer.INSTANCE, ROW);
            backend.getOrCreateKeyedState(StringSerializer.INSTANCE, ROWS);
            if (!timersFirst) {
                timers.add(timers(i));
            }
        }
    }

    private Timers timers(int subtask) {
        return new Timers(
                job.subtask(subtask)
                        .backend()
                        .create(
                                "timers",
                                new TimerSerializer<>(
                                        LongSerializer.INSTANCE,
                                        VoidNamespaceSerializer.INSTANCE)));
    }

    private int subtaskOf(long key) {
        return KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                job.maxParallelism(),
                job.parallelism(),
                job.kind().keyGroup(key, job.maxParallelism()));
    }

    private static TimerHeapInternalTimer<Long, VoidNamespace> timer(Timer timer) {
        return new TimerHeapInternalTimer<>(timer.time(), timer.key(), NOWHERE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 13, 128})
    void everythingIsAsInTheModel(int maxParallelism) throws Exception {
        run(maxParallelism, 0, 12_000);
    }

    @Test
    @Tag("long")
    void itIsForManySeeds() throws Exception {
        for (int repetition = 1; repetition < 40; repetition++) {
            run(new SplittableRandom(repetition).nextInt(1, 300), repetition, 40_000);
            job.stop();
        }
    }

    private void run(int maxParallelism, int repetition, int operations) throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed(repetition));
        timersFirst = random.nextBoolean();
        start(maxParallelism, memory(random, maxParallelism));
        job.start(1);
        open();
        Model model = new Model();
        Model stored = new Model();
        for (int i = 0; i < operations; i++) {
            int kind = random.nextInt(1_000);
            if (kind < 2) {
                SnapshotType type = SNAPSHOTS.get(random.nextInt(SNAPSHOTS.size()));
                Checkpoint checkpoint = job.begin(type);
                stored = model.copy();
                for (int j = random.nextInt(30); j > 0; j--) {
                    change(model, random);
                }
                job.finish(checkpoint);
                job.complete(checkpoint);
                if (type instanceof SavepointType) {
                    restart(random, checkpoint);
                    model = stored.copy();
                }
            } else if (kind < 4) {
                restart(random, null);
                model = stored.copy();
                assertAll(model);
            } else {
                change(model, random);
            }
        }
        assertAll(model);
    }

    /**
     * @param from null for the last checkpoint
     */
    private void restart(SplittableRandom random, Checkpoint from) throws Exception {
        String memory = memory(random, job.maxParallelism());
        job.changeBackend(() -> backend(memory));
        int parallelism = random.nextInt(1, Math.min(4, job.maxParallelism()) + 1);
        if (from == null) {
            job.start(parallelism);
        } else {
            job.start(parallelism, from);
            // Its files go when another checkpoint is complete; from then on that counts.
            open();
            job.checkpoint();
            return;
        }
        open();
    }

    /** None, some of what comes, or all of it. */
    private static String memory(SplittableRandom random, int maxParallelism) {
        return switch (random.nextInt(3)) {
            case 0 -> "0b";
            case 1 -> 2 * maxParallelism + 20 + random.nextInt(100) + "kb";
            default -> "64mb";
        };
    }

    private void change(Model model, SplittableRandom random) throws Exception {
        Place place = new Place(random.nextLong(KEYS), NAMESPACES.get(random.nextInt(2)));
        String text = Integer.toString(random.nextInt(), 36).repeat(random.nextInt(1, 20));
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                at(place, ROW).update(text);
                model.row.put(place, text);
            }
            case 3 -> {
                at(place, ROW).clear();
                model.row.remove(place);
            }
            case 4 -> assertThat(at(place, ROW).value()).isEqualTo(model.row.get(place));
            case 5, 6 -> {
                int name = random.nextInt(4);
                at(place, ROWS).put(name, text);
                model.rows.computeIfAbsent(place, p -> new HashMap<>()).put(name, text);
            }
            case 7 -> {
                int name = random.nextInt(4);
                at(place, ROWS).remove(name);
                model.rows.getOrDefault(place, new HashMap<>()).remove(name);
            }
            case 8 -> changeWhileIterating(place, model, random);
            case 9 -> {
                Timer timer = new Timer(random.nextLong(500), place.key());
                timers.get(subtaskOf(timer.key())).queue().add(timer(timer));
                model.timers.add(timer);
            }
            case 10 -> {
                Timer timer = new Timer(random.nextLong(500), place.key());
                timers.get(subtaskOf(timer.key())).queue().remove(timer(timer));
                model.timers.remove(timer);
            }
            default -> poll(random.nextInt(timers.size()), model);
        }
    }

    private void changeWhileIterating(Place place, Model model, SplittableRandom random)
            throws Exception {
        Map<Integer, String> expected = model.rows.getOrDefault(place, new HashMap<>());
        MapState<Integer, String> state = at(place, ROWS);
        assertThat(state.isEmpty()).isEqualTo(expected.isEmpty());
        Iterator<Map.Entry<Integer, String>> entries = state.iterator();
        Map<Integer, String> found = new HashMap<>();
        Map<Integer, String> after = new HashMap<>();
        while (entries.hasNext()) {
            Map.Entry<Integer, String> entry = entries.next();
            found.put(entry.getKey(), entry.getValue());
            after.put(entry.getKey(), entry.getValue());
            if (random.nextBoolean()) {
                entries.remove();
                after.remove(entry.getKey());
            } else if (random.nextBoolean()) {
                entry.setValue("changed");
                after.put(entry.getKey(), "changed");
            }
        }
        assertThat(found).isEqualTo(expected);
        model.rows.put(place, after);
    }

    private void poll(int subtask, Model model) {
        var queue = timers.get(subtask).queue();
        long first =
                model.timers.stream()
                        .filter(timer -> subtaskOf(timer.key()) == subtask)
                        .mapToLong(Timer::time)
                        .min()
                        .orElse(-1);
        assertThat(queue.isEmpty()).isEqualTo(first < 0);
        var peeked = queue.peek();
        var polled = queue.poll();
        assertThat(polled).isEqualTo(peeked);
        if (polled != null) {
            assertThat(polled.getTimestamp()).isEqualTo(first);
            assertThat(model.timers.remove(new Timer(first, polled.getKey()))).isTrue();
        }
    }

    private void assertAll(Model model) throws Exception {
        Map<String, Set<Long>> keys = new HashMap<>();
        for (long key = 0; key < KEYS; key++) {
            for (String namespace : NAMESPACES) {
                Place place = new Place(key, namespace);
                String row = model.row.get(place);
                assertThat(at(place, ROW).value()).as("%s", place).isEqualTo(row);
                Map<Integer, String> rows = model.rows.getOrDefault(place, Map.of());
                Map<Integer, String> found = new HashMap<>();
                MapState<Integer, String> state = at(place, ROWS);
                state.entries().forEach(entry -> found.put(entry.getKey(), entry.getValue()));
                assertThat(found).as("%s", place).isEqualTo(rows);
                for (int name = 0; name < 4; name++) {
                    assertThat(state.get(name)).isEqualTo(rows.get(name));
                    assertThat(state.contains(name)).isEqualTo(rows.containsKey(name));
                }
                if (row != null) {
                    keys.computeIfAbsent("row " + namespace, n -> new HashSet<>()).add(key);
                }
                if (!rows.isEmpty()) {
                    keys.computeIfAbsent("rows " + namespace, n -> new HashSet<>()).add(key);
                }
            }
        }
        for (String state : List.of("row", "rows")) {
            for (String namespace : NAMESPACES) {
                List<Long> listed = new ArrayList<>();
                for (int i = 0; i < job.parallelism(); i++) {
                    try (Stream<Long> some = job.subtask(i).backend().getKeys(state, namespace)) {
                        some.forEach(listed::add);
                    }
                }
                assertThat(listed)
                        .containsExactlyInAnyOrderElementsOf(
                                keys.getOrDefault(state + " " + namespace, Set.of()));
            }
        }
        assertTimers(model);
    }

    private void assertTimers(Model model) throws Exception {
        List<Timer> found = new ArrayList<>();
        int size = 0;
        for (Timers each : timers) {
            var all = each.queue().iterator();
            all.forEachRemaining(
                    timer -> found.add(new Timer(timer.getTimestamp(), timer.getKey())));
            all.close();
            size += each.queue().size();
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(model.timers);
        assertThat(size).isEqualTo(model.timers.size());
    }

    /** As with a backend that writes what it is given. */
    @Test
    void whatTheCallerChangesLaterChangesNothing() throws Exception {
        start(4, "64mb");
        job.start(1);
        ValueStateDescriptor<byte[]> descriptor =
                new ValueStateDescriptor<>("row of bytes", BytePrimitiveArraySerializer.INSTANCE);
        MapStateDescriptor<Integer, byte[]> ofMap =
                new MapStateDescriptor<>(
                        "rows of bytes",
                        IntSerializer.INSTANCE,
                        BytePrimitiveArraySerializer.INSTANCE);
        Place place = new Place(1, "here");
        byte[] given = {1};
        at(place, descriptor).update(given);
        at(place, ofMap).put(1, given);
        given[0] = 2;
        assertThat(at(place, descriptor).value()).containsExactly(1);
        assertThat(at(place, ofMap).get(1)).containsExactly(1);
        at(place, descriptor).value()[0] = 3;
        at(place, ofMap).get(1)[0] = 3;
        at(place, ofMap).values().iterator().next()[0] = 4;
        assertThat(at(place, descriptor).value()).containsExactly(1);
        assertThat(at(place, ofMap).get(1)).containsExactly(1);
    }

    /** The delegate writes nothing while everything is on the heap. */
    @Test
    void whatFitsOnTheHeapIsNotWrittenByTheDelegate() throws Exception {
        start(4, "64mb");
        job.start(1);
        timersFirst = true;
        open();
        for (long key = 0; key < KEYS; key++) {
            at(new Place(key, "here"), ROW).update("row " + key);
            timers.get(0).queue().add(timer(new Timer(key, key)));
        }
        assertThat(names(job.checkpoint()))
                .contains("cascade/heap-stream")
                .allMatch(name -> name.startsWith("cascade/"));
        job.changeBackend(() -> backend("0b"));
        job.start(1);
        open();
        for (long key = 0; key < KEYS; key++) {
            assertThat(at(new Place(key, "here"), ROW).value()).isEqualTo("row " + key);
            assertThat(timers.get(0).queue().poll().getTimestamp()).isEqualTo(key);
            at(new Place(key, "here"), ROW).clear();
            at(new Place(key, "there"), ROW).update("row " + key);
        }
        assertThat(names(job.checkpoint())).anyMatch(name -> !name.startsWith("cascade/"));
    }

    /** The names of all files of a checkpoint. */
    private static List<String> names(Checkpoint checkpoint) {
        return checkpoint.handles().stream()
                .map(IncrementalRemoteKeyedStateHandle.class::cast)
                .flatMap(
                        handle ->
                                Stream.concat(
                                        handle.getPrivateState().stream(),
                                        handle.getSharedState().stream()))
                .map(HandleAndLocalPath::getLocalPath)
                .toList();
    }

    /** As in a window, for which the watermark does not come. */
    @Test
    void aMapThatGrowsGoesToTheDelegate() throws Exception {
        start(4, "1mb");
        job.start(1);
        Place place = new Place(1, "here");
        String text = "t".repeat(1_000);
        for (int name = 0; name < 5_000; name++) {
            at(place, ROWS).put(name, text);
        }
        assertThat(names(job.checkpoint())).anyMatch(name -> !name.startsWith("cascade/"));
        assertThat(heapBytes(job.checkpoint())).isLessThan(1 << 20);
        for (int name = 0; name < 5_000; name++) {
            assertThat(at(place, ROWS).get(name)).isEqualTo(text);
            at(place, ROWS).remove(name);
        }
        assertThat(at(place, ROWS).isEmpty()).isTrue();
    }

    private static long heapBytes(Checkpoint checkpoint) {
        return checkpoint.handles().stream()
                .map(IncrementalRemoteKeyedStateHandle.class::cast)
                .flatMap(handle -> handle.getPrivateState().stream())
                .filter(file -> file.getLocalPath().equals("cascade/heap-stream"))
                .mapToLong(file -> file.getHandle().getStateSize())
                .sum();
    }

    /** A job may list the keys of a state before it asks for the state. */
    @Test
    void keysAreListedAndAppliedToBeforeTheStateIsAskedFor() throws Exception {
        start(4, "64mb");
        job.start(1);
        for (long key = 0; key < KEYS; key++) {
            at(new Place(key, "here"), ROW).update("row " + key);
        }
        job.checkpoint();
        job.start(1);
        try (Stream<Long> keys = job.subtask(0).backend().getKeys("row", "here")) {
            assertThat(keys).hasSize((int) KEYS);
        }
        job.start(2);
        for (int i = 0; i < 2; i++) {
            job.subtask(i)
                    .backend()
                    .applyToAllKeys(
                            "here",
                            StringSerializer.INSTANCE,
                            ROW,
                            (key, state) -> state.update("changed " + key));
        }
        for (long key = 0; key < KEYS; key++) {
            assertThat(at(new Place(key, "here"), ROW).value()).isEqualTo("changed " + key);
        }
    }

    /** It would lose them, since only a state that was asked for can be moved. */
    @Test
    void aCanonicalSavepointBeforeAStateIsAskedForIsRefused() throws Exception {
        start(4, "64mb");
        job.start(1);
        at(new Place(1, "here"), ROW).update("row");
        job.checkpoint();
        job.start(1);
        assertThatThrownBy(() -> job.begin(SavepointType.savepoint(SavepointFormatType.CANONICAL)))
                .hasMessageContaining("1 entries are on the heap")
                .hasMessageContaining("native savepoint");
        job.checkpoint();
        job.start(1);
        assertThat(at(new Place(1, "here"), ROW).value()).isEqualTo("row");
    }

    @Test
    void timersGoOnWhereTheDelegateBecomesTheHeap() throws Exception {
        start(4, "64mb");
        job.start(1);
        timersFirst = true;
        open();
        for (long key = 0; key < KEYS; key++) {
            at(new Place(key, "here"), ROW).update("row " + key);
            timers.get(0).queue().add(timer(new Timer(key, key)));
        }
        job.checkpoint();
        job.changeBackend(
                () ->
                        StateBackends.cascade(
                                configuration ->
                                        configuration.set(
                                                CascadeBackendOptions.DELEGATE, "hashmap")));
        job.start(1);
        open();
        for (long key = 0; key < KEYS; key++) {
            assertThat(at(new Place(key, "here"), ROW).value()).isEqualTo("row " + key);
            assertThat(timers.get(0).queue().poll().getTimestamp()).isEqualTo(key);
        }
        assertThat(timers.get(0).queue().isEmpty()).isTrue();
    }

    @Test
    void aFlagOnTheHeapMovesIntoAFilterWhenItIsNamed() throws Exception {
        job =
                new KeyedJob<>(
                        () ->
                                StateBackends.cascade(
                                        configuration ->
                                                configuration
                                                        .set(
                                                                CascadeBackendOptions.STATES,
                                                                List.of("other"))
                                                        .set(
                                                                CascadeBackendOptions.HEAP_STATES,
                                                                List.of("seen"))),
                        KeyKind.LONGS,
                        4,
                        directory);
        job.start(1);
        Flags<Long, VoidNamespace> seen =
                job.flags(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
        StateContract.mark(seen, 0, KEYS);
        assertThat(names(job.checkpoint())).contains("cascade/heap-stream");
        job.changeBackend(() -> StateBackends.cascade(configuration -> configuration));
        job.start(1);
        for (long key = 0; key < KEYS; key++) {
            assertThat(seen.isMarked(key, NOWHERE)).isTrue();
        }
        assertThat(names(job.checkpoint())).anyMatch(name -> name.endsWith(".level"));
    }

    /** As Sluice's functions in SQL have for rows that wait. */
    @Test
    void aTimeToLiveThatNeverEndsIsNone() throws Exception {
        start(4, "64mb");
        job.start(1);
        MapStateDescriptor<Integer, String> forEver =
                new MapStateDescriptor<>("rows for ever", Types.INT, Types.STRING);
        forEver.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(Long.MAX_VALUE)).build());
        Place place = new Place(1, "here");
        at(place, forEver).put(1, "one");
        at(place, forEver).put(2, "two");
        at(place, forEver).remove(1);
        assertThat(names(job.checkpoint()))
                .contains("cascade/heap-stream")
                .allMatch(name -> name.startsWith("cascade/"));
        job.start(1);
        assertThat(at(place, forEver).get(1)).isNull();
        assertThat(at(place, forEver).get(2)).isEqualTo("two");
    }

    /** A map of Java does not find an array that is equal to its key. */
    @Test
    void mapsWithArraysForKeysStayWithTheDelegate() throws Exception {
        start(4, "64mb");
        job.start(1);
        MapStateDescriptor<byte[], String> ofBytes =
                new MapStateDescriptor<>(
                        "rows by bytes",
                        BytePrimitiveArraySerializer.INSTANCE,
                        StringSerializer.INSTANCE);
        Place place = new Place(1, "here");
        at(place, ofBytes).put(new byte[] {1}, "one");
        assertThat(at(place, ofBytes).get(new byte[] {1})).isEqualTo("one");
    }

    @Test
    void aValueThatGrowsGoesToTheDelegate() throws Exception {
        start(1, "300kb");
        job.start(1);
        for (int i = 0; i < 10; i++) {
            for (long key = 0; key < 100; key++) {
                at(new Place(key, "here"), ROW).update("t".repeat(1 + Math.min(i, 3) * 10_000));
            }
        }
        Checkpoint checkpoint = job.checkpoint();
        assertThat(heapBytes(checkpoint)).isLessThan(1 << 20);
        for (long key = 0; key < 100; key++) {
            assertThat(at(new Place(key, "here"), ROW).value()).hasSize(30_001);
        }
    }

    /** A canonical savepoint has moved it. */
    @Test
    void aValueThatIsUpdatedComesBackToTheHeap() throws Exception {
        start(4, "64mb");
        job.start(1);
        for (long key = 0; key < KEYS; key++) {
            at(new Place(key, "here"), ROW).update("row " + key);
        }
        job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        long before = heapBytes(job.checkpoint());
        for (long key = 0; key < KEYS; key++) {
            at(new Place(key, "here"), ROW).update("changed " + key);
        }
        assertThat(heapBytes(job.checkpoint())).isGreaterThan(before + KEYS);
    }

    /** A state with a time-to-live or a default value is the delegate's. */
    @Test
    void whatCouldVanishOrHasADefaultStaysWithTheDelegate() throws Exception {
        start(4, "64mb");
        job.start(1);
        ValueStateDescriptor<String> brief = new ValueStateDescriptor<>("row a", Types.STRING);
        brief.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
        @SuppressWarnings("deprecation") // the only way, and jobs use it
        ValueStateDescriptor<String> withDefault =
                new ValueStateDescriptor<>("row b", Types.STRING, "none");
        Place place = new Place(1, "here");
        at(place, brief).update("brief");
        assertThat(at(place, withDefault).value()).isEqualTo("none");
        at(place, withDefault).update("with a default");
        assertThat(names(job.checkpoint())).isNotEmpty().noneMatch(name -> name.contains("heap"));
        job.start(1);
        assertThat(at(place, brief).value()).isEqualTo("brief");
        assertThat(at(place, withDefault).value()).isEqualTo("with a default");
    }
}
