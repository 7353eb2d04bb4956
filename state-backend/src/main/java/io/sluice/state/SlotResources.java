/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.cascade.CascadeResources;
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

    private static final long LEAST_BUFFER_BYTES = 1L << 20;

    private static final long MOST_BUFFER_BYTES = 64L << 20;

    private final CascadeResources shared;
    private long bufferBytesLeft;

    private SlotResources(CascadeResources shared, long bufferBytes) {
        this.shared = shared;
        this.bufferBytesLeft = bufferBytes;
    }

    private static SlotResources create(long bytes, CascadeSettings settings) {
        long bufferBytes = (long) (bytes * settings.bufferFraction());
        CascadeResources shared =
                CascadeResources.create(
                        bytes - bufferBytes,
                        settings.mergeThreads(),
                        settings.writeBytesPerSecond() == 0
                                ? Long.MAX_VALUE
                                : settings.writeBytesPerSecond());
        return new SlotResources(shared, bufferBytes);
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
                    "The filters of this slot have {} bytes of {} memory.",
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
     * Takes a write buffer out of the budget: half of what is left, so that there is always some
     * for the next state, within bounds.
     */
    synchronized long takeBuffer() {
        long bytes = Math.min(MOST_BUFFER_BYTES, Math.max(LEAST_BUFFER_BYTES, bufferBytesLeft / 2));
        bufferBytesLeft -= bytes;
        return bytes;
    }

    /** Gives a write buffer back. */
    synchronized void giveBuffer(long bytes) {
        bufferBytesLeft += bytes;
    }

    @Override
    public void close() {
        shared.close();
    }
}
