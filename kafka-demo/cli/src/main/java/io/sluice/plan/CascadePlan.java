/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import io.sluice.filter.cascade.CascadeSizing;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.SlotShares;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;

/**
 * What one membership state takes in the cascade state backend, or how many keys fit into its
 * memory. The component names are those of the JSON form; what does not apply is null.
 *
 * @param version of the JSON form
 * @param engine always {@value #ENGINE}
 * @param found what was found; all else was given or is a default
 * @param fits whether the managed memory allows an overview of the usual {@code overviewBitsPerKey}
 * @param keys that are held at most
 * @param idsPerSecond new keys of the whole stream
 * @param timeToLiveMillis null if keys are kept for ever
 * @param falsePositiveProbability of reporting a new key as seen
 * @param parallelism subtasks, one in each slot
 * @param maxParallelism key groups
 * @param bitsPerKey on disk
 * @param diskBytes of level files, of each subtask
 * @param maxDiskBytes the same while its largest merge runs
 * @param checkpointBytes of all subtasks, in a full checkpoint or savepoint; an incremental one has
 *     what was merged since the last
 * @param overviewBitsPerKey usual
 * @param overviewBytes of each subtask, at most, with that
 * @param managedBytes of each slot that is given, or the least that allows such an overview
 * @param minManagedBytes of each slot that allows any overview; with less, each new key asks all
 *     files
 * @param falseDropsPerDay null if the rate is not known
 * @param coreNanosPerRecord processor time of one record, from source to sink, that {@code cores}
 *     assumes
 * @param cores that the stream takes at that; null if the rate is not known
 * @param options for Flink's configuration, as {@code key: value}
 */
