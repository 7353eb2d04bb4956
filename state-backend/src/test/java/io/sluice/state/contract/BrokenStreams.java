/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Streams, one of which fails to open. */
final class BrokenStreams implements CheckpointStreamFactory {
    static final String MESSAGE = "no such storage";

    private final CheckpointStreamFactory streams;
    private final int broken;
    private final AtomicInteger count = new AtomicInteger();

    /**
     * @param broken number of the stream, from 1
     */
    BrokenStreams(CheckpointStreamFactory streams, int broken) {
        this.streams = streams;
        this.broken = broken;
    }

    /** Number of requested streams. */
    int count() {
        return count.get();
    }

    boolean hasBroken() {
        return count.get() >= broken;
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        if (count.incrementAndGet() == broken) {
            throw new IOException(MESSAGE);
        }
        return streams.createCheckpointStateOutputStream(scope);
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope)
            throws IOException {
        return streams.canFastDuplicate(handle, scope);
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> handles, CheckpointedStateScope scope) throws IOException {
        return streams.duplicate(handles, scope);
    }
}
