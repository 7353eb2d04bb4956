/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.io.Closeable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.IOUtils;

/**
 * The asynchronous part of a checkpoint, as Flink runs it. If it is cancelled after it has written
 * everything, but before Flink takes the result, Flink deletes nothing: so this class does.
 */
final class CheckpointTask implements RunnableFuture<SnapshotResult<KeyedStateHandle>> {

    private final RunnableFuture<SnapshotResult<KeyedStateHandle>> task;
    private final Closeable written;

    /**
     * @param written deletes what was written until then
     */
    CheckpointTask(RunnableFuture<SnapshotResult<KeyedStateHandle>> task, Closeable written) {
        this.task = task;
        this.written = written;
    }

    @Override
    public void run() {
        task.run();
        if (task.isCancelled()) {
            IOUtils.closeQuietly(written);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return task.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean isCancelled() {
        return task.isCancelled();
    }

    @Override
    public boolean isDone() {
        return task.isDone();
    }

    @Override
    public SnapshotResult<KeyedStateHandle> get() throws InterruptedException, ExecutionException {
        return task.get();
    }

    @Override
    public SnapshotResult<KeyedStateHandle> get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return task.get(timeout, unit);
    }
}
