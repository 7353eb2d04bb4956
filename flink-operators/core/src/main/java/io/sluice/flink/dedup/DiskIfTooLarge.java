/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.OtherEngine;
import java.util.Optional;
import org.apache.flink.api.common.TaskInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses ids on disk for a window that memory does not hold, by the user's own numbers. A job that
 * is restored goes on where its ids are.
 *
 * @param uid of the operator
 * @param settings of the filters in memory
 */
record DiskIfTooLarge(String uid, WindowSettings settings) implements OtherEngine.Choice {

    private static final Logger LOG = LoggerFactory.getLogger(Deduplicate.class);

    DiskIfTooLarge {
        requireNonNull(uid, "uid");
        requireNonNull(settings, "settings");
    }

    @Override
    public boolean isOther(TaskInfo task, Optional<String> restored) {
        SizingCheck check =
                new SizingCheck(
                        settings,
                        task.getNumberOfParallelSubtasks(),
                        task.getMaxNumberOfParallelSubtasks());
        boolean onDisk = restored.map(StateDeduplicateOperator::wrote).orElse(!check.fits());
        if (task.getIndexOfThisSubtask() == 0) {
            say(check, onDisk);
        }
        return onDisk;
    }

    private void say(SizingCheck check, boolean onDisk) {
        String operator = "'" + uid + "'";
        if (onDisk && !check.fits()) {
            check.onDisk(operator).ifPresent(LOG::info);
        } else if (onDisk) {
            LOG.info(
                    "Operator {}: its ids stay on disk, where they were, though memory would do.",
                    operator);
        } else if (!check.fits()) {
            LOG.info(
                    "Operator {}: its ids stay in memory, where they were. They move to disk when"
                            + " the operator starts with another uid.",
                    operator);
        }
    }
}
