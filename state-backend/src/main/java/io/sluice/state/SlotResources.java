/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.cascade.CascadeResources;
import io.sluice.filter.cascade.file.PageCache;
import java.io.IOException;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory and threads of all filters of a slot: the page cache, the merge threads, and a budget for
 * write buffers. Taken from the slot's managed memory when its first membership state is created,
 * and given back when its last one is closed. Thread-safe: the tasks of a slot share it.
 */
final class SlotResources implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlotResources.class);

    private static final String MANAGED = "state-cascade-managed-memory";

    private static final String FIXED = "state-cascade-fixed-slot-memory";

    /** Less managed memory than that is as good as none. */
    private static final long LEAST_BYTES = 4L << 20;

    private final CascadeResources shared;

    private SlotResources(CascadeResources shared) {
        this.shared = shared;
    }

    private static SlotResources create(long bytes, CascadeSettings settings) {
        return new SlotResources(
                CascadeResources.create(
                        new PageCache(bytes, new NativeMemory()),
                        settings.mergeThreads(),
                        settings.writeBytesPerSecond() == 0
                                ? Long.MAX_VALUE
                                : settings.writeBytesPerSecond()));
    }

    /**
     * A lease of the slot's resources, which are created if this is the first.
     *
     * @param fraction of the slot's managed memory that is the filters'
     */
    static OpaqueMemoryResource<SlotResources> acquire(
            Environment env, double fraction, CascadeSettings settings) throws IOException {
        MemoryManager memory = env.getMemoryManager();
        boolean managed =
                settings.managedMemory()
                        && fraction > 0
                        && memory.computeMemorySize(fraction) >= LEAST_BYTES;
        try {
            OpaqueMemoryResource<SlotResources> lease =
                    managed
                            ? memory.getSharedMemoryResourceForManagedMemory(
                                    MANAGED, bytes -> create(bytes, settings), fraction)
                            : memory.getExternalSharedMemoryResource(
                                    FIXED,
                                    bytes -> create(bytes, settings),
                                    settings.fixedMemoryBytes());
            LOG.info(
                    "The page cache of this slot's filters has {} bytes of {} memory.",
                    lease.getSize(),
                    managed ? "managed" : "fixed");
            return lease;
        } catch (Exception e) {
            throw new IOException("The memory of the slot's filters could not be reserved.", e);
        }
    }

    CascadeResources shared() {
        return shared;
    }

    @Override
    public void close() {
        shared.close();
    }
}
