/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.InternalPriorityQueue;

/**
 * Whether the delegate has anything that a checkpoint needs. A delegate that was never given a
 * state, a timer or something to restore has nothing, and is not asked for a snapshot: RocksDB
 * would write files and wait for the disk in the synchronous part although there is nothing to
 * store.
 *
 * <p>A timer queue alone does not count: most keyed operators register one and leave it empty.
 *
 * <p>Once the delegate takes part it always does, even if it is empty again. RocksDB's incremental
 * snapshots use files of earlier ones, and Flink deletes files that the latest checkpoint does not
 * name: a checkpoint without the delegate must not come between two with it.
 *
 * <p>Owned by the task's thread.
 */
final class DelegateShare {

    private final List<InternalPriorityQueue<?>> timers = new ArrayList<>();
    private boolean takesPart;

    /**
     * @param restored whether the delegate was given something to restore
     */
    DelegateShare(boolean restored) {
        this.takesPart = restored;
    }

    /** The delegate holds a state, or is asked for a snapshot in any case. */
    void begin() {
        takesPart = true;
    }

    /** The delegate made a queue of timers. */
    <Q extends InternalPriorityQueue<?>> Q watch(Q queue) {
        if (!takesPart) {
            timers.add(queue);
        }
        return queue;
    }

    /** Whether a snapshot that is taken now needs the delegate. */
    boolean takesPart() {
        if (!takesPart && timers.stream().anyMatch(queue -> !queue.isEmpty())) {
            takesPart = true;
        }
        if (takesPart) {
            timers.clear();
        }
        return takesPart;
    }
}
