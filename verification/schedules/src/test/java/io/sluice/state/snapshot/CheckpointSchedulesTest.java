/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.schedules.Schedules;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.Test;

/** The asynchronous part of a checkpoint, and the thread that cancels it. */
class CheckpointSchedulesTest {

    /** Either Flink has the result, or what was written is gone. */
    @Test
    void aCancelledCheckpointLeavesNothingAndACompleteOneAll() {
        Schedules.explore(
                "checkpoint",
                () -> {
                    AtomicInteger parts = new AtomicInteger();
                    CloseableRegistry written = new CloseableRegistry();
                    CheckpointTask task =
                            new CheckpointTask(
                                    new FutureTask<>(
                                            () -> {
                                                write(parts, written);
                                                write(parts, written);
                                                return SnapshotResult.<KeyedStateHandle>empty();
                                            }),
                                    written);
                    Schedules.together(() -> task.cancel(true), task::run);
                    assertThat(parts).hasValue(task.isCancelled() ? 0 : 2);
                });
    }

    private static void write(AtomicInteger parts, CloseableRegistry written) throws IOException {
        parts.incrementAndGet();
        written.registerCloseable(parts::decrementAndGet);
    }

    @Test
    void filesThatAreCopiedWhenTheBackendIsClosedAreCopiedOrTheCopyFails() {
        Schedules.explore(
                "transfer",
                () -> {
                    FileTransfer transfer = new FileTransfer(2);
                    AtomicInteger copied = new AtomicInteger();
                    Callable<Integer> copy = copied::incrementAndGet;
                    Schedules.together(
                            () -> {
                                try {
                                    List<Integer> results =
                                            transfer.runAll(List.of(copy, copy, copy));
                                    assertThat(results).containsExactlyInAnyOrder(1, 2, 3);
                                } catch (IOException e) {
                                    assertThat(e)
                                            .hasMessageContaining("The state backend was closed");
                                }
                            },
                            transfer::close);
                    assertThat(copied.get()).isBetween(0, 3);
                });
    }
}
