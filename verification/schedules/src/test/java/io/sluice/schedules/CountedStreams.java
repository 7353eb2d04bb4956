/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** Where a checkpoint is written: knows how many of its streams and files are there. */
public final class CountedStreams implements CheckpointStreamFactory {

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger files = new AtomicInteger();

    /** Streams that are neither closed nor complete. */
    public int open() {
        return open.get();
    }

    /** Complete files that were not discarded. */
    public int files() {
        return files.get();
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) {
        open.incrementAndGet();
        return new Stream();
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope) {
        return false;
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> handles, CheckpointedStateScope scope) {
        throw new UnsupportedOperationException("there is nothing to duplicate");
    }

    private final class Stream extends CheckpointStateOutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean closed;

        private synchronized boolean end() {
            boolean ends = !closed;
            closed = true;
            if (ends) {
                open.decrementAndGet();
            }
            return ends;
        }

        @Override
        public synchronized void write(int b) throws IOException {
            checkOpen();
            bytes.write(b);
        }

        @Override
        public synchronized void write(byte[] from, int offset, int length) throws IOException {
            checkOpen();
            bytes.write(from, offset, length);
        }

        private void checkOpen() throws IOException {
            if (closed) {
                throw new IOException("the stream is closed");
            }
        }

        @Override
        public synchronized long getPos() {
            return bytes.size();
        }

        @Override
        public void flush() {}

        @Override
        public void sync() {}

        @Override
        public void close() {
            end();
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            if (!end()) {
                throw new IOException("the stream is closed");
            }
            files.incrementAndGet();
            return new File(bytes.toByteArray());
        }
    }

    private final class File extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1;

        private final transient AtomicInteger there = files;

        private File(byte[] bytes) {
            super(UUID.randomUUID().toString(), bytes);
        }

        @Override
        public void discardState() {
            there.decrementAndGet();
        }
    }
}
