/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.run.FirstOnly;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.state.rocksdb.PredefinedOptions;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;

/** What holds the flags. */
enum Engine {
    NOOP("no-op keyed map", "hashmap", 512, Duration.ZERO),
    ONE_LINE("one line, no state", "hashmap", 512, Duration.ZERO),
    HASHMAP("hashmap", "hashmap", 512, Duration.ZERO),
    ROCKSDB("RocksDB, 512 MB", "rocksdb", 512, Duration.ZERO),
    ROCKSDB_1G("RocksDB, 1 GB", "rocksdb", 1024, Duration.ZERO),
    /** With the settings that its users choose for many keys. */
    ROCKSDB_TUNED("RocksDB tuned, 2 GB", "rocksdb", 2048, Duration.ZERO),
    ROCKSDB_TTL("RocksDB, 512 MB, TTL", "rocksdb", 512, Duration.ofHours(1)),
    FORST("ForSt, 512 MB", "forst", 512, Duration.ZERO),
    CASCADE("cascade, 512 MB", CascadeStateBackendFactory.class.getName(), 512, Duration.ZERO),
    /** With the default probability and capacity. */
    CASCADE_DEFAULT(
            "cascade, 512 MB, defaults",
            CascadeStateBackendFactory.class.getName(),
            512,
            Duration.ZERO),
    /** The same with memory for 10^9 keys: a byte for each in the overview. */
    CASCADE_4G(
            "cascade, 4 GB, defaults",
            CascadeStateBackendFactory.class.getName(),
            4096,
            Duration.ZERO),
    CASCADE_TTL(
            "cascade, 512 MB, TTL",
            CascadeStateBackendFactory.class.getName(),
            512,
            Duration.ofHours(1)),
    /** Answers in batches, beside the job's own backend, which has nothing. */
    FOREVER("Deduplicate.forever().onDisk(), 512 MB", "hashmap", 512, Duration.ZERO);

    /** The cascade's probability where it is not the default. */
    static final double FALSE_POSITIVE_PROBABILITY = 1e-4;

    private final String title;
    private final String type;
    private final int managedMegabytes;
    private final Duration timeToLive;

    Engine(String title, String type, int managedMegabytes, Duration timeToLive) {
        this.title = title;
        this.type = type;
        this.managedMegabytes = managedMegabytes;
        this.timeToLive = timeToLive;
    }

    String title() {
        return title;
    }

    /** A part of the names of figures. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    int managedMegabytes() {
        return managedMegabytes;
    }

    /** How long a flag lives; zero means for ever. */
    Duration timeToLive() {
        return timeToLive;
    }

    boolean keepsState() {
        return !isLimit();
    }

    /** Whether it does less than deduplication requires. */
    boolean isLimit() {
        return this == NOOP || this == ONE_LINE;
    }

    boolean isCascade() {
        return this == CASCADE || this == CASCADE_TTL || this == FOREVER || hasDefaults();
    }

    /** Whether it is compared in the DataStream API alone. */
    boolean isWithoutSql() {
        return isLimit() || !timeToLive.isZero() || this == FOREVER;
    }

    /** Whether probability and capacity are the backend's defaults. */
    private boolean hasDefaults() {
        return this == CASCADE_DEFAULT || this == CASCADE_4G;
    }

    /** Whether it needs seconds where the others need less than one. */
    boolean isSlow() {
        return keepsState() && !isCascade();
    }

    /**
     * Whether a checkpoint that shares nothing is possible: it makes a job on ForSt 2.3.0 fail,
     * which then never ends.
     */
    boolean takesFullCheckpoints() {
        return this != FORST;
    }

    /** The largest share of first occurrences that may be dropped. */
    double falsePositiveProbability() {
        if (this == ONE_LINE) {
            return OneLine.MAX_DROPPED;
        }
        if (hasDefaults()) {
            return CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();
        }
        return isCascade() ? FALSE_POSITIVE_PROBABILITY : 0;
    }

    /**
     * @param keys what the job's author would expect
     */
    void configure(Configuration configuration, long keys) {
        configuration.set(StateBackendOptions.STATE_BACKEND, type);
        if (this == ROCKSDB_TUNED) {
            configuration.set(RocksDBConfigurableOptions.USE_BLOOM_FILTER, true);
            configuration.set(
                    RocksDBOptions.PREDEFINED_OPTIONS,
                    PredefinedOptions.FLASH_SSD_OPTIMIZED.name());
        }
        if (isCascade()) {
            List<String> states = new ArrayList<>(CascadeBackendOptions.STATES.defaultValue());
            states.add(FirstOnly.STATE);
            configuration.set(CascadeBackendOptions.STATES, states);
            configuration.set(CascadeBackendOptions.MAP_STATES, List.of("distinctAcc_*"));
            List<String> onHeap = new ArrayList<>(CascadeBackendOptions.HEAP_STATES.defaultValue());
            onHeap.add("accState");
            configuration.set(CascadeBackendOptions.HEAP_STATES, onHeap);
        }
        if (this == CASCADE_4G) {
            configuration.set(CascadeBackendOptions.OVERVIEW_MEMORY, MemorySize.parse("1 gb"));
            // The delegate holds nothing.
            configuration.set(CascadeBackendOptions.MEMORY_FRACTION, 0.9);
        }
        if (isCascade() && !hasDefaults()) {
            configuration.set(
                    CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, FALSE_POSITIVE_PROBABILITY);
            configuration.set(CascadeBackendOptions.CAPACITY, Math.max(1_000_000, keys));
        }
    }
}
