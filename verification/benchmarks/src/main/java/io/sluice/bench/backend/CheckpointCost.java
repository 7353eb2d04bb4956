/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CheckpointStatsStatus;
import org.apache.flink.runtime.checkpoint.SubtaskStateStats;
import org.apache.flink.runtime.checkpoint.TaskStateStats;

/**
 * What one completed checkpoint cost, by Flink's count.
 *
 * @param id number of the checkpoint
 * @param stateBytes what restoring would read
 * @param newBytes what was written for it
 * @param syncMillis longest synchronous part of a subtask: it stops the records
 * @param asyncMillis longest asynchronous part of a subtask
 * @param millis from its trigger to its last acknowledgement
 */
record CheckpointCost(
        long id, long stateBytes, long newBytes, long syncMillis, long asyncMillis, long millis) {

    /** The completed checkpoints that Flink remembers, in order. */
    static List<CheckpointCost> of(CheckpointStatsSnapshot snapshot) {
        List<CheckpointCost> costs = new ArrayList<>();
        for (AbstractCheckpointStats checkpoint : snapshot.getHistory().getCheckpoints()) {
            if (checkpoint.getStatus() == CheckpointStatsStatus.COMPLETED) {
                costs.add(of(checkpoint));
            }
        }
        Collections.reverse(costs);
        return costs;
    }

    private static CheckpointCost of(AbstractCheckpointStats checkpoint) {
        long sync = 0;
        long async = 0;
        for (TaskStateStats task : checkpoint.getAllTaskStateStats()) {
            for (SubtaskStateStats subtask : task.getSubtaskStats()) {
                if (subtask != null) {
                    sync = Math.max(sync, subtask.getSyncCheckpointDuration());
                    async = Math.max(async, subtask.getAsyncCheckpointDuration());
                }
            }
        }
        return new CheckpointCost(
                checkpoint.getCheckpointId(),
                checkpoint.getStateSize(),
                checkpoint.getCheckpointedSize(),
                sync,
                async,
                checkpoint.getLatestAckTimestamp() - checkpoint.getTriggerTimestamp());
    }
}
