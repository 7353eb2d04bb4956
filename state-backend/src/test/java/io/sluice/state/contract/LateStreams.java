/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Streams, one of which gives its handle late and ignores interrupts until then: like an object
 * store that has all bytes and is about to say so.
 */
final class LateStreams extends WrappedStreams {
    private static final long DEADLINE_SECONDS = 60;

    private final int late;
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
    private volatile Thread waiting;

    /**
     * @param late number of the stream, from 1
     */
    LateStreams(CheckpointStreamFactory streams, int late) {
        super(streams);
        this.late = late;
    }

    /** Waits until a thread waits for the handle, and returns that thread. */
    Thread awaitLate() throws InterruptedException {
        if (!reached.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("fewer streams than that were opened");
        }
        return waiting;
    }

    /** Gives the handle. */
    void open() {
        opened.countDown();
    }

    private void stay() throws IOException {
        waiting = Thread.currentThread();
        reached.countDown();
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (opened.getCount() > 0) {
            try {
                if (!opened.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new IOException("the handle was never let through");
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        CheckpointStateOutputStream stream = super.createCheckpointStateOutputStream(scope);
        return count.incrementAndGet() == late ? new Late(stream) : stream;
    }

    private final class Late extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream stream;

        Late(CheckpointStateOutputStream stream) {
            this.stream = stream;
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            StreamStateHandle handle = stream.closeAndGetHandle();
            stay();
            return handle;
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Override
        public void write(int value) throws IOException {
            stream.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            stream.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void sync() throws IOException {
            stream.sync();
        }
    }
}
