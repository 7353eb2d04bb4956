/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.io.IOException;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Streams of a checkpoint that go through something before they reach the storage. */
abstract class WrappedStreams implements CheckpointStreamFactory {
    private final CheckpointStreamFactory streams;

    WrappedStreams(CheckpointStreamFactory streams) {
        this.streams = streams;
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        return streams.createCheckpointStateOutputStream(scope);
    }

    @Override
    public final boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope)
            throws IOException {
        return streams.canFastDuplicate(handle, scope);
    }

    @Override
    public final List<StreamStateHandle> duplicate(
            List<StreamStateHandle> handles, CheckpointedStateScope scope) throws IOException {
        return streams.duplicate(handles, scope);
    }
}
