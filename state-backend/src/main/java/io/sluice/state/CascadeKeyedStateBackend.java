/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.forgetful.SteadyClock;
import io.sluice.state.heap.HeapFirstStates;
import io.sluice.state.snapshot.CascadeSnapshotStrategy;
import io.sluice.state.snapshot.FileTransfer;
import io.sluice.state.snapshot.UploadedFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.DoneFuture;
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
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.StateMigrationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keyed state of one subtask: routes each state to a cascade filter or to the delegate.
 *
 * <p>The key context, the listeners to key changes and the table of states by name are the
 * delegate's own objects (the copy constructor of {@link AbstractKeyedStateBackend} shares them),
 * so a key that is set here is the delegate's key too. What else the delegate does when a key is
 * set (RocksDB serializes it) is needed only for states that the delegate holds; it is not called
 * until it holds one. States that are kept on the heap first use the delegate only for what does
 * not fit there, see {@link HeapFirstStates}.
 *
 * <p>Owned by the task's thread, like every keyed backend.
 *
 * @param <K> type of the keys
 */
final class CascadeKeyedStateBackend<K> extends AbstractKeyedStateBackend<K> {

    private static final Logger LOG = LoggerFactory.getLogger(CascadeKeyedStateBackend.class);

    private final AbstractKeyedStateBackend<K> delegate;
    private final MembershipSelection selection;
    private final MembershipStates memberships;
    private final MembershipStateFactory<K> membershipFactory;
    private final CascadeSnapshotStrategy snapshotStrategy;
    private final FileTransfer transfer;
    private final UploadedFiles uploaded;
    private final DelegateShare delegateShare;
    private final HeapFirstStates<K> heapFirst;

    /** Whether the delegate holds a state that is addressed by the current key. */
    private boolean delegateNeedsKey;

    private boolean hasSaidThatNothingIsApproximate;

    /** Names of the states of which the log says where they are kept. */
    private final Set<String> saidWhere = new HashSet<>();

    private final Release release;

    CascadeKeyedStateBackend(
            AbstractKeyedStateBackend<K> delegate,
            MembershipSelection selection,
            MembershipStates memberships,
            KeyFingerprinter<K> fingerprinter,
            CascadeSnapshotStrategy snapshotStrategy,
            FileTransfer transfer,
            UploadedFiles uploaded,
            DelegateShare delegateShare,
            Function<Runnable, HeapFirstStates<K>> heapFirst) {
        super(delegate);
        this.delegate = delegate;
        this.selection = selection;
        this.memberships = memberships;
        this.snapshotStrategy = snapshotStrategy;
        this.transfer = transfer;
        this.uploaded = uploaded;
        this.delegateShare = delegateShare;
        this.heapFirst = heapFirst.apply(this::useDelegateKeys);
        this.release = new Release(this::releaseAll);
        CurrentKey<K> key = new CurrentKey<>(keyContext, fingerprinter);
        this.membershipFactory =
                new MembershipStateFactory<>(
                        selection, memberships, key, keySerializer, steady(ttlTimeProvider));
        registerKeySelectionListener(key);
    }

