/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.suite.Ledger;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
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
import org.apache.flink.runtime.state.internal.InternalValueState;

/**
 * Our keyed backend, with an exact state in its delegate beside each state in a filter: it is
 * snapshotted, rescaled and restored with the filter. The {@link Canary} touches a filter with each
 * key that the test's job comes to, so that jobs without a Boolean state put filters to the test
 * too.
 */
final class OracleKeyedStateBackend<K> extends AbstractKeyedStateBackend<K> {

    static final String TRUTH = "#truth";

    private final AbstractKeyedStateBackend<K> cascade;
    private final Canary<K> canary;

    OracleKeyedStateBackend(AbstractKeyedStateBackend<K> cascade) {
        super(cascade);
        this.cascade = cascade;
        this.canary = new Canary<>(cascade, ttlTimeProvider);
    }

    // -------------------- what the oracle adds --------------------

    @Override
    public void setCurrentKey(K newKey) {
        cascade.setCurrentKey(newKey);
        canary.touch(newKey);
    }

    @Override
    public void setCurrentKeyAndKeyGroup(K newKey, int newKeyGroupIndex) {
        cascade.setCurrentKeyAndKeyGroup(newKey, newKeyGroupIndex);
        canary.touch(newKey);
    }

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
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the signature is Flink's
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> stateDescriptor,
            StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        IS made =
                cascade.createOrUpdateInternalState(
                        namespaceSerializer,
                        stateDescriptor,
                        snapshotTransformFactory,
                        allowFutureMetadataUpdates);
        if (!(made instanceof AbstractMembershipValueState<?, ?, ?>)) {
            return made;
        }
        Ledger.membershipStateMade();
        String name = stateDescriptor.getName();
        InternalValueState<K, N, Long> truth =
                cascade.createOrUpdateInternalState(
                        namespaceSerializer,
                        new ValueStateDescriptor<>(name + TRUTH, LongSerializer.INSTANCE),
                        StateSnapshotTransformFactory.noTransform());
        return (IS)
                new OracleValueState<>(
                        name,
                        (AbstractMembershipValueState<K, N, SV>) made,
                        truth,
                        ttlTimeProvider,
                        MembershipSelection.hasTimeToLive(stateDescriptor)
                                ? stateDescriptor.getTtlConfig().getTimeToLive().toMillis()
                                : Long.MAX_VALUE);
    }

    // -------------------- the same as without it --------------------

    @Override
    public void setCurrentKeyGroupIndex(int currentKeyGroupIndex) {
        cascade.setCurrentKeyGroupIndex(currentKeyGroupIndex);
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        return cascade.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> states, N namespace) {
        return cascade.getKeys(states, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        return cascade.getKeysAndNamespaces(state);
    }

    @Override
    public <N, S extends State, T> void applyToAllKeys(
            N namespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, T> stateDescriptor,
            KeyedStateFunction<K, S> function,
            PartitionStateFactory partitionStateFactory)
            throws Exception {
        cascade.applyToAllKeys(
                namespace, namespaceSerializer, stateDescriptor, function, partitionStateFactory);
    }

    @Override
    public boolean isSafeToReuseKVState() {
        return cascade.isSafeToReuseKVState();
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName, TypeSerializer<T> byteOrderedElementSerializer) {
        return cascade.create(stateName, byteOrderedElementSerializer);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName,
                    TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        return cascade.create(stateName, byteOrderedElementSerializer, allowFutureMetadataUpdates);
    }

    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streamFactory,
            CheckpointOptions checkpointOptions)
            throws Exception {
        Ledger.snapshotTaken();
        return cascade.snapshot(checkpointId, timestamp, streamFactory, checkpointOptions);
    }

    @Override
    public SavepointResources<K> savepoint() throws Exception {
        Ledger.snapshotTaken();
        return cascade.savepoint();
    }

    @Override
    public boolean requiresLegacySynchronousTimerSnapshots(SnapshotType checkpointType) {
        return cascade.requiresLegacySynchronousTimerSnapshots(checkpointType);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        cascade.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        cascade.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void notifyCheckpointSubsumed(long checkpointId) throws Exception {
        cascade.notifyCheckpointSubsumed(checkpointId);
    }

    @Override
    public void close() throws IOException {
        cascade.close();
    }

    @Override
    public void dispose() {
        cascade.dispose();
    }

    @Override
    public int numKeyValueStateEntries() {
        return cascade.numKeyValueStateEntries();
    }

    @Override
    public KeyedStateBackend<K> getDelegatedKeyedStateBackend(boolean recursive) {
        return recursive ? cascade.getDelegatedKeyedStateBackend(true) : cascade;
    }

    @Override
    public String getBackendTypeIdentifier() {
        return cascade.getBackendTypeIdentifier();
    }
}
