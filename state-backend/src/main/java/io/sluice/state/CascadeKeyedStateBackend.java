/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateFunction;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;

/**
 * The keyed state of one subtask: routes each state to a cascade filter or to the delegate.
 *
 * <p>The key context, the listeners to key changes and the table of states by name are the
 * delegate's own objects (the copy constructor of {@link AbstractKeyedStateBackend} shares them),
 * so a key that is set here is the delegate's key too. What the delegate does beyond that when a
 * key is set, RocksDB serializes it, is needed only for states that the delegate holds: until it
 * holds one, it is not told.
 *
 * <p>Owned by the task's thread, like every keyed backend.
 *
 * @param <K> type of the keys
 */
final class CascadeKeyedStateBackend<K> extends AbstractKeyedStateBackend<K> {

    private final AbstractKeyedStateBackend<K> delegate;

    /** Whether the delegate holds a state that is addressed by the current key. */
    private boolean delegateNeedsKey;

    CascadeKeyedStateBackend(AbstractKeyedStateBackend<K> delegate) {
        super(delegate);
        this.delegate = delegate;
    }

    // -------------------- keys --------------------

    @Override
    public void setCurrentKey(K newKey) {
        if (delegateNeedsKey) {
            delegate.setCurrentKey(newKey);
        } else {
            super.setCurrentKey(newKey);
        }
    }

    @Override
    public void setCurrentKeyAndKeyGroup(K newKey, int newKeyGroupIndex) {
        if (delegateNeedsKey) {
            delegate.setCurrentKeyAndKeyGroup(newKey, newKeyGroupIndex);
        } else {
            super.setCurrentKeyAndKeyGroup(newKey, newKeyGroupIndex);
        }
    }

    @Override
    public void setCurrentKeyGroupIndex(int currentKeyGroupIndex) {
        delegate.setCurrentKeyGroupIndex(currentKeyGroupIndex);
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        return delegate.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> states, N namespace) {
        return delegate.getKeys(states, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        return delegate.getKeysAndNamespaces(state);
    }

    /** Only the delegate knows whether keys must be copied before states change under them. */
    @Override
    public <N, S extends State, T> void applyToAllKeys(
            N namespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, T> stateDescriptor,
            KeyedStateFunction<K, S> function,
            PartitionStateFactory partitionStateFactory)
            throws Exception {
        useDelegateKeys();
        delegate.applyToAllKeys(
                namespace, namespaceSerializer, stateDescriptor, function, partitionStateFactory);
    }

    @Override
    public boolean isSafeToReuseKVState() {
        return delegate.isSafeToReuseKVState();
    }

    // -------------------- states and timers --------------------

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // the signature is Flink's
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> stateDescriptor,
            StateSnapshotTransformFactory<SEV> snapshotTransformFactory)
            throws Exception {
        return createOrUpdateInternalState(
                namespaceSerializer, stateDescriptor, snapshotTransformFactory, false);
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // the signature is Flink's
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> stateDescriptor,
            StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        useDelegateKeys();
        return delegate.createOrUpdateInternalState(
                namespaceSerializer,
                stateDescriptor,
                snapshotTransformFactory,
                allowFutureMetadataUpdates);
    }

    /** From now on the delegate hears of every key, beginning with the current one. */
    private void useDelegateKeys() {
        if (!delegateNeedsKey) {
            delegateNeedsKey = true;
            K key = getCurrentKey();
            if (key != null) {
                delegate.setCurrentKeyAndKeyGroup(key, getCurrentKeyGroupIndex());
            }
        }
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName, TypeSerializer<T> byteOrderedElementSerializer) {
        return delegate.create(stateName, byteOrderedElementSerializer);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName,
                    TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        return delegate.create(stateName, byteOrderedElementSerializer, allowFutureMetadataUpdates);
    }

    // -------------------- snapshots --------------------

    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streamFactory,
            CheckpointOptions checkpointOptions)
            throws Exception {
        return delegate.snapshot(checkpointId, timestamp, streamFactory, checkpointOptions);
    }

    @Override
    public SavepointResources<K> savepoint() throws Exception {
        return delegate.savepoint();
    }

    @Override
    public boolean requiresLegacySynchronousTimerSnapshots(SnapshotType checkpointType) {
        return delegate.requiresLegacySynchronousTimerSnapshots(checkpointType);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        delegate.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        delegate.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void notifyCheckpointSubsumed(long checkpointId) throws Exception {
        delegate.notifyCheckpointSubsumed(checkpointId);
    }

    // -------------------- life cycle and tests --------------------

    @Override
    public void close() throws IOException {
        delegate.close();
    }

    /** The tables of states and the registries are shared, so the delegate clears ours too. */
    @Override
    public void dispose() {
        delegate.dispose();
    }

    @Override
    public int numKeyValueStateEntries() {
        return delegate.numKeyValueStateEntries();
    }

    @Override
    public KeyedStateBackend<K> getDelegatedKeyedStateBackend(boolean recursive) {
        return recursive ? delegate.getDelegatedKeyedStateBackend(true) : delegate;
    }

    @Override
    public String getBackendTypeIdentifier() {
        return delegate.getBackendTypeIdentifier();
    }
}