    /** Holds back the machine's clock; a clock from elsewhere is used as it is. */
    private static TtlTimeProvider steady(TtlTimeProvider given) {
        return given == TtlTimeProvider.DEFAULT
                ? new SteadyClock(given::currentTimestamp, System::nanoTime, true)::getAsLong
                : given;
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
        checkHasKeys(state);
        return heapFirst.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> states, N namespace) {
        states.forEach(this::checkHasKeys);
        return heapFirst.getKeys(states, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        checkHasKeys(state);
        return heapFirst.getKeysAndNamespaces(state);
    }

    private void checkHasKeys(String state) {
        if (memberships.contains(state)) {
            throw memberships.noKeys(state, "list its keys");
        }
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
        checkHasKeys(stateDescriptor.getName());
        S state = partitionStateFactory.get(namespace, namespaceSerializer, stateDescriptor);
        if (heapFirst.contains(stateDescriptor.getName())) {
            List<K> keys;
            try (Stream<K> all = getKeys(stateDescriptor.getName(), namespace)) {
                keys = all.toList();
            }
            for (K key : keys) {
                setCurrentKey(key);
                function.process(key, state);
            }
            return;
        }
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
    public <N, S extends State, V> S getOrCreateKeyedState(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, V> stateDescriptor)
            throws Exception {
        selection.remember(stateDescriptor);
        return super.getOrCreateKeyedState(namespaceSerializer, stateDescriptor);
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
    @SuppressWarnings("TypeParameterUnusedInFormals") // the signature is Flink's
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> stateDescriptor,
            StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        MembershipSelection.Choice choice = selection.choose(stateDescriptor, namespaceSerializer);
        if (choice.isMembership()) {
            sayWhere(stateDescriptor.getName(), choice);
            return createMembershipState(namespaceSerializer, stateDescriptor);
        }
        if (memberships.contains(stateDescriptor.getName())) {
            throw new StateMigrationException(
                    "State '"
                            + stateDescriptor.getName()
                            + "' is approximate in the checkpoint and cannot become exact again: a"
                            + " filter does not hold its keys. Keep its name in "
                            + memberships.optionOf(stateDescriptor.getName())
                            + ", or give the new state another name."
                            + choice.reason()
                                    .map(reason -> " It is exact now because " + reason + '.')
                                    .orElse(""));
        }
        sayWhere(stateDescriptor.getName(), choice);
        if (heapFirst.takes(stateDescriptor)) {
            return heapFirst.create(
                    namespaceSerializer,
                    stateDescriptor,
                    snapshotTransformFactory,
                    allowFutureMetadataUpdates);
        }
        useDelegateKeys();
        return delegate.createOrUpdateInternalState(
                namespaceSerializer,
                stateDescriptor,
                snapshotTransformFactory,
                allowFutureMetadataUpdates);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as the caller's signature
    private <N, SV, S extends State, IS extends S> IS createMembershipState(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, SV> stateDescriptor)
            throws Exception {
        boolean isNew = !membershipFactory.hasMade(stateDescriptor.getName());
        AbstractMembershipState<K, N, SV> state =
                membershipFactory.create(namespaceSerializer, stateDescriptor);
        if (isNew) {
            int buckets = selection.timeToLiveBuckets();
            AbstractKeyedStateBackend<K> heap =
                    heapFirst.restored(stateDescriptor.getName()).orElse(null);
            if (heap != null) {
                new ExactFlags<>(heap, delegate, buckets)
                        .moveTo(state, namespaceSerializer, stateDescriptor);
            }
            new ExactFlags<>(delegate, delegate, buckets)
                    .moveTo(state, namespaceSerializer, stateDescriptor);
            state.begin();
        }
        return (IS) state;
    }

    /** See {@link BatchMembershipState#find}. */
    @Nullable
    BatchMembershipState<K> batch(String state) {
        return membershipFactory.batch(state);
    }

    /** From now on the delegate is told every key, beginning with the current one. */
    private void useDelegateKeys() {
        if (!delegateNeedsKey) {
            delegateNeedsKey = true;
            delegateShare.begin();
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
        return create(stateName, byteOrderedElementSerializer, false);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName,
                    TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        return heapFirst.timers(
                stateName,
                byteOrderedElementSerializer,
                allowFutureMetadataUpdates,
                delegateShare.watch(
                        delegate.create(
                                stateName,
                                byteOrderedElementSerializer,
                                allowFutureMetadataUpdates)));
    }

    // -------------------- snapshots --------------------

    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streamFactory,
            CheckpointOptions checkpointOptions)
            throws Exception {
        if (memberships.isEmpty() && !heapFirst.isUsed()) {
            sayThatNothingIsApproximate();
            delegateShare.begin();
            return delegate.snapshot(checkpointId, timestamp, streamFactory, checkpointOptions);
        }
        return snapshotStrategy.snapshot(
                checkpointId,
                timestamp,
                streamFactory,
                checkpointOptions,
                () ->
                        delegateShare.takesPart()
                                ? delegate.snapshot(
                                        checkpointId, timestamp, streamFactory, checkpointOptions)
                                : DoneFuture.of(SnapshotResult.empty()),
                () -> heapFirst.snapshot(checkpointId, timestamp, streamFactory, checkpointOptions),
                memberships::pin,
                cancelStreamRegistry);
    }

    /** Logged once for each state that holds Booleans, by the first subtask. */
    private void sayWhere(String name, MembershipSelection.Choice choice) {
        if (choice.reason().isPresent()
                && keyGroupRange.getStartKeyGroup() == 0
                && saidWhere.add(name)) {
            LOG.info(
                    "State '{}' is kept {}, because {}.",
                    name,
                    choice.isMembership()
                            ? "in a filter and approximate"
                            : "by the delegate and exact",
                    choice.reason().get());
        }
    }

    /**
     * Logged once, by the first subtask: whoever switched this backend on expects it to have an
     * effect.
     */
    private void sayThatNothingIsApproximate() {
        if (!hasSaidThatNothingIsApproximate && keyGroupRange.getStartKeyGroup() == 0) {
            hasSaidThatNothingIsApproximate = true;
            LOG.info(
                    "No state of this operator is kept in filters: none is named in {} or {}, or"
                            + " described by a MembershipStateDescriptor. The delegate keeps all of"
                            + " them, exactly; the part of the managed memory that {} gives to"
                            + " filters is unused.",
                    CascadeBackendOptions.STATES.key(),
                    CascadeBackendOptions.MAP_STATES.key(),
                    CascadeBackendOptions.MEMORY_FRACTION.key());
        }
    }

    @Override
    public SavepointResources<K> savepoint() throws Exception {
        moveHeapToDelegate();
        return memberships.isEmpty()
                ? delegate.savepoint()
                : snapshotStrategy.savepoint(delegate::savepoint, memberships::pin);
    }

    /** A canonical savepoint has each state once, with all its entries. */
    private void moveHeapToDelegate() throws Exception {
        K before = getCurrentKey();
        int keyGroup = getCurrentKeyGroupIndex();
        heapFirst.moveToDelegate(this::setCurrentKey);
        if (before != null) {
            setCurrentKeyAndKeyGroup(before, keyGroup);
        }
    }

    @Override
    public boolean requiresLegacySynchronousTimerSnapshots(SnapshotType checkpointType) {
        return delegate.requiresLegacySynchronousTimerSnapshots(checkpointType);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        uploaded.completed(checkpointId);
        delegate.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        uploaded.aborted(checkpointId);
        delegate.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void notifyCheckpointSubsumed(long checkpointId) throws Exception {
        delegate.notifyCheckpointSubsumed(checkpointId);
    }

    // -------------------- life cycle and tests --------------------

    /**
     * Ends blocking calls. Also releases everything as soon as the task's thread no longer uses it,
     * because below the adaptor for asynchronous state {@link #dispose} is never called.
     */
    @Override
    public void close() throws IOException {
        try {
            try {
                delegate.close();
            } finally {
                heapFirst.close();
            }
        } finally {
            release.whenOwnerIsDone();
        }
    }

    @Override
    public void dispose() {
        release.now();
    }

    /** The tables of states and the registries are shared, so the delegate also clears ours. */
    private void releaseAll() {
        delegate.dispose();
        heapFirst.dispose();
        IOUtils.closeAllQuietly(transfer);
        try {
            memberships.close();
        } catch (IOException e) {
            LOG.warn("The filters of {} could not be closed properly.", keyGroupRange, e);
        }
    }

    @Override
    public int numKeyValueStateEntries() {
        return (int)
                (delegate.numKeyValueStateEntries() + heapFirst.onHeap() + memberships.entries());
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
