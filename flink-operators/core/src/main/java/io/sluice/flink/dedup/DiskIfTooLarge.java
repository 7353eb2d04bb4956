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
 * @param mayBeOnDisk false if an option is only for memory: then only a restore is checked
 */
record DiskIfTooLarge(String uid, WindowSettings settings, boolean mayBeOnDisk)
        implements OtherEngine.Choice {

    private static final Logger LOG = LoggerFactory.getLogger(Deduplicate.class);

    DiskIfTooLarge {
        requireNonNull(uid, "uid");
        requireNonNull(settings, "settings");
    }

    @Override
    public boolean isOther(TaskInfo task, Optional<String> restored) {
        boolean wasOnDisk = restored.filter(StateDeduplicateOperator::wrote).isPresent();
        if (!mayBeOnDisk) {
            requireMemory(wasOnDisk);
            return false;
        }
        SizingCheck check =
                new SizingCheck(
                        settings,
                        task.getNumberOfParallelSubtasks(),
                        task.getMaxNumberOfParallelSubtasks());
        boolean onDisk = restored.isPresent() ? wasOnDisk : !check.fits();
        if (task.getIndexOfThisSubtask() == 0) {
            say(check, onDisk);
        }
        return onDisk;
    }

    private void requireMemory(boolean wasOnDisk) {
        if (wasOnDisk) {
            throw new IllegalStateException(
                    "The state of '"
                            + uid
                            + "' has ids in filters on local disk, and cannot go on in memory: call"
                            + " onDisk() ("
                            + DeduplicateOptions.ON_DISK.key()
                            + ": true), and leave out what is only for filters in memory; or give"
                            + " the operator another uid, to begin without these ids.");
        }
    }

    private void say(SizingCheck check, boolean onDisk) {
        String operator = "'" + uid + "'";
        if (onDisk && !check.fits()) {
            check.onDisk(operator).ifPresent(LOG::warn);
        } else if (onDisk) {
            LOG.info(
                    "Operator {}: its ids stay on disk, where they were, though memory would do.",
                    operator);
        } else if (!check.fits()) {
            LOG.info(
                    "Operator {}: its ids stay in memory, where they were. With another uid"
                            + " the operator begins on disk, without these ids.",
                    operator);
        }
    }
}
