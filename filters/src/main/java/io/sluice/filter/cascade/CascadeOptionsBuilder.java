/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Collects {@link CascadeOptions}, which read its fields; not thread-safe. */
public final class CascadeOptionsBuilder implements Cloneable {

    /** Divided or not, a buffer can be this many times as large as the smallest. */
    private static final int DIVIDED_BUFFER_PART = 8;

    KeyGroups keyGroups = KeyGroups.of(0, 1);

    /** Null if the number of key groups decides. */
    private Boolean dividesKeyGroups;

    double falsePositiveProbability = 1e-4;
    long capacity = 100_000_000;
    int allKeyGroups;
    CapacityPolicy capacityPolicy = CapacityPolicy.FAIL;
    long bufferBytes = 64L << 20;
    LongFunction<Words> bufferMemory = words -> Words.allocate(Storage.HEAP, words);
    boolean bufferMemoryIsReserved;
    int overviewBitsPerKey = 8;
    long overviewBytes = Long.MAX_VALUE;
    OverviewMemory overviewMemory = OverviewMemory.HEAP;
    int summaryBitsPerKey = 0;
    MergePolicy mergePolicy = MergePolicy.fewFiles(4);
    SyncPolicy syncPolicy = SyncPolicy.ON_FLUSH;
    TimeBuckets timeBuckets = TimeBuckets.ENDLESS;
    CascadeResources resources;
    long pageCacheBytes = 256L << 20;
    int mergeThreads = 2;
    long writeBytesPerSecond = Long.MAX_VALUE;

    CascadeOptionsBuilder() {}

    /**
     * The key groups of this filter: {@code count} of them from {@code first}. Default: one, number
     * 0. Hashes of different key groups are never taken for each other.
     *
     * @param first at least 0
     * @param count at least 1, with {@code first + count} at most {@value
     *     CascadeOptions#MAX_KEY_GROUPS}
     */
    public CascadeOptionsBuilder keyGroups(int first, int count) {
        if (first < 0 || count < 1 || count > CascadeOptions.MAX_KEY_GROUPS - first) {
            throw new IllegalArgumentException(
                    "key groups must be between 0 and "
                            + (CascadeOptions.MAX_KEY_GROUPS - 1)
                            + " and at least one, got "
                            + count
                            + " from "
                            + first);
        }
        keyGroups = KeyGroups.of(first, count);
        return this;
    }

    /**
     * Whether a key group may be divided inside the filter, so that entries keep no more of a hash
     * than the probability and the capacity require. This saves up to two thirds of a bit per
     * entry, more than a third on average. Default: if there is one key group.
     *
     * <p>A filter stays divided as it was first, whatever the options say later. But filters whose
     * snapshots are restored into one have to be divided alike, as they are if they have equal
     * probabilities, capacities and numbers of key groups; where that is not certain, turn this
     * off.
     */
    public CascadeOptionsBuilder divideKeyGroups(boolean divide) {
        dividesKeyGroups = divide;
        return this;
    }

    /**
     * The highest probability with which an absent hash may be reported, however many entries there
     * are.
     *
     * @param probability in (0, 1); default 1e-4
     */
    public CascadeOptionsBuilder falsePositiveProbability(double probability) {
        if (!(probability > 0 && probability < 1)) {
            throw new IllegalArgumentException(
                    "falsePositiveProbability must be between 0 and 1, got " + probability);
        }
        falsePositiveProbability = probability;
        return this;
    }

    /**
     * Says that this filter holds a part of a set that is dealt out to several filters, and may be
     * dealt out differently later. {@link #capacity} and the probability are then those of the
     * whole set. How many bits an entry keeps depends on nothing but the set: not on how many key
     * groups this filter has. Filters of one set are divided alike; {@link #divideKeyGroups} has no
     * effect.
     *
     * @param keyGroups of the whole set, numbered from 0; the filter's are among them
     */
    public CascadeOptionsBuilder partOf(int keyGroups) {
        if (keyGroups < 1 || keyGroups > CascadeOptions.MAX_KEY_GROUPS) {
            throw new IllegalArgumentException(
                    "key groups of a set must be from 1 to "
                            + CascadeOptions.MAX_KEY_GROUPS
                            + ", got "
                            + keyGroups);
        }
        allKeyGroups = keyGroups;
        return this;
    }

