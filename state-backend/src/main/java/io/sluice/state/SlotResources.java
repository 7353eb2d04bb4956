/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.cascade.CascadeResources;
import io.sluice.filter.cascade.OverviewMemory;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.memory.Words;
import java.io.IOException;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory and threads of all filters of a slot: the page cache, the write buffers, the overviews,
 * the watched keys, and the merge threads. Taken from the slot's managed memory when its first
 * membership state is created, and returned when its last one is closed. Thread-safe: the tasks of
 * a slot share it.
 *
 * <p>{@link SlotShares} says how the memory is shared out. Write buffers are required: if a quarter
 * is not enough for the minimum of all states, they get the part of the overviews too, and a state
 * that finds nothing there is refused. Overviews are optional: they get what there is, or nothing.
 */
final class SlotResources implements AutoCloseable, OverviewMemory {

    private static final Logger LOG = LoggerFactory.getLogger(SlotResources.class);

    private static final String MANAGED = "state-cascade-managed-memory";

    private static final String FIXED = "state-cascade-fixed-slot-memory";

    /** Managed memory below this size is treated as absent. */
    private static final long MIN_BYTES = 4L << 20;

    /** Fewer watched keys than this tell nothing about a state. */
    static final long MIN_SAMPLE_BYTES = 16L << 10;

    /** Write buffers of one state; with less, a filter writes very small files. */
    private static final long MIN_BUFFER_BYTES = 256L << 10;

    /** States that should still find memory for write buffers. */
    private static final int FURTHER_STATES = 32;

    private final CascadeResources shared;
    private final NativeMemory cacheMemory;
    private final long overviewBytes;

    /** What write buffers may still take; negative if states had to get their minimum. */
    private long bufferBytes;

    /** What watched keys may still take. */
    private long sampleBytes;

    /** What overviews have. */
    private long overviewBytesTaken;

    /** States that have write buffers. */
    private int states;

    private SlotResources(CascadeResources shared, NativeMemory cacheMemory, SlotShares shares) {
        this.shared = shared;
        this.cacheMemory = cacheMemory;
        this.bufferBytes = shares.buffers();
        this.overviewBytes = shares.overviews();
        this.sampleBytes = shares.samples();
    }

    private static SlotResources create(long bytes, CascadeSettings settings) {
        SlotShares shares =
                SlotShares.of(bytes, settings.overviewBits() > 0, settings.sampleOneIn() > 0);
        NativeMemory cacheMemory = new NativeMemory();
        return new SlotResources(
                CascadeResources.create(
                        new PageCache(shares.pageCache(), cacheMemory),
                        settings.mergeThreads(),
                        settings.writeBytesPerSecond() == 0
                                ? Long.MAX_VALUE
                                : settings.writeBytesPerSecond()),
                cacheMemory,
                shares);
    }

    /**
     * A lease on the slot's resources, which are created if this is the first.
     *
     * @param fraction the filters' share of the slot's managed memory
     */
    static OpaqueMemoryResource<SlotResources> acquire(
            Environment env, double fraction, CascadeSettings settings) throws IOException {
        MemoryManager memory = env.getMemoryManager();
        boolean managed =
                settings.managedMemory()
                        && fraction > 0
                        && memory.computeMemorySize(fraction) >= MIN_BYTES;
        try {
            OpaqueMemoryResource<SlotResources> lease =
                    managed
                            ? memory.getSharedMemoryResourceForManagedMemory(
                                    MANAGED, bytes -> create(bytes, settings), fraction)
                            : memory.getExternalSharedMemoryResource(
                                    FIXED + settings.memoryOwner(),
                                    bytes -> create(bytes, settings),
                                    settings.fixedMemoryBytes());
            LOG.info(
                    "This slot's filters have {} bytes of {} memory: half of it for overviews, a"
                            + " quarter for write buffers.",
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
     * Takes memory for the write buffers of one state: {@code wanted} bytes or half of what is
     * left, so that other states of the slot find some too. If all of a quarter is taken, what
     * overviews have is shared out, a small part at a time.
     *
     * @param least bytes that this filter needs to work
     * @return 0 if there is no memory left
     */
    synchronized long takeBuffers(long wanted, long least) {
        long left = bufferBytes + overviewBytes;
        if (left < least) {
            return 0;
        }
        long small = Math.min(MIN_BUFFER_BYTES, left / FURTHER_STATES);
        long taken = Math.min(wanted, Math.max(least, Math.max(small, bufferBytes / 2)));
        bufferBytes -= taken;
        states++;
        return taken;
    }

    /** Returns what {@link #takeBuffers} took. */
    synchronized void giveBuffers(long bytes) {
        bufferBytes += bytes;
        states--;
    }

    /**
     * Takes memory for the watched keys of one state: a power of two of bytes, at most {@code
     * wanted} and half of what is left; 0 if that is too little to be useful.
     */
    synchronized long takeSample(long wanted) {
        long taken = Long.highestOneBit(Math.min(wanted, sampleBytes / 2));
        if (taken < MIN_SAMPLE_BYTES) {
            return 0;
        }
        sampleBytes -= taken;
        return taken;
    }

    /** Returns what {@link #takeSample} took. */
    synchronized void giveSample(long bytes) {
        sampleBytes += bytes;
    }

    @Override
    public synchronized long reserve(long wanted, long least) {
        long all = overviewBytes + Math.min(0, bufferBytes);
        long part = SlotShares.largestOverview(all, states);
        long granted = Math.min(wanted, Math.min(part, all - overviewBytesTaken));
        if (granted < least) {
            return 0;
        }
        overviewBytesTaken += granted;
        return granted;
    }

    @Override
    public synchronized void release(long bytes) {
        overviewBytesTaken -= bytes;
    }

    @Override
    public Words allocate(long words) {
        return Words.allocate(new NativeMemory(), words);
    }

    /** Filters and their snapshots are closed: nothing reads the page cache any more. */
    @Override
    public void close() {
        shared.close();
        cacheMemory.close();
    }
}
