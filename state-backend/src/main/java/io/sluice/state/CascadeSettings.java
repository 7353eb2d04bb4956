/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.cascade.CapacityPolicy;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * The validated values of {@link CascadeBackendOptions}.
 *
 * @param states names of the states that become approximate
 * @param mapStates names of the map states that become approximate
 * @param heapStates names of the states that are kept on the heap first
 * @param heapBytes of each subtask for them, 0: none
 * @param falsePositiveProbability between 0 and 0.5, both excluded
 * @param capacity expected keys of one state in all subtasks together
 * @param overflowPolicy what a state does when it has outgrown its bits
 * @param sampleOneIn one in this many keys is watched, 0: none
 * @param sampleBytes upper bound of the memory for watched keys
 * @param ttlBuckets time buckets of a time-to-live
 * @param managedMemory whether memory is part of Flink's managed memory
 * @param memoryFraction share of the managed memory, between 0 and 1, both excluded
 * @param fixedMemoryBytes memory of a slot that has no managed memory
 * @param memoryOwner the operator that shares this memory with no other of the slot; empty: none
 * @param bufferBytes size of one write buffer
 * @param overviewBits bits per key of the overview, 0: none
 * @param overviewBytes upper bound of the overview's memory
 * @param summaryBits bits per key of summaries, 0: none; by default it depends on the state
 * @param mergePolicy how level files are merged
 * @param mergeThreads threads of a slot
 * @param writeBytesPerSecond rate limit, 0: none
 * @param localDirectories empty: the TaskManager's working directory
 * @param transferThreads threads that copy to and from checkpoints
 */