    /** What happens when no bits are left. Default {@link CapacityPolicy#FAIL}. */
    public CascadeOptionsBuilder capacityPolicy(CapacityPolicy policy) {
        capacityPolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Entries that are expected in all key groups of this filter together. Beyond it, each time the
     * number grows eightfold, new entries take three to five bits more; nothing else changes. A
     * guess that is a hundred times too small still works; {@link CapacityPolicy} says what happens
     * after that.
     *
     * @param entries at least 1; default 100 million
     */
    public CascadeOptionsBuilder capacity(long entries) {
        atLeast("capacity", entries, 1);
        capacity = entries;
        return this;
    }

    /**
     * Memory for the newest entries: half of it is filled while the other half is written. Fewer,
     * larger buffers mean fewer writes and fewer files. Default 64 MiB.
     */
    public CascadeOptionsBuilder bufferBytes(long bytes) {
        atLeast("bufferBytes", bytes, 1);
        bufferBytes = bytes;
        return this;
    }

    /** Where that memory is. Default {@link Storage#HEAP}, which is a little faster. */
    public CascadeOptionsBuilder bufferStorage(Storage storage) {
        Objects.requireNonNull(storage, "storage");
        bufferMemory = words -> Words.allocate(storage, words);
        bufferMemoryIsReserved = false;
        return this;
    }

    /**
     * Takes that memory from elsewhere, and all of it at once, so no snapshot has to wait for
     * memory. The small buffers that stand in for one that is still being written come from there
     * too: at most an eighth of {@link #bufferBytes} more.
     *
     * @param memory asked once for each buffer of entries; gives byte buffers with any content;
     *     released together with them, and then closed if it is {@link AutoCloseable}
     */
    public CascadeOptionsBuilder bufferMemory(Supplier<? extends IntFunction<ByteBuffer>> memory) {
        Objects.requireNonNull(memory, "memory");
        bufferMemory = words -> Words.allocate(memory.get(), words);
        bufferMemoryIsReserved = true;
        return this;
    }

    /**
     * Memory that lets most lookups of absent hashes end after one cache line, without asking any
     * buffer or file; 0 for none. It is rebuilt each time the entries have grown by half, for
     * another half or a full buffer more (or for the {@link #capacity}, if that is less). It has
     * this many bits for each entry when it is full, and half as many again or more at first.
     * Expired and removed entries count until the next rebuild.
     *
     * @param bits from 0 to 32; default 8
     */
    public CascadeOptionsBuilder overviewBitsPerKey(int bits) {
        overviewBitsPerKey = bitsPerKey("overviewBitsPerKey", bits);
        return this;
    }

    /**
     * The most memory for that: for the overview in use, and the next one while it is built. A set
     * that outgrows it gets fewer bits for each entry, and no overview when there would be fewer
     * than three. Default: no limit.
     *
     * @param bytes at least 1
     */
    public CascadeOptionsBuilder overviewBytes(long bytes) {
        atLeast("overviewBytes", bytes, 1);
        overviewBytes = bytes;
        return this;
    }

    /** Where overviews are, and who grants memory for them. Default: the heap, without a limit. */
    @Internal
    public CascadeOptionsBuilder overviewMemory(OverviewMemory memory) {
        overviewMemory = Objects.requireNonNull(memory, "memory");
        return this;
    }

    /**
     * Memory for each entry on disk that lets most lookups skip a file that does not have the hash,
     * without reading a page; 0 for none. Helps with hashes that are there, where files are many
     * (time buckets) or larger than the page cache; most absent ones are caught by {@link
     * #overviewBitsPerKey} before.
     *
     * @param bits from 0 to 32; default 0
     */
    public CascadeOptionsBuilder summaryBitsPerKey(int bits) {
        summaryBitsPerKey = bitsPerKey("summaryBitsPerKey", bits);
        return this;
    }

    private static int bitsPerKey(String name, int bits) {
        if (bits < 0 || bits > 32) {
            throw new IllegalArgumentException(name + " must be between 0 and 32, got " + bits);
        }
        return bits;
    }

    /** Default: {@link MergePolicy#fewFiles} with 4 files. */
    public CascadeOptionsBuilder mergePolicy(MergePolicy policy) {
        mergePolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /** Default: {@link SyncPolicy#ON_FLUSH}. */
    public CascadeOptionsBuilder syncPolicy(SyncPolicy policy) {
        syncPolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Entries live at least this long, and at most 1 / {@code buckets} longer, by the clock of
     * {@link CascadeFilter#advanceTo}. A lookup asks the files of all buckets. For entries that
     * were added when there was no time to live, or a longer one, the time starts no later than the
     * first call after the opening.
     *
     * @param timeToLive at least 1 ms
     * @param buckets from 1 to 1024
     */
    public CascadeOptionsBuilder timeToLive(Duration timeToLive, int buckets) {
        long millis = timeToLive.toMillis();
        atLeast("timeToLive in milliseconds", millis, 1);
        if (buckets < 1 || buckets > 1024) {
            throw new IllegalArgumentException(
                    "buckets must be between 1 and 1024, got " + buckets);
        }
        timeBuckets = TimeBuckets.of(millis, buckets);
        return this;
    }

    /**
     * Page cache and threads that this filter shares with others; they outlive it. The three
     * options that follow then have no effect.
     */
    @Internal
    public CascadeOptionsBuilder resources(CascadeResources shared) {
        resources = Objects.requireNonNull(shared, "shared");
        return this;
    }

    /** Memory for pages of level files. Default 256 MiB. */
    public CascadeOptionsBuilder pageCacheBytes(long bytes) {
        atLeast("pageCacheBytes", bytes, 1);
        pageCacheBytes = bytes;
        return this;
    }

    /**
     * Threads that merge. With two or more, one is kept for short merges.
     *
     * @param threads from 1 to 64; default 2
     */
    public CascadeOptionsBuilder mergeThreads(int threads) {
        if (threads < 1 || threads > 64) {
            throw new IllegalArgumentException(
                    "mergeThreads must be between 1 and 64, got " + threads);
        }
        mergeThreads = threads;
        return this;
    }

    /** The most that merges write in a second. Default: no limit. */
    public CascadeOptionsBuilder writeBytesPerSecond(long bytes) {
        atLeast("writeBytesPerSecond", bytes, 1);
        writeBytesPerSecond = bytes;
        return this;
    }

    /**
     * Makes the options.
     *
     * @throws IllegalArgumentException if they contradict each other
     */
    public CascadeOptions build() {
        if (allKeyGroups > 0 && keyGroups.end() > allKeyGroups) {
            throw new IllegalArgumentException(
                    "key groups "
                            + keyGroups
                            + " are not all among the "
                            + allKeyGroups
                            + " of the set that the filter is a part of");
        }
        return new CascadeOptions(copy(), parts());
    }

    private KeyGroupParts parts() {
        if (allKeyGroups > 0) {
            return KeyGroupParts.finest(allKeyGroups);
        }
        return divides()
                ? KeyGroupParts.choose(
                        falsePositiveProbability,
                        capacity,
                        keyGroups,
                        bufferBytes / DIVIDED_BUFFER_PART)
                : KeyGroupParts.WHOLE;
    }

    private boolean divides() {
        return dividesKeyGroups == null ? keyGroups.count() == 1 : dividesKeyGroups;
    }

    /** Options are made from a copy, so that the builder can change later. */
    private CascadeOptionsBuilder copy() {
        try {
            return (CascadeOptionsBuilder) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("it is Cloneable", e);
        }
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be at least " + least + ", got " + value);
        }
    }
}
