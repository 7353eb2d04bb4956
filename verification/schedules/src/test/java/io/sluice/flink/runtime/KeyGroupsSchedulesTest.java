/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.schedules.CountedStreams;
import io.sluice.schedules.Schedules;
import java.io.OutputStream;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;

/** The asynchronous part of an operator's checkpoint, and the threads that cancel it. */
class KeyGroupsSchedulesTest {

    private static PinnedKeyGroups pinned() throws Exception {
        CopiedStructure structure = new CopiedStructure();
        try (OutputStream out = structure.stream()) {
            out.write(new byte[] {1, 2, 3});
        }
        PinnedKeyGroups pinned = new PinnedKeyGroups(KeyGroupRange.of(3, 4));
        pinned.add(new KeyGroupHeader(10, 3, true, "test", new byte[0]), structure);
        pinned.add(new KeyGroupHeader(10, 4, false, "test", new byte[0]), null);
        return pinned;
    }

    /** Either there is a result, or what was written is gone; pins are closed in any case. */
    @Test
    void aCancelledCheckpointLeavesNothingAndACompleteOneItsFile() {
        Schedules.explore(
                "key-groups",
                () -> {
                    CountedStreams streams = new CountedStreams();
                    CloseableRegistry task = new CloseableRegistry();
                    PinnedKeyGroups pinned = pinned();
                    KeyGroupsSnapshotFuture future =
                            KeyGroupsSnapshotFuture.create(pinned, streams, task);
                    Schedules.together(() -> future.cancel(true), task::close, future::run);
                    assertThat(future.isDone()).isTrue();
                    assertThat(pinned.isClosed()).isTrue();
                    assertThat(streams.open()).isZero();
                    assertThat(streams.files()).isEqualTo(future.isCancelled() ? 0 : 1);
                });
    }
}
