/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.PinnedStructure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.flink.api.common.TaskInfo;

/** Makes, writes and reads the deduplicators of one subtask, which share a budget. */
record DeduplicatorHandler(
        WindowOptions options, MemoryBudget budget, long firstIds, int shadowIds, boolean contents)
        implements KeyGroupedState.Handler<Deduplicator> {

    /**
     * @param contents whether contents are compared
     */
    static DeduplicatorHandler of(WindowSettings settings, TaskInfo task, boolean contents) {
        SizingCheck check =
                new SizingCheck(
                        settings,
                        task.getNumberOfParallelSubtasks(),
                        task.getMaxNumberOfParallelSubtasks());
        WindowOptions options = settings.windowOptions(check.maxParallelism());
        return new DeduplicatorHandler(
                options,
                new MemoryBudget(check.bytesGiven(), check.keyGroups()),
                check.fitsAtOnce() ? options.expectedPerWindow() : 0,
                check.shadowIdsOfKeyGroup(),
                contents);
    }

    @Override
    public Deduplicator create() {
        return Deduplicator.create(options, budget, firstIds, shadowIds, contents);
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
        return Deduplicator.readFrom(in, source, options, budget, shadowIds, contents);
    }
}
