/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.memory.Storage;
import io.sluice.flink.OptionException;
import io.sluice.flink.OptionRange;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationFactory;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.WhenFull;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * How flows are followed. Everything except store and {@code reopens} may change between a
 * savepoint and its restore: flows that are held stay held, in the structures that they were stored
 * in.
 *
 * @param store what remembers flows
 * @param timeouts how long they may be idle
 * @param expectedFlows of the whole stream at one time, at least 1: sizes the first generations
 * @param bitsPerFlow of a full table of the key-value filter, {@value #MIN_BITS} to {@value
 *     #MAX_BITS}; not used by the exact store
 * @param memory for all stores of one subtask; a restore and the smallest stores of many key groups
 *     may exceed it, which causes a warning
 * @param whenFull what gives when the memory is used up
 * @param reopens see {@link ConnectionMachine}
 * @param maxFuture how far ahead of the watermark a timestamp is believed; one further ahead counts
 *     as exactly that far ahead. Null: the longest timeout, at least {@link #MIN_FUTURE}
 */
@Internal
public record FlowSettings(
        StoreKind store,
        FlowTimeouts timeouts,
        long expectedFlows,
        double bitsPerFlow,
        MemorySize memory,
        WhenFull whenFull,
        boolean reopens,
        @Nullable Duration maxFuture)
        implements Serializable {

    /** The default of {@code maxFuture} is at least this. */
    public static final Duration MIN_FUTURE = Duration.ofHours(1);

    static final double MIN_BITS = 16;
    static final double MAX_BITS = 1024;

    /** Below this the fixed costs of key groups leave no room for flows. */
    static final MemorySize MIN_MEMORY = MemorySize.ofMebiBytes(1);

    private static final long MIN_FLOWS_OF_GENERATION = 32;

    private static final OptionRange<Long> EXPECTING_RANGE =
            new OptionRange<>(
                    FlowOptions.EXPECTING,
                    1L,
                    null,
                    "give the flows of the whole stream at one time");

    private static final OptionRange<Double> BITS_RANGE =
            new OptionRange<>(
                    FlowOptions.BITS_PER_FLOW,
                    MIN_BITS,
                    MAX_BITS,
                    "96 loses the state of one flow in some thousands");

    private static final OptionRange<MemorySize> MEMORY_RANGE =
            new OptionRange<>(
                    FlowOptions.MEMORY, MIN_MEMORY, null, "it is that of one subtask; raise it");

    private static final OptionRange<Duration> FUTURE_RANGE =
            new OptionRange<>(
                    FlowOptions.MAX_FUTURE,
                    Duration.ZERO,
                    FlowTimeouts.MAX_TIMEOUT,
                    "give how far ahead of the watermark a timestamp may be");

    public FlowSettings {
        requireNonNull(store, "store");
        requireNonNull(timeouts, "timeouts");
        requireNonNull(memory, "memory");
        requireNonNull(whenFull, "whenFull");
        EXPECTING_RANGE.check(expectedFlows);
        BITS_RANGE.check(bitsPerFlow);
        MEMORY_RANGE.check(memory);
        if (maxFuture != null) {
            FUTURE_RANGE.check(maxFuture);
        }
    }

    /**
     * Returns the settings that a configuration has.
     *
     * @throws OptionException if one is out of range
     */
    static FlowSettings of(ReadableConfig options) {
        return new FlowSettings(
                options.get(FlowOptions.STORE),
                FlowTimeouts.of(options),
                options.get(FlowOptions.EXPECTING),
                options.get(FlowOptions.BITS_PER_FLOW),
                options.get(FlowOptions.MEMORY),
                options.get(FlowOptions.WHEN_FULL),
                !options.get(FlowOptions.NEVER_REOPEN),
                options.getOptional(FlowOptions.MAX_FUTURE).orElse(null));
    }

    /** How far ahead of the watermark a timestamp is believed, in milliseconds. */
    public long maxFutureMillis() {
        if (maxFuture != null) {
            return maxFuture.toMillis();
        }
        return Math.max(timeouts.longestMillis(), MIN_FUTURE.toMillis());
    }

    /**
     * The latest time that is believed of a packet when the watermark is at {@code watermark};
     * unlimited before the first watermark.
     */
    public long latestTime(long watermark) {
        if (watermark == Long.MIN_VALUE) {
            return Long.MAX_VALUE;
        }
        long ahead = maxFutureMillis();
        return watermark > Long.MAX_VALUE - ahead ? Long.MAX_VALUE : watermark + ahead;
    }

    /** Makes and reads the stores of one subtask. */
    Stores stores(int keyGroups, StoreMemory shared) {
        return new Stores(
                this,
                timeouts.states(),
                shared,
                new KeyValueGenerations(bitsPerFlow, 0, Storage.HEAP, IdleClass.frequencies()),
                Math.max(MIN_FLOWS_OF_GENERATION, expectedFlows / keyGroups / 2));
    }

    /** Stores that share their memory. */
    record Stores(
            FlowSettings settings,
            StateTimes times,
            StoreMemory memory,
            GenerationFactory factory,
            long leastFlows) {

        StateStore create() {
            return switch (settings.store) {
                case EXACT -> new ExactStore(times, memory);
                case KBF -> new GenerationalStore(factory, times, memory, leastFlows);
            };
        }

        StateStore read(InputStream in, String source) throws IOException {
            return switch (settings.store) {
                case EXACT -> ExactStore.readFrom(in, source, times, memory);
                case KBF ->
                        GenerationalStore.readFrom(in, source, factory, times, memory, leastFlows);
            };
        }
    }
}
