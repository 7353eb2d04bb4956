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
 * Memory and threads of all filters of a slot: the page cache, the write buffers and the merge
 * threads. Taken from the slot's managed memory when its first membership state is created, and
 * given back when its last one is closed. Thread-safe: the tasks of a slot share it.
 */
final class SlotResources implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlotResources.class);

    private static final String MANAGED = "state-cascade-managed-memory";

    private static final String FIXED = "state-cascade-fixed-slot-memory";

    /** Less managed memory than that is as good as none. */
    private static final long LEAST_BYTES = 4L << 20;

    /** Write buffers have one such part of the memory, the page cache the rest. */
    private static final int BUFFER_PART = 2;

    /** Of one state; a filter does not work with much less. */
    private static final long LEAST_BUFFER_BYTES = 1L << 20;

    private final CascadeResources shared;

    /** What write buffers may take yet; less than 0 if states had to get their least. */
    private long bufferBytes;

    private SlotResources(CascadeResources shared, long bufferBytes) {
        this.shared = shared;
        this.bufferBytes = bufferBytes;
    }

    private static SlotResources create(long bytes, CascadeSettings settings) {
        long bufferBytes = bytes / BUFFER_PART;
        return new SlotResources(
                CascadeResources.create(
                        new PageCache(bytes - bufferBytes, new NativeMemory()),
                        settings.mergeThreads(),
                        settings.writeBytesPerSecond() == 0
                                ? Long.MAX_VALUE
                                : settings.writeBytesPerSecond()),
                bufferBytes);
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
                    "This slot's filters have {} bytes of {} memory, write buffers a half of it at"
                            + " most.",
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

    /**
     * Takes memory for the write buffers of one state, as much as {@code wanted} or half of what is
     * left, so that other states of the slot find some too; or else the least that a filter needs.
     */
    synchronized long takeBuffers(long wanted) {
        long taken = Math.min(wanted, Math.max(LEAST_BUFFER_BYTES, bufferBytes / 2));
        bufferBytes -= taken;
        return taken;
    }

    /** Gives back what {@link #takeBuffers} gave. */
    synchronized void giveBuffers(long bytes) {
        bufferBytes += bytes;
    }

    @Override
    public void close() {
        shared.close();
    }
}
