/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.heap;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RunnableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.DoneFuture;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.util.StateMigrationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The states and timers of one subtask that are kept on the heap first, within a budget. Begins
 * with the first state that is taken: until then timers are the delegate's alone.
 *
 * <p>Owned by the task's thread.
 *
 * @param <K> type of the keys
 */
@Internal
public final class HeapFirstStates<K> {

    private static final Logger LOG = LoggerFactory.getLogger(HeapFirstStates.class);

    /** The table of a state for one key group, while it is small. */
    private static final long KEY_GROUP_BYTES = 1_024;

    /** A timer without its key, which the entry has too. */
    private static final long TIMER_BYTES = 160;

    private static final int PUBLISHED_EVERY = 1_024;

    private final AbstractKeyedStateBackend<K> heap;
    private final AbstractKeyedStateBackend<K> delegate;
    private final Predicate<String> names;
    private final long maxBytes;
    private final Runnable useDelegate;
    private final Consumer<Supplier<Numbers>> metrics;
    private final EntrySize entrySize = new EntrySize();
    private final Map<String, HeapFirstState<K, ?, ?, ?>> states = new LinkedHashMap<>();
    private final Map<String, HeapFirstTimers<?>> timers = new LinkedHashMap<>();
    private final boolean isRestored;
    private boolean isUsed;

    /** Of all states, on the heap; those of maps count apart. */
    private long entries;

    private boolean hasSaidThatItIsFull;

    /** Written by the task's thread, read by any. */
    private volatile Numbers published = new Numbers(0, 0, 0);

    /**
     * What metrics show.
     *
     * @param entries on the heap
     * @param overflow keys whose entries are in the delegate
     * @param bytes about how much of the heap entries and timers take
     */
    public record Numbers(long entries, long overflow, long bytes) {}

    /**
     * @param heap Flink's heap backend; from now on owned by this
     * @param delegate has the current key
     * @param names of the states
     * @param maxBytes of all entries and timers on the heap, about; 0: nothing is added
     * @param restored whether {@code heap} was given something to restore
     * @param useDelegate called before the delegate is asked for a key's entry
     * @param metrics is given the numbers when the first state is taken
     */
    public HeapFirstStates(
            AbstractKeyedStateBackend<K> heap,
            AbstractKeyedStateBackend<K> delegate,
            Predicate<String> names,
            long maxBytes,
            boolean restored,
            Runnable useDelegate,
            Consumer<Supplier<Numbers>> metrics) {
        this.heap = requireNonNull(heap, "heap");
        this.delegate = requireNonNull(delegate, "delegate");
        this.names = requireNonNull(names, "names");
        this.maxBytes = maxBytes;
        this.isRestored = restored;
        this.isUsed = restored;
        this.useDelegate = requireNonNull(useDelegate, "useDelegate");
        this.metrics = requireNonNull(metrics, "metrics");
    }

    /** Returns whether there is anything on the heap that a checkpoint needs. */
    public boolean isUsed() {
        return isUsed;
    }

    /** Returns whether this state is kept on the heap first. */
    public boolean contains(String name) {
        return states.containsKey(name);
    }

    /**
     * Returns whether the state of this descriptor is kept here: a checkpoint has entries of it, or
     * it is named, and is a value or map state without a time-to-live or default value.
     */
    public boolean takes(StateDescriptor<?, ?> descriptor) {
        boolean isOfAKind =
                descriptor.getType() == StateDescriptor.Type.VALUE
                        || descriptor.getType() == StateDescriptor.Type.MAP;
        String name = descriptor.getName();
        return contains(name)
                || (isRestored && isAnyOf(heap, name))
                || (isOfAKind && isWanted(descriptor) && hasRoomForTables(name));
    }

    /** Returns whether new entries may go to the heap. */
    private boolean isWanted(StateDescriptor<?, ?> descriptor) {
        return maxBytes > 0
                && names.test(descriptor.getName())
                && lastsForEver(descriptor.getTtlConfig())
                && descriptor.getDefaultValue() == null
                && !hasArraysForKeys(descriptor.getSerializer());
    }

    /** A state of a function in SQL may have a time-to-live that never ends. */
    private static boolean lastsForEver(StateTtlConfig timeToLive) {
        return !timeToLive.isEnabled() || timeToLive.getTimeToLive().toMillis() == Long.MAX_VALUE;
    }

    /** A map on the heap would not find them: arrays are not equal by what is in them. */
    private static boolean hasArraysForKeys(TypeSerializer<?> serializer) {
        if (!(serializer instanceof MapSerializer<?, ?> map)) {
            return false;
        }
        Object key = map.getKeySerializer().createInstance();
        return key != null && key.getClass().isArray();
    }

    /** Tables of as many key groups would leave nothing to entries. */
    private boolean hasRoomForTables(String name) {
        long bytes = tableBytes(states.size() + 1);
        if (bytes <= maxBytes / 2) {
            return true;
        }
        LOG.warn(
                "State '{}' is kept by the delegate alone: on the heap, {} key groups would take"
                        + " {} bytes, more than half of state.backend.cascade.heap-memory.",
                name,
                heap.getKeyGroupRange().getNumberOfKeyGroups(),
                bytes);
        return false;
    }

