/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;

/** Streams, one of which fails to open. */
final class BrokenStreams extends WrappedStreams {
    static final String MESSAGE = "no such storage";

    private final int broken;
    private final AtomicInteger count = new AtomicInteger();

    /**
     * @param broken number of the stream, from 1
     */
    BrokenStreams(CheckpointStreamFactory streams, int broken) {
        super(streams);
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
        return super.createCheckpointStateOutputStream(scope);
    }
}
