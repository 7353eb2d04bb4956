/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.state.heap.HeapFirstStates;
import io.sluice.state.restore.CascadeRestore;
import io.sluice.state.restore.CascadeRestore.RestoredState;
import io.sluice.state.snapshot.CascadeSnapshotStrategy;
import io.sluice.state.snapshot.FileTransfer;
import io.sluice.state.snapshot.UploadedFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.StateMigrationException;

/**
 * Builds one subtask's keyed backend: the delegate with its share of memory and handles, and us.
 */
final class CascadeKeyedStateBackendBuilder<K> {

    private final AbstractStateBackend delegate;
    private final CascadeSettings settings;
    private final KeyedStateBackendParameters<K> parameters;

    CascadeKeyedStateBackendBuilder(
            AbstractStateBackend delegate,
            CascadeSettings settings,
            KeyedStateBackendParameters<K> parameters) {
        this.delegate = delegate;
        this.settings = settings;
        this.parameters = parameters;
    }

    /**
     * @throws BackendBuildingException if the state cannot be restored, with the reason as its
     *     cause
     */
    CascadeKeyedStateBackend<K> build() throws IOException {
        CascadeRestore<K> restore =
                readHandles(KeyFingerprinter.of(parameters.getKeySerializer().duplicate()));
        TypeSerializer<K> keySerializer = restore.keySerializer().duplicate();
        KeyFingerprinter<K> fingerprinter = KeyFingerprinter.of(keySerializer);
        List<KeyedStateHandle> delegateHandles = restore.delegateHandles();
        List<KeyedStateHandle> heapHandles = restore.heapHandles();
        List<AutoCloseable> made = new ArrayList<>();
        boolean isComplete = false;
        try {
            AbstractKeyedStateBackend<K> keyedDelegate =
                    delegate.createKeyedStateBackend(
                            parametersOf(delegateHandles, delegateMemoryFraction()));
            made.add(keyedDelegate::dispose);
            AbstractKeyedStateBackend<K> heap =
                    new HashMapStateBackend().createKeyedStateBackend(parametersOf(heapHandles, 0));
            made.add(heap::dispose);
            FilterHome home =
                    new FilterHome(
                            settings,
                            parameters.getEnv(),
                            parameters.getOperatorIdentifier(),
                            ownMemoryFraction(),
                            new MembershipMetrics(parameters.getMetricGroup()));
            made.add(home);
            FileTransfer transfer = new FileTransfer(settings.transferThreads());
            made.add(transfer);
            UploadedFiles uploaded = new UploadedFiles();
            Map<String, RestoredState> restored =
                    restore.download(
                            home::directoryOf,
                            transfer,
                            uploaded,
                            parameters.getCancelStreamRegistry());
            CascadeKeyedStateBackend<K> backend =
                    new CascadeKeyedStateBackend<>(
                            keyedDelegate,
                            new MembershipSelection(settings),
                            new MembershipStates(
                                    settings,
                                    parameters.getNumberOfKeyGroups(),
                                    parameters.getKeyGroupRange(),
                                    home,
                                    restored),
                            fingerprinter,
                            snapshotStrategy(
                                    fingerprinter, keySerializer, transfer, uploaded, home),
                            transfer,
                            uploaded,
                            new DelegateShare(!delegateHandles.isEmpty()),
                            useDelegate ->
                                    new HeapFirstStates<>(
                                            heap,
                                            keyedDelegate,
                                            settings.heapStates()::contains,
                                            heapBytes(),
                                            !heapHandles.isEmpty(),
                                            useDelegate,
                                            home.metrics()::registerHeap));
            isComplete = true;
            return backend;
        } finally {
            if (!isComplete) {
                Collections.reverse(made);
                IOUtils.closeAllQuietly(made);
            }
        }
    }

    private CascadeRestore<K> readHandles(KeyFingerprinter<K> fingerprinter) throws IOException {
        try {
            return CascadeRestore.read(
                    parameters.getStateHandles(),
                    parameters.getKeySerializer(),
                    fingerprinter.scheme(),
                    parameters.getNumberOfKeyGroups(),
                    parameters.getKeyGroupRange(),
                    delegate.getName(),
                    parameters.getEnv().getUserCodeClassLoader().asClassLoader());
        } catch (StateMigrationException e) {
            throw new BackendBuildingException(
                    "The membership states cannot be restored: " + e.getMessage(), e);
        }
    }

    private CascadeSnapshotStrategy snapshotStrategy(
            KeyFingerprinter<K> fingerprinter,
            TypeSerializer<K> keySerializer,
            FileTransfer transfer,
            UploadedFiles uploaded,
            FilterHome home)
            throws IOException {
        DataOutputSerializer snapshot = new DataOutputSerializer(128);
        TypeSerializerSnapshot.writeVersionedSnapshot(
                snapshot, keySerializer.snapshotConfiguration());
        return new CascadeSnapshotStrategy(
                new CascadeSnapshotStrategy.Identity(
                        parameters.getNumberOfKeyGroups(),
                        parameters.getKeyGroupRange(),
                        fingerprinter.scheme(),
                        snapshot.getCopyOfBuffer(),
                        delegate.getName()),
                transfer,
                uploaded,
                parameters.getEnv().getTaskStateManager().createLocalRecoveryConfig(),
                home.metrics()::checkpointBytesNew,
                home.metrics()::checkpointBytesReused);
    }

    /** Whether both take managed memory, so that it is divided. */
    private boolean sharesMemory() {
        return settings.managedMemory() && delegate.useManagedMemory();
    }

    private double ownMemoryFraction() {
        double fraction = parameters.getManagedMemoryFraction();
        return sharesMemory() ? fraction * settings.memoryFraction() : fraction;
    }

    private double delegateMemoryFraction() {
        double fraction = parameters.getManagedMemoryFraction();
        return sharesMemory() ? fraction * (1 - settings.memoryFraction()) : fraction;
    }

    /** A delegate that takes no managed memory is on the heap itself. */
    private long heapBytes() {
        return delegate.useManagedMemory() ? settings.heapBytes() : 0;
    }

    private KeyedStateBackendParameters<K> parametersOf(
            List<KeyedStateHandle> handles, double memoryFraction) {
        return new KeyedStateBackendParametersImpl<>(
                parameters.getEnv(),
                parameters.getJobID(),
                parameters.getOperatorIdentifier(),
                parameters.getKeySerializer(),
                parameters.getNumberOfKeyGroups(),
                parameters.getKeyGroupRange(),
                parameters.getKvStateRegistry(),
                parameters.getTtlTimeProvider(),
                parameters.getMetricGroup(),
                parameters.getCustomInitializationMetrics(),
                handles,
                parameters.getCancelStreamRegistry(),
                memoryFraction);
    }
}