    private long tableBytes(int tables) {
        return KEY_GROUP_BYTES * tables * heap.getKeyGroupRange().getNumberOfKeyGroups();
    }

    /**
     * Returns the state of a descriptor that {@link #takes} accepts.
     *
     * @throws StateMigrationException if entries are on the heap, and absent ones now have a value
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as Flink's own signature
    public <N, SV, SEV, S extends State, IS extends S> IS create(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> descriptor,
            StateSnapshotTransformFactory<SEV> transformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        String name = descriptor.getName();
        if (descriptor.getDefaultValue() != null) {
            throw new StateMigrationException(
                    "State '"
                            + name
                            + "' has entries on the heap, and a default value now. Start"
                            + " without the default value, or give the state another name.");
        }
        begin();
        S onHeap =
                heap.createOrUpdateInternalState(
                        namespaceSerializer,
                        descriptor,
                        transformFactory,
                        allowFutureMetadataUpdates);
        S inDelegate =
                delegate.createOrUpdateInternalState(
                        namespaceSerializer,
                        descriptor,
                        transformFactory,
                        allowFutureMetadataUpdates);
        HeapFirstState<K, ?, ?, ?> known = states.get(name);
        if (known != null) {
            return (IS) known;
        }
        if (states.isEmpty()) {
            metrics.accept(() -> published);
        }
        HeapFirstState<K, N, ?, ?> state =
                make(onHeap, inDelegate, count(delegate, name), isWanted(descriptor));
        states.put(name, state);
        if (isRestored) {
            countRestored(name, state);
        }
        return (IS) state;
    }

    private <N> void countRestored(String name, HeapFirstState<K, N, ?, ?> state) throws Exception {
        for (Tuple2<K, N> entry : HeapFirstStates.<K, N>all(heap, name)) {
            heap.setCurrentKey(entry.f0);
            state.setCurrentNamespace(entry.f1);
            state.restored();
        }
    }

    private static <K, N> List<Tuple2<K, N>> all(
            AbstractKeyedStateBackend<K> backend, String state) {
        try (Stream<Tuple2<K, N>> keys = backend.getKeysAndNamespaces(state)) {
            return keys.toList();
        }
    }

    private static boolean isAnyOf(AbstractKeyedStateBackend<?> backend, String state) {
        try (Stream<?> keys = backend.getKeysAndNamespaces(state)) {
            return keys.findFirst().isPresent();
        }
    }

    /** Returns the heap, if a checkpoint had entries of this state there. */
    public Optional<AbstractKeyedStateBackend<K>> restored(String name) {
        return isRestored && isAnyOf(heap, name) ? Optional.of(heap) : Optional.empty();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // both are made for the same descriptor
    private <N> HeapFirstState<K, N, ?, ?> make(
            State onHeap, State inDelegate, long delegated, boolean takesNew) {
        return onHeap instanceof InternalMapState map
                ? new HeapFirstMapState(
                        this, map, (InternalMapState) inDelegate, delegated, takesNew)
                : new HeapFirstValueState(
                        this,
                        (InternalValueState) onHeap,
                        (InternalValueState) inDelegate,
                        delegated,
                        takesNew);
    }

    private static long count(AbstractKeyedStateBackend<?> backend, String state) {
        try (Stream<?> keys = backend.getKeysAndNamespaces(state)) {
            return keys.count();
        }
    }

    private void begin() {
        if (!isUsed) {
            isUsed = true;
            timers.values().forEach(HeapFirstTimers::begin);
        }
    }

    /**
     * Returns a queue that keeps timers on the heap as soon as a state is kept there.
     *
     * @param delegated the delegate's queue; one that is on the heap itself is returned as it is,
     *     with the timers that a checkpoint had here
     */
    @SuppressWarnings("unchecked") // a name has one type of timers
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> timers(
                    String name,
                    TypeSerializer<T> serializer,
                    boolean allowFutureMetadataUpdates,
                    KeyGroupedInternalPriorityQueue<T> delegated) {
        if (delegated instanceof HeapPriorityQueueSet) {
            if (isRestored) {
                KeyGroupedInternalPriorityQueue<T> restored =
                        heap.create(name, serializer, allowFutureMetadataUpdates);
                for (T timer = restored.poll(); timer != null; timer = restored.poll()) {
                    delegated.add(timer);
                }
            }
            return delegated;
        }
        HeapFirstTimers<T> queue =
                new HeapFirstTimers<>(
                        delegated,
                        () -> heap.create(name, serializer, allowFutureMetadataUpdates),
                        this::hasRoom);
        if (isUsed) {
            queue.begin();
        }
        timers.put(name, queue);
        return queue;
    }

    /** Begins a checkpoint of what is on the heap. */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streamFactory,
            CheckpointOptions options)
            throws Exception {
        publish();
        return isUsed
                ? heap.snapshot(checkpointId, timestamp, streamFactory, options)
                : DoneFuture.of(SnapshotResult.empty());
    }

