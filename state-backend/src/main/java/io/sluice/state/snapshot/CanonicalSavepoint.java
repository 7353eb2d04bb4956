/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.function.ThrowingConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A canonical savepoint of a backend that has membership states. Its format requires the keys of
 * every state, which filters do not have. But it begins with the descriptions of all states. Every
 * subtask reads these completely, whatever key groups it restores, and a serializer's snapshot in
 * them may have any number of bytes. So there is one more state, the last, without entries; the
 * snapshot of its serializer is the manifest of the membership states and their files:
 *
 * <pre>
 *   | length of the manifest: 4 | manifest | files, in the order of the manifest |
 * </pre>
 *
 * The delegate's states are stored as usual, for any delegate. A backend that does not know the
 * serializer stops there, see {@link NeedsCascadeStateBackend}.
 */
final class CanonicalSavepoint<K> implements FullSnapshotResources<K> {

    private static final Logger LOG = LoggerFactory.getLogger(CanonicalSavepoint.class);

    /** Name of the pseudo-state; part of the format. */
    static final String STATE = "io.sluice.state.membership-states";

    private static final int BUFFER_BYTES = 64 << 10;

    private final FullSnapshotResources<K> delegate;
    private final CascadeSnapshotStrategy.Identity identity;
    private final List<PinnedState> states;

    /**
     * @param delegate the delegate's own; released by this
     * @param states pinned; closed by this
     */
    private CanonicalSavepoint(
            FullSnapshotResources<K> delegate,
            CascadeSnapshotStrategy.Identity identity,
            List<PinnedState> states) {
        this.delegate = requireNonNull(delegate, "delegate");
        this.identity = identity;
        this.states = List.copyOf(states);
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        List<StateMetaInfoSnapshot> all = new ArrayList<>(delegate.getMetaInfoSnapshots());
        all.add(
                new StateMetaInfoSnapshot(
                        STATE,
                        StateMetaInfoSnapshot.BackendStateType.KEY_VALUE,
                        Collections.emptyMap(),
                        Map.of(
                                StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER
                                        .toString(),
                                new NeedsCascadeStateBackend(this::write)),
                        Collections.emptyMap()));
        return all;
    }

    /** Runs in the asynchronous part. */
    private void write(DataOutputView out) throws IOException {
        Map<String, StateFile> files = new LinkedHashMap<>();
        Map<String, Integer> checksums = new HashMap<>();
        List<CompositeManifest.StatePart> parts = new ArrayList<>();
        for (PinnedState pinned : states) {
            PreparedState state = PreparedState.of(pinned);
            for (StateFile file : state.files()) {
                if (files.putIfAbsent(file.name(), file) == null) {
                    CRC32C crc = new CRC32C();
                    copy(file, crc::update);
                    checksums.put(file.name(), (int) crc.getValue());
                }
            }
            parts.add(state.part(file -> requireNonNull(checksums.get(file.name()))));
        }
        byte[] manifest =
                identity.manifest(
                                CompositeHandle.delegatePart(null, identity.delegateType()),
                                CompositeHandle.heapOffsets(null),
                                parts)
                        .toBytes();
        out.writeInt(manifest.length);
        out.write(manifest);
        for (StateFile file : files.values()) {
            long bytes = copy(file, out::write);
            if (bytes != file.sizeBytes()) {
                throw new IOException(
                        file.name()
                                + " is not as long as it was: "
                                + bytes
                                + " bytes, not "
                                + file.sizeBytes());
            }
        }
    }

    @FunctionalInterface
    private interface Consumption {
        void accept(byte[] bytes, int from, int count) throws IOException;
    }

    private static long copy(StateFile file, Consumption to) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        try (InputStream in = file.source().open()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                to.accept(buffer, 0, n);
                bytes += n;
            }
        }
        return bytes;
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() throws IOException {
        return delegate.createKVStateIterator();
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return delegate.getKeyGroupRange();
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return delegate.getKeySerializer();
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return delegate.getStreamCompressionDecorator();
    }

    @Override
    public void release() {
        delegate.release();
        release(states);
    }

    /** See {@link CascadeSnapshotStrategy#savepoint}. */
    static <K> SavepointResources<K> take(
            CascadeSnapshotStrategy.Identity identity,
            Callable<SavepointResources<K>> delegate,
            ThrowingConsumer<Consumer<PinnedState>, IOException> pin)
            throws Exception {
        List<PinnedState> states = new ArrayList<>();
        boolean isComplete = false;
        try {
            pin.accept(states::add);
            SavepointResources<K> exact = delegate.call();
            isComplete = true;
            return new SavepointResources<>(
                    new CanonicalSavepoint<>(exact.getSnapshotResources(), identity, states),
                    exact.getPreferredSnapshotExecutionType());
        } finally {
            if (!isComplete) {
                release(states);
            }
        }
    }

    private static void release(List<PinnedState> states) {
        try {
            IOUtils.closeAll(states);
        } catch (Exception e) {
            LOG.warn("Files that a savepoint needed could not be released.", e);
        }
    }
}
