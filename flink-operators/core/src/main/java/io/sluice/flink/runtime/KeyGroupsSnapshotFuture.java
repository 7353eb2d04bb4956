/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AsyncSnapshotCallable;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.IOUtils;

/**
 * The asynchronous part of a checkpoint of a {@link KeyGroupedState}: opens a stream, writes the
 * pinned key groups, and returns the handle that Flink's own raw keyed state would return.
 *
 * <p>Cleans up, however it ends: the pins are closed; an incomplete stream is closed, which deletes
 * what it wrote; and a handle that was completed just as the cancellation came is discarded. That
 * last case is why this is not an {@link AsyncSnapshotCallable.AsyncSnapshotTask}, which otherwise
 * does the same. A task that ends cancels the snapshots that it began.
 */
final class KeyGroupsSnapshotFuture extends FutureTask<SnapshotResult<KeyedStateHandle>> {

    private final Writer writer;
    private final CloseableRegistry taskRegistry;
    private final Closeable cancelOnClose = () -> cancel(true);

    private KeyGroupsSnapshotFuture(Writer writer, CloseableRegistry taskRegistry) {
        super(writer);
        this.writer = writer;
        this.taskRegistry = taskRegistry;
    }

    /**
     * @param pinned closed when the future is done or cancelled, or if this constructor fails
     * @throws IOException if the task is closing
     */
    static KeyGroupsSnapshotFuture create(
            PinnedKeyGroups pinned, CheckpointStreamFactory factory, CloseableRegistry taskRegistry)
            throws IOException {
        var future = new KeyGroupsSnapshotFuture(new Writer(pinned, factory), taskRegistry);
        // A closed registry closes whatever it refuses: then the future is cancelled.
        taskRegistry.registerCloseable(future.cancelOnClose);
        return future;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            writer.cancel();
        }
        return cancelled;
    }

    @Override
    protected void done() {
        taskRegistry.unregisterCloseable(cancelOnClose);
        if (isCancelled()) {
            writer.discard();
        }
    }

    private static final class Writer
            extends AsyncSnapshotCallable<SnapshotResult<KeyedStateHandle>> {

        /** Stands for a handle that is not wanted any more. */
        private static final Object UNWANTED = new Object();

        private final PinnedKeyGroups pinned;
        private final CheckpointStreamFactory factory;

        /**
         * Null, the completed handle, or {@link #UNWANTED}: whichever thread comes second discards
         * the handle.
         */
        private final AtomicReference<Object> completed = new AtomicReference<>();

        Writer(PinnedKeyGroups pinned, CheckpointStreamFactory factory) {
            this.pinned = pinned;
            this.factory = factory;
        }

        @Override
        protected SnapshotResult<KeyedStateHandle> callInternal() throws Exception {
            CheckpointStateOutputStream out =
                    factory.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE);
            // Closed when the call ends, and by a cancellation, which unblocks a blocked write.
            snapshotCloseableRegistry.registerCloseable(out);
            KeyGroupRangeOffsets offsets = pinned.writeTo(out);
            StreamStateHandle written = complete(out);
            if (written == null) {
                return SnapshotResult.empty();
            }
            KeyGroupsStateHandle handle = new KeyGroupsStateHandle(offsets, written);
            if (!completed.compareAndSet(null, handle)) {
                handle.discardState();
                throw new CancellationException("cancelled when it was complete");
            }
            return SnapshotResult.of(handle);
        }

        private StreamStateHandle complete(CheckpointStateOutputStream out) throws IOException {
            if (!snapshotCloseableRegistry.unregisterCloseable(out)) {
                throw new IOException("the stream was closed by a cancellation");
            }
            try {
                return out.closeAndGetHandle();
            } catch (Throwable e) {
                IOUtils.closeQuietly(out);
                throw e;
            }
        }

        void discard() {
            if (completed.getAndSet(UNWANTED) instanceof KeyGroupsStateHandle handle) {
                IOUtils.closeQuietly(handle::discardState);
            }
        }

        /** Gives the future access to protected methods. */
        @Override
        protected void cancel() {
            super.cancel();
        }

        @Override
        protected void cleanupProvidedResources() {
            pinned.close();
        }
    }
}