    /** Returns the keys that have an entry on the heap, and those that have one in the delegate. */
    public <N> Stream<K> getKeys(String of, N namespace) {
        Stream<K> inDelegate = delegate.getKeys(of, namespace);
        return isUsed ? Stream.concat(heap.getKeys(of, namespace), inDelegate) : inDelegate;
    }

    /** As the other, of several states; each key once. */
    public <N> Stream<K> getKeys(List<String> of, N namespace) {
        Stream<K> inDelegate = delegate.getKeys(of, namespace);
        return isUsed
                ? Stream.concat(heap.getKeys(of, namespace), inDelegate).distinct()
                : inDelegate;
    }

    /** As {@link #getKeys}, with all namespaces. */
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String of) {
        Stream<Tuple2<K, N>> inDelegate = delegate.getKeysAndNamespaces(of);
        return isUsed ? Stream.concat(heap.getKeysAndNamespaces(of), inDelegate) : inDelegate;
    }

    /**
     * Moves everything to the delegate, for a savepoint that only it can write. Leaves another key
     * current.
     *
     * @param setCurrentKey makes a key current for the delegate
     * @throws IllegalStateException if a checkpoint had entries here of a state for which the job
     *     has not asked yet
     */
    public void moveToDelegate(Consumer<K> setCurrentKey) throws Exception {
        for (Map.Entry<String, HeapFirstState<K, ?, ?, ?>> state : states.entrySet()) {
            moveToDelegate(state.getKey(), state.getValue(), setCurrentKey);
        }
        timers.values().forEach(HeapFirstTimers::moveToDelegate);
        int left = heap.numKeyValueStateEntries();
        if (left > 0) {
            throw new IllegalStateException(
                    left
                            + " entries are on the heap, of a state for which the job has not asked"
                            + " since it was restored: a canonical savepoint would lose them. Take"
                            + " a native savepoint, or one after the state has been used.");
        }
    }

    private <N> void moveToDelegate(
            String name, HeapFirstState<K, N, ?, ?> state, Consumer<K> setCurrentKey)
            throws Exception {
        N before = state.currentNamespace();
        for (Tuple2<K, N> entry : HeapFirstStates.<K, N>all(heap, name)) {
            setCurrentKey.accept(entry.f0);
            state.setCurrentNamespace(entry.f1);
            state.moveToDelegate();
        }
        if (before != null) {
            state.setCurrentNamespace(before);
        }
    }

    /** Ends blocking calls. */
    public void close() throws IOException {
        heap.close();
    }

    /** Releases the heap backend. */
    public void dispose() {
        heap.dispose();
    }

    /** Makes the delegate's current key that of the heap. */
    void enterHeap() {
        heap.setCurrentKeyAndKeyGroup(delegate.getCurrentKey(), delegate.getCurrentKeyGroupIndex());
    }

    void enterDelegate() {
        useDelegate.run();
    }

    /** Returns whether another entry or timer fits. */
    boolean hasRoom() {
        if (bytes() < maxBytes) {
            return true;
        }
        if (!hasSaidThatItIsFull && maxBytes > 0) {
            hasSaidThatItIsFull = true;
            LOG.warn(
                    "{} entries take the {} bytes of state.backend.cascade.heap-memory; from now on"
                            + " further ones go to the delegate, which is slower. If they wait for"
                            + " the watermark: it stands still or is far behind, or the memory is"
                            + " too small for the rate.",
                    entries,
                    maxBytes);
        }
        return false;
    }

    /** Returns whether entries that are there have grown far beyond the budget. */
    boolean isOverfull() {
        return bytes() >= 2 * maxBytes;
    }

    private long bytes() {
        long bytes = tableBytes(states.size()) + entries * entrySize.average();
        for (HeapFirstTimers<?> queue : timers.values()) {
            bytes += queue.onHeap() * TIMER_BYTES;
        }
        return bytes;
    }

    /** Returns the entries on the heap. */
    public long onHeap() {
        return entries;
    }

    private long inDelegate() {
        long sum = 0;
        for (HeapFirstState<K, ?, ?, ?> state : states.values()) {
            sum += state.delegated();
        }
        return sum;
    }

    private void publish() {
        published = new Numbers(entries, inDelegate(), bytes());
    }

    <V> void added(TypeSerializer<V> serializer, V value) {
        entries++;
        if (entries % PUBLISHED_EVERY == 0) {
            publish();
        }
        entrySize.added(serializer, value);
    }

    <V> void updated(TypeSerializer<V> serializer, V value) {
        entrySize.added(serializer, value);
    }

    <V> void restored(TypeSerializer<V> serializer, V value, long number) {
        entries += number;
        entrySize.added(serializer, value);
    }

    void removed(long number) {
        entries -= number;
        if (entries == 0) {
            hasSaidThatItIsFull = false;
        }
    }
}
