/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * A canonical savepoint of a backend that has membership states: it fails, with the reason. It does
 * so when the entries are asked for, in the asynchronous part: a failure there declines the
 * savepoint, an exception in the synchronous part would fail the job.
 */
final class RefusedSavepoint<K> implements FullSnapshotResources<K> {

    private final List<String> names;
    private final KeyGroupRange range;
    private final TypeSerializer<K> keySerializer;

    /**
     * @param names of the membership states, at least one
     */
    RefusedSavepoint(List<String> names, KeyGroupRange range, TypeSerializer<K> keySerializer) {
        this.names = names;
        this.range = range;
        this.keySerializer = keySerializer;
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        return names.stream()
                .map(
                        name ->
                                new RegisteredKeyValueStateBackendMetaInfo<>(
                                                StateDescriptor.Type.VALUE,
                                                name,
                                                VoidNamespaceSerializer.INSTANCE,
                                                BooleanSerializer.INSTANCE)
                                        .snapshot())
                .toList();
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() throws IOException {
        throw new IOException(
                "A canonical savepoint cannot hold the membership states "
                        + names
                        + ": its format wants their keys, and they are kept in filters, which do"
                        + " not hold them. Take a native savepoint: use '--type native'.");
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return range;
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return keySerializer;
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return UncompressedStreamCompressionDecorator.INSTANCE;
    }

    @Override
    public void release() {}
}
