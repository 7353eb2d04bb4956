/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.flink.OptionRange;
import java.util.Optional;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the heap of a TaskManager has room for the memory that an operator may take in each of
 * its slots. Flink does not know of that memory, so nothing else compares the two.
 *
 * <p>The check only warns: the memory is a cap, which a job need not reach.
 *
 * @param operator how messages name it
 * @param memory the cap of one subtask
 * @param slots of the TaskManager
 * @param heap of the TaskManager, in bytes
 */
@Internal
public record HeapCheck(String operator, MemorySize memory, int slots, long heap) {

    private static final Logger LOG = LoggerFactory.getLogger(HeapCheck.class);

    /** Logs the warning, once for all subtasks. */
    public static void atStart(
            String operator, MemorySize memory, TaskInfo task, TaskManagerRuntimeInfo taskManager) {
        if (task.getIndexOfThisSubtask() == 0) {
            int slots = taskManager.getConfiguration().get(TaskManagerOptions.NUM_TASK_SLOTS);
            new HeapCheck(operator, memory, slots, Runtime.getRuntime().maxMemory())
                    .warning()
                    .ifPresent(LOG::warn);
        }
    }

    /** Returns what to tell the user; empty if the memory fits. */
    public Optional<String> warning() {
        // Not memory.multiply(slots), which fails where the product is too large for a long.
        if (memory.getBytes() <= heap / slots) {
            return Optional.empty();
        }
        return Optional.of(
                "Operator "
                        + operator
                        + ": memory of "
                        + OptionRange.text(memory)
                        + " in each slot does not fit: the heap of this TaskManager is "
                        + OptionRange.text(MemorySize.ofMebiBytes(heap >> 20))
                        + " for "
                        + (slots == 1 ? "1 slot" : slots + " slots")
                        + ", so it may run out of memory. Raise "
                        + TaskManagerOptions.TASK_HEAP_MEMORY.key()
                        + ", or lower memory or "
                        + TaskManagerOptions.NUM_TASK_SLOTS.key()
                        + ".");
    }
}
