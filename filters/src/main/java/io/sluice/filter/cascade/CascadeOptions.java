/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.memory.Words;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * How a {@link CascadeFilter} is built. Everything may be changed between two openings of the same
 * directory: level files keep the bits they were written with, new ones get those of the new
 * options; only {@link CascadeOptionsBuilder#divideKeyGroups} has no effect later. Immutable.
 */
public final class CascadeOptions {

    /** Key groups are 15 bits of an entry. */
    public static final int MAX_KEY_GROUPS = Entries.MAX_KEY_GROUPS;

    private final CascadeOptionsBuilder source;
    private final KeyGroups wholeKeyGroups;
    private final KeyGroupParts parts;

    /** As the filter names them internally: parts of the others. */
    private final KeyGroups keyGroups;

    private final double falsePositiveProbability;
    private final long capacity;

    /** Key groups of the whole set, of which the filter holds a part; 0 if it holds all. */
    private final int allKeyGroups;

    private final CapacityPolicy capacityPolicy;
    private final long bufferBytes;
    private final LongFunction<Words> bufferMemory;
    private final boolean bufferMemoryIsReserved;
    private final int overviewBitsPerKey;
    private final long overviewBytes;
    private final OverviewMemory overviewMemory;
    private final int summaryBitsPerKey;
    private final MergePolicy mergePolicy;
    private final SyncPolicy syncPolicy;
    private final TimeBuckets timeBuckets;
    private final CascadeResources resources;
    private final long pageCacheBytes;
    private final int mergeThreads;
    private final long writeBytesPerSecond;
    private final Eras eras;

    CascadeOptions(CascadeOptionsBuilder from, KeyGroupParts parts) {
        this.source = from;
        this.wholeKeyGroups = from.keyGroups;
        this.parts = parts;
        if ((long) wholeKeyGroups.end() * parts.count() > MAX_KEY_GROUPS) {
            throw new IllegalArgumentException(
                    "key groups "
                            + wholeKeyGroups
                            + " cannot be divided into "
                            + parts.count()
                            + " parts each, as the existing entries are: there can be at most "
                            + MAX_KEY_GROUPS
                            + " parts. Open it with keyGroups that end at or below "
                            + MAX_KEY_GROUPS / parts.count());
        }
        this.keyGroups = parts.of(wholeKeyGroups);
        this.falsePositiveProbability = from.falsePositiveProbability;
        this.capacity = from.capacity;
        this.allKeyGroups = from.allKeyGroups;
        this.capacityPolicy = from.capacityPolicy;
        this.bufferBytes = from.bufferBytes;
        this.bufferMemory = from.bufferMemory;
        this.bufferMemoryIsReserved = from.bufferMemoryIsReserved;
        this.overviewBitsPerKey = from.overviewBitsPerKey;
        this.overviewBytes = from.overviewBytes;
        this.overviewMemory = from.overviewMemory;
        this.summaryBitsPerKey = from.summaryBitsPerKey;
        this.mergePolicy = from.mergePolicy;
        this.syncPolicy = from.syncPolicy;
        this.timeBuckets = from.timeBuckets;
        this.resources = from.resources;
        this.pageCacheBytes = from.pageCacheBytes;
        this.mergeThreads = from.mergeThreads;
        this.writeBytesPerSecond = from.writeBytesPerSecond;
        int sharing = isPart() ? allKeyGroups : wholeKeyGroups.count();
        this.eras =
                new Eras(
                        falsePositiveProbability,
                        (double) capacity / ((long) sharing * parts.count()));
        long least = BufferPool.leastBytes(keyGroups, parts, eras);
        if (bufferBytes < least) {
            throw new IllegalArgumentException(
                    "bufferBytes must be at least "
                            + least
                            + " for "
                            + wholeKeyGroups.count()
                            + " key groups"
                            + (parts.count() == 1 ? "" : " of " + parts.count() + " parts each")
                            + ", got "
                            + bufferBytes);
        }
    }

    /** Options with their defaults. */
    public static CascadeOptionsBuilder builder() {
        return new CascadeOptionsBuilder();
    }

    /** First key group of the filter. */
    public int firstKeyGroup() {
        return wholeKeyGroups.first();
    }

    /** Number of key groups of the filter. */
    public int keyGroupCount() {
        return wholeKeyGroups.count();
    }

    public double falsePositiveProbability() {
        return falsePositiveProbability;
    }

    public long capacity() {
        return capacity;
    }

    /** Whether the filter holds a part of a set. */
    boolean isPart() {
        return allKeyGroups > 0;
    }

    /** This filter's share of the capacity. */
    long expectedEntries() {
        return isPart()
                ? (long) Math.ceil((double) capacity * wholeKeyGroups.count() / allKeyGroups)
                : capacity;
    }

    public CapacityPolicy capacityPolicy() {
        return capacityPolicy;
    }

    public long bufferBytes() {
        return bufferBytes;
    }

    /** Gives {@code n} words of zero for a buffer. */
    LongFunction<Words> bufferMemory() {
        return bufferMemory;
    }

    /**
     * Whether the memory of all buffers is set aside up front, so that allocating late saves
     * nothing.
     */
    boolean isBufferMemoryReserved() {
        return bufferMemoryIsReserved;
    }

    public int overviewBitsPerKey() {
        return overviewBitsPerKey;
    }

    public long overviewBytes() {
        return overviewBytes;
    }

    OverviewMemory overviewMemory() {
        return overviewMemory;
    }

    public int summaryBitsPerKey() {
        return summaryBitsPerKey;
    }

    public MergePolicy mergePolicy() {
        return mergePolicy;
    }

    public SyncPolicy syncPolicy() {
        return syncPolicy;
    }

    /** Empty if entries live for ever. */
    public Optional<Duration> timeToLive() {
        return timeBuckets.isEndless()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(timeBuckets.timeToLiveMillis()));
    }

    /** Key groups as callers name them. */
    KeyGroups wholeKeyGroups() {
        return wholeKeyGroups;
    }

    /** How each of them is divided. */
    KeyGroupParts parts() {
        return parts;
    }

    /** Key groups as the filter names them internally: parts of the others. */
    KeyGroups keyGroups() {
        return keyGroups;
    }

    /** The same options for a filter whose entries are divided differently. */
    CascadeOptions with(KeyGroupParts others) {
        return others.equals(parts) ? this : new CascadeOptions(source, others);
    }

    TimeBuckets timeBuckets() {
        return timeBuckets;
    }

    Eras eras() {
        return eras;
    }

    /** The shared resources, if any were given. */
    Optional<CascadeResources> resources() {
        return Optional.ofNullable(resources);
    }

    CascadeResources newResources() {
        return CascadeResources.create(pageCacheBytes, mergeThreads, writeBytesPerSecond);
    }
}
