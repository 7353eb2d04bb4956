/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the synchronous part of a checkpoint has pinned: the snapshots of the delegate and of what
 * is on the heap, not run yet, and a snapshot of each filter.
 */
final class CascadeSnapshotResources implements SnapshotResources {

    private static final Logger LOG = LoggerFactory.getLogger(CascadeSnapshotResources.class);

    private final long checkpointId;
    private final UploadedFiles.Reusable reusable;
    private final UploadedFiles uploaded;
    private final List<PinnedState> states = new ArrayList<>();

    /** Null until it has begun. */
    @Nullable private RunnableFuture<SnapshotResult<KeyedStateHandle>> delegate;

    /** Null until it has begun. */
    @Nullable private RunnableFuture<SnapshotResult<KeyedStateHandle>> heap;

    CascadeSnapshotResources(
            long checkpointId, UploadedFiles.Reusable reusable, UploadedFiles uploaded) {
        this.checkpointId = checkpointId;
        this.reusable = reusable;
        this.uploaded = uploaded;
    }

    void setDelegate(RunnableFuture<SnapshotResult<KeyedStateHandle>> begun) {
        delegate = begun;
    }

    void setHeap(RunnableFuture<SnapshotResult<KeyedStateHandle>> begun) {
        heap = begun;
    }

    void add(PinnedState state) {
        states.add(state);
    }

    RunnableFuture<SnapshotResult<KeyedStateHandle>> delegate() {
        return requireNonNull(delegate, "delegate");
    }

    RunnableFuture<SnapshotResult<KeyedStateHandle>> heap() {
        return requireNonNull(heap, "heap");
    }

    List<PinnedState> states() {
        return states;
    }

    UploadedFiles.Reusable reusable() {
        return reusable;
    }

    /** Called after the checkpoint, however it ended, even if it was cancelled before it began. */
    @Override
    public void release() {
        if (delegate != null) {
            delegate.cancel(true);
        }
        if (heap != null) {
            heap.cancel(true);
        }
        uploaded.failed(checkpointId);
        for (PinnedState state : states) {
            try {
                state.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn(
                        "Files of membership state '{}' that checkpoint {} needed could not be"
                                + " released.",
                        state.info().name(),
                        checkpointId,
                        e);
            }
        }
    }
}