record CascadeSettings(
        StateNames states,
        StateNames mapStates,
        StateNames heapStates,
        long heapBytes,
        double falsePositiveProbability,
        long capacity,
        CapacityPolicy overflowPolicy,
        int sampleOneIn,
        long sampleBytes,
        int ttlBuckets,
        boolean managedMemory,
        double memoryFraction,
        long fixedMemoryBytes,
        String memoryOwner,
        long bufferBytes,
        int overviewBits,
        long overviewBytes,
        @Nullable Integer summaryBits,
        MergeRule mergePolicy,
        int mergeThreads,
        long writeBytesPerSecond,
        List<String> localDirectories,
        int transferThreads)
        implements Serializable {

    /** A lookup may have to ask the files of all time buckets. */
    private static final int SUMMARY_BITS_WITH_TIME_TO_LIVE = 8;

    private static final int MAX_SAMPLE_ONE_IN = 1_000_000;

    /** Every checkpoint copies the watched keys in its synchronous part. */
    private static final long MAX_SAMPLE_BYTES = 64L << 20;

    private static final Pattern DIRECTORY_SEPARATOR =
            Pattern.compile("," + "|" + Pattern.quote(java.io.File.pathSeparator));

    /** Not for users: a backend of one operator sets it. */
    static final ConfigOption<String> MEMORY_OWNER =
            ConfigOptions.key("state.backend.cascade.memory.owner").stringType().defaultValue("");

    /** The values of {@link CascadeBackendOptions#MERGE_POLICY}. */
    enum MergeRule {
        FEW_FILES,
        DOUBLING
    }

    CascadeSettings {
        require(
                falsePositiveProbability > 0 && falsePositiveProbability < 0.5,
                CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY,
                falsePositiveProbability,
                "between 0 and 0.5");
        require(capacity >= 1, CascadeBackendOptions.CAPACITY, capacity, "at least 1");
        require(
                sampleOneIn >= 0 && sampleOneIn <= MAX_SAMPLE_ONE_IN,
                CascadeBackendOptions.SAMPLE_ONE_IN,
                sampleOneIn,
                "between 0 and " + MAX_SAMPLE_ONE_IN);
        require(
                sampleBytes >= SlotResources.MIN_SAMPLE_BYTES && sampleBytes <= MAX_SAMPLE_BYTES,
                CascadeBackendOptions.SAMPLE_MEMORY,
                sampleBytes + " bytes",
                "between 16 kb and 64 mb; to watch no keys, set "
                        + CascadeBackendOptions.SAMPLE_ONE_IN.key()
                        + " to 0");
        require(
                ttlBuckets >= 1 && ttlBuckets <= 64,
                CascadeBackendOptions.TTL_BUCKETS,
                ttlBuckets,
                "between 1 and 64");
        require(
                memoryFraction > 0 && memoryFraction < 1,
                CascadeBackendOptions.MEMORY_FRACTION,
                memoryFraction,
                "between 0 and 1");
        require(
                fixedMemoryBytes >= 1 << 20,
                CascadeBackendOptions.FIXED_MEMORY,
                fixedMemoryBytes + " bytes",
                "at least 1 mb");
        require(
                bufferBytes >= 1,
                CascadeBackendOptions.BUFFER_SIZE,
                bufferBytes + " bytes",
                "at least 1 byte");
        require(
                areBitsPerKey(overviewBits),
                CascadeBackendOptions.OVERVIEW_BITS,
                overviewBits,
                "between 0 and 32");
        require(
                overviewBytes >= 1,
                CascadeBackendOptions.OVERVIEW_MEMORY,
                overviewBytes + " bytes",
                "at least 1 byte");
        require(
                summaryBits == null || areBitsPerKey(summaryBits),
                CascadeBackendOptions.SUMMARY_BITS,
                summaryBits,
                "between 0 and 32");
        require(mergeThreads >= 1, CascadeBackendOptions.MERGE_THREADS, mergeThreads, "at least 1");
        require(
                transferThreads >= 1,
                CascadeBackendOptions.TRANSFER_THREADS,
                transferThreads,
                "at least 1");
        localDirectories = List.copyOf(localDirectories);
    }

    /**
     * Reads the options.
     *
     * @throws IllegalConfigurationException naming the option whose value is out of range
     */
    static CascadeSettings from(ReadableConfig config) {
        return new CascadeSettings(
                names(config, CascadeBackendOptions.STATES),
                names(config, CascadeBackendOptions.MAP_STATES),
                names(config, CascadeBackendOptions.HEAP_STATES),
                config.get(CascadeBackendOptions.HEAP_MEMORY).getBytes(),
                FalseDrops.falsePositiveProbability(config),
                config.get(CascadeBackendOptions.CAPACITY),
                overflowPolicy(config.get(CascadeBackendOptions.OVERFLOW_POLICY)),
                config.get(CascadeBackendOptions.SAMPLE_ONE_IN),
                config.get(CascadeBackendOptions.SAMPLE_MEMORY).getBytes(),
                config.get(CascadeBackendOptions.TTL_BUCKETS),
                config.get(CascadeBackendOptions.USE_MANAGED_MEMORY),
                config.get(CascadeBackendOptions.MEMORY_FRACTION),
                config.get(CascadeBackendOptions.FIXED_MEMORY).getBytes(),
                config.get(MEMORY_OWNER),
                config.get(CascadeBackendOptions.BUFFER_SIZE).getBytes(),
                config.get(CascadeBackendOptions.OVERVIEW_BITS),
                config.get(CascadeBackendOptions.OVERVIEW_MEMORY).getBytes(),
                config.getOptional(CascadeBackendOptions.SUMMARY_BITS).orElse(null),
                mergeRule(config.get(CascadeBackendOptions.MERGE_POLICY)),
                config.get(CascadeBackendOptions.MERGE_THREADS),
                bytes(config, CascadeBackendOptions.WRITE_RATE),
                directories(config.get(CascadeBackendOptions.LOCAL_DIRECTORIES)),
                config.get(CascadeBackendOptions.TRANSFER_THREADS));
    }

    private static StateNames names(ReadableConfig config, ConfigOption<List<String>> option) {
        List<String> names = config.get(option);
        return StateNames.of(option, names == null ? List.of() : names);
    }

    /** Length of a time bucket in milliseconds; 0 without a time-to-live. */
    long bucketMillis(long timeToLiveMillis) {
        return timeToLiveMillis == 0 ? 0 : Math.max(1, timeToLiveMillis / ttlBuckets);
    }

    private static boolean areBitsPerKey(int bits) {
        return bits >= 0 && bits <= 32;
    }

    /** Bits per key of the summaries of a state's files. */
    int summaryBitsFor(boolean hasTimeToLive) {
        if (summaryBits != null) {
            return summaryBits;
        }
        return hasTimeToLive ? SUMMARY_BITS_WITH_TIME_TO_LIVE : 0;
    }

    private static long bytes(ReadableConfig config, ConfigOption<MemorySize> option) {
        Optional<MemorySize> size = config.getOptional(option);
        return size.map(MemorySize::getBytes).orElse(0L);
    }

    private static CapacityPolicy overflowPolicy(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "forget-oldest" -> CapacityPolicy.FORGET_OLDEST;
            case "raise-probability" -> CapacityPolicy.RAISE_PROBABILITY;
            default ->
                    throw new IllegalConfigurationException(
                            CascadeBackendOptions.OVERFLOW_POLICY.key()
                                    + " is '"
                                    + name
                                    + "', but must be 'forget-oldest' or 'raise-probability'.");
        };
    }

    private static MergeRule mergeRule(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "few-files" -> MergeRule.FEW_FILES;
            case "doubling" -> MergeRule.DOUBLING;
            default ->
                    throw new IllegalConfigurationException(
                            CascadeBackendOptions.MERGE_POLICY.key()
                                    + " is '"
                                    + name
                                    + "', but must be 'few-files' or 'doubling'.");
        };
    }

    private static List<String> directories(@Nullable String value) {
        return value == null
                ? List.of()
                : DIRECTORY_SEPARATOR
                        .splitAsStream(value)
                        .map(String::trim)
                        .filter(name -> !name.isEmpty())
                        .toList();
    }

    private static void require(
            boolean holds, ConfigOption<?> option, Object value, String bounds) {
        if (!holds) {
            throw new IllegalConfigurationException(
                    option.key() + " is " + value + ", but must be " + bounds + '.');
        }
    }
}
