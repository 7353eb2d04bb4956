/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/** Fails the job once: at the first record after a completed checkpoint. */
public final class FailOnce<T> extends RichMapFunction<T, T> implements CheckpointListener {

    private static final AtomicBoolean FAILED = new AtomicBoolean();

    private transient boolean checkpointed;

    /** Must be called before every job. */
    public static void arm() {
        FAILED.set(false);
    }

    public static boolean hasFailed() {
        return FAILED.get();
    }

    @Override
    public T map(T value) {
        if (checkpointed && FAILED.compareAndSet(false, true)) {
            throw new IllegalStateException("induced failure");
        }
        return value;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        checkpointed = true;
    }
}
