/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;

/** Streams that cannot be opened before the gate is. */
final class GateStreams extends WrappedStreams {
    private static final long DEADLINE_SECONDS = 60;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    GateStreams(CheckpointStreamFactory streams) {
        super(streams);
    }

    /** Waits until a thread waits at the gate. */
    void awaitFirstStream() throws InterruptedException {
        if (!reached.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody asked for a stream");
        }
    }

    void open() {
        opened.countDown();
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        reached.countDown();
        try {
            if (!opened.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("nobody opened the gate");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted at the gate");
        }
        return super.createCheckpointStateOutputStream(scope);
    }
}
