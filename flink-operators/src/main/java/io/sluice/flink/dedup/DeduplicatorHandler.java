/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.window.MemoryBudget;
import io.sluice.filter.window.WindowOptions;
import io.sluice.filter.window.WindowedFilter;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.PinnedStructure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.flink.api.common.TaskInfo;

/** Makes, writes and reads the deduplicators of one subtask, which share a budget. */
record DeduplicatorHandler(WindowOptions options, MemoryBudget budget, long firstIds, int shadowIds)
        implements KeyGroupedState.Handler<Deduplicator> {

    static DeduplicatorHandler of(WindowSettings settings, TaskInfo task) {
        int keyGroups = task.getMaxNumberOfParallelSubtasks();
        int subtasks = task.getNumberOfParallelSubtasks();
        int ownKeyGroups = (keyGroups + subtasks - 1) / subtasks;
        int shadowIds =
                settings.shadowIds() == 0 ? 0 : Math.max(1, settings.shadowIds() / ownKeyGroups);
        WindowOptions options = settings.windowOptions(keyGroups);
        // If half of the memory is enough, filters are made for all expected ids at once; the other
        // half is for growth. Otherwise they begin small, and memory goes to the filters that get
        // ids.
        long cap = settings.memory().getBytes();
        boolean suffices = WindowedFilter.expectedBytes(options) <= cap / 2 / ownKeyGroups;
        long firstIds = suffices ? options.expectedPerWindow() : 0;
        return new DeduplicatorHandler(
                options, new MemoryBudget(cap, ownKeyGroups), firstIds, shadowIds);
    }

    @Override
    public Deduplicator create() {
        return Deduplicator.create(options, budget, firstIds, shadowIds);
    }

    @Override
    public void write(Deduplicator group, OutputStream out) throws IOException {
        group.writeTo(out);
    }

    @Override
    public void close(Deduplicator group) {
        group.close();
    }

    @Override
    public PinnedStructure pin(Deduplicator group) {
        return group.pin();
    }

    @Override
    public Deduplicator read(InputStream in, String source) throws IOException {
        return Deduplicator.readFrom(in, source, options, budget, shadowIds);
    }
}