@Internal
public record CascadePlan(
        int version,
        String engine,
        Find found,
        boolean fits,
        long keys,
        @Nullable Double idsPerSecond,
        @Nullable Long timeToLiveMillis,
        double falsePositiveProbability,
        int parallelism,
        int maxParallelism,
        double bitsPerKey,
        double diskBytes,
        double maxDiskBytes,
        double checkpointBytes,
        int overviewBitsPerKey,
        long overviewBytes,
        long managedBytes,
        long minManagedBytes,
        @Nullable Double falseDropsPerDay,
        double coreNanosPerRecord,
        @Nullable Double cores,
        List<String> options)
        implements Plan {

    /** The value of {@code engine}. */
    public static final String ENGINE = "cascade";

    /**
     * Processor time of a record with an id of 36 characters, measured in a whole job:
     * docs/benchmarks/state-backend.md. Other machines, ids and sources take other times.
     */
    public static final double CORE_NANOS_PER_RECORD = 900;

    /** With fewer bits there is no overview. */
    private static final int MIN_OVERVIEW_BITS = 3;

    private static final double SECONDS_PER_DAY = 86_400;

    private static final double NANOS_PER_SECOND = 1e9;

    private static final long MEBIBYTE = 1 << 20;

    public CascadePlan {
        options = List.copyOf(options);
    }

    @Override
    public List<Line> lines() {
        return PlanLines.of(this);
    }

    /**
     * What is known of the state.
     *
     * @param fpp probability of a false positive
     * @param idsPerSecond new keys of the whole stream; null if that is not known
     * @param timeToLive null if keys are kept for ever
     * @param coreNanosPerRecord see {@link #CORE_NANOS_PER_RECORD}
     */
    public record Given(
            double fpp,
            int parallelism,
            int maxParallelism,
            @Nullable Double idsPerSecond,
            @Nullable Duration timeToLive,
            double coreNanosPerRecord) {

        /** Keys that are held at most when they come at the rate and live for their time. */
        public long keysAtTheRate() {
            if (idsPerSecond == null || timeToLive == null) {
                throw new IllegalArgumentException(
                        "keys follow only from a rate and a time-to-live: give both, or the keys");
            }
            double longest = timeToLive.toMillis() / 1e3 * (1 + 1.0 / TTL_BUCKETS);
            return (long) Math.ceil(idsPerSecond * longest);
        }

        private long keysOfSubtask(long keys) {
            long keyGroups = ((long) maxParallelism + parallelism - 1) / parallelism;
            return (long) Math.ceil((double) keys / maxParallelism * keyGroups);
        }
    }

    private static final int TTL_BUCKETS = CascadeBackendOptions.TTL_BUCKETS.defaultValue();

    private static final int OVERVIEW_BITS = CascadeBackendOptions.OVERVIEW_BITS.defaultValue();

    /**
     * The memory that keys take.
     *
     * @param keys at least 1
     * @param managedBytes of each slot; null to find the least
     * @throws IllegalArgumentException if fingerprints have too few bits for the keys
     */
    public static CascadePlan forKeys(Given given, long keys, @Nullable Long managedBytes) {
        return of(given, keys, managedBytes, managedBytes == null ? Find.MEMORY : Find.NOTHING);
    }

    /**
     * The most keys for which managed memory allows an overview of the usual bits.
     *
     * @throws IllegalArgumentException if that is not even one
     */
    public static CascadePlan forMemory(Given given, long managedBytes) {
        double fraction = CascadeBackendOptions.MEMORY_FRACTION.defaultValue();
        long overview = SlotShares.overviewIn((long) (managedBytes * fraction), 1);
        long ofSubtask = (long) ((double) overview * Byte.SIZE / OVERVIEW_BITS);
        long keyGroups = ((long) given.maxParallelism + given.parallelism - 1) / given.parallelism;
        long keys = (long) ((double) ofSubtask / keyGroups * given.maxParallelism);
        if (keys < 1) {
            throw new IllegalArgumentException(
                    "managed memory of " + managedBytes + " bytes holds no key: give more");
        }
        return of(given, keys, managedBytes, Find.KEYS);
    }

    private static CascadePlan of(Given given, long keys, @Nullable Long managed, Find find) {
        int buckets = given.timeToLive == null ? 1 : TTL_BUCKETS + 1;
        double bits = bitsPerKey(given, keys, buckets);
        long ofSubtask = given.keysOfSubtask(keys);
        double disk = ofSubtask * bits / Byte.SIZE;
        // What a merge of the files of one time bucket writes lies beside what it reads.
        double maxDisk = disk * (1 + 1.0 / buckets);
        long usual = managedFor(ofSubtask, OVERVIEW_BITS);
        long managedBytes = managed == null ? usual : managed;
        Double rate = given.idsPerSecond;
        long overview = overviewBytes(ofSubtask, OVERVIEW_BITS);
        return new CascadePlan(
                WindowPlan.VERSION,
                ENGINE,
                find,
                managedBytes >= usual || find == Find.KEYS,
                keys,
                rate,
                given.timeToLive == null ? null : Long.valueOf(given.timeToLive.toMillis()),
                given.fpp,
                given.parallelism,
                given.maxParallelism,
                bits,
                disk,
                maxDisk,
                keys * bits / Byte.SIZE,
                OVERVIEW_BITS,
                overview,
                managedBytes,
                managedFor(ofSubtask, MIN_OVERVIEW_BITS),
                rate == null ? null : Double.valueOf(given.fpp * rate * SECONDS_PER_DAY),
                given.coreNanosPerRecord,
                rate == null
                        ? null
                        : Double.valueOf(rate * given.coreNanosPerRecord / NANOS_PER_SECOND),
                List.of(
                        line(CascadeBackendOptions.CAPACITY, Long.toString(keys)),
                        line(
                                CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY,
                                Double.toString(given.fpp)),
                        // Both the overview in use and the next one are below this bound.
                        line(
                                CascadeBackendOptions.OVERVIEW_MEMORY,
                                (2 * overview / MEBIBYTE + 1) + "mb")));
    }

    private static double bitsPerKey(Given given, long keys, int buckets) {
        try {
            return CascadeSizing.bitsPerKey(
                    given.fpp, keys, given.maxParallelism, (double) keys, buckets);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "fingerprints have too few bits for %,d keys at a probability of %s:"
                                    + " raise --fpp, or divide the keys among several states",
                            keys,
                            given.fpp),
                    e);
        }
    }

    /** Returns the least managed memory of a slot that allows an overview of these bits. */
    private static long managedFor(long keys, int bits) {
        double fraction = CascadeBackendOptions.MEMORY_FRACTION.defaultValue();
        long filters = SlotShares.bytesFor(overviewBytes(keys, bits), 1);
        return (long) Math.ceil(filters / fraction);
    }

    private static long overviewBytes(long keys, int bits) {
        return (long) Math.ceil((double) keys * bits / Byte.SIZE);
    }

    private static String line(ConfigOption<?> option, String value) {
        return option.key() + ": " + value;
    }
}
