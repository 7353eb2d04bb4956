/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.Test;

/** What happens to a checkpoint that is cancelled at its very end. */
class CheckpointTaskTest {
    private int deletions;
    private CheckpointTask cancelledByItself;

    @Test
    void whatWasWrittenIsDeletedIfTheTaskIsCancelledWhenItHasWrittenEverything() {
        // Everything is written; the result is not taken yet.
        cancelledByItself = task(() -> cancelledByItself.cancel(false));
        cancelledByItself.run();
        assertThat(cancelledByItself.isCancelled()).isTrue();
        assertThat(deletions).isEqualTo(1);
    }

    @Test
    void aCompleteCheckpointIsKept() throws Exception {
        CheckpointTask task = task(() -> {});
        task.run();
        assertThat(task.isDone()).isTrue();
        assertThat(task.get()).isEqualTo(SnapshotResult.empty());
        assertThat(task.get(1, TimeUnit.MILLISECONDS)).isEqualTo(SnapshotResult.empty());
        assertThat(task.cancel(false)).as("too late").isFalse();
        assertThat(task.isCancelled()).isFalse();
        assertThat(deletions).isZero();
    }

    @Test
    void aCheckpointThatIsCancelledBeforeItRanWritesNothing() {
        CheckpointTask task = task(() -> deletions += 100);
        assertThat(task.isDone()).isFalse();
        assertThat(task.cancel(true)).isTrue();
        assertThat(task.isCancelled()).isTrue();
        assertThat(task.isDone()).isTrue();
        task.run();
        assertThat(deletions).as("what there may be is deleted").isEqualTo(1);
    }

    private CheckpointTask task(Runnable writes) {
        return new CheckpointTask(
                new FutureTask<>(writes, SnapshotResult.<KeyedStateHandle>empty()),
                () -> deletions++);
    }
}
