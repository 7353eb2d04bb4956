/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionException;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.FollowedTime;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.machine.store.WhenFull;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * How flows are followed. Everything except store, {@code reopens} and {@code totals} may change
 * between a savepoint and its restore: flows that are held stay held, in the structures that they
 * were stored in.
 *
 * @param store what remembers flows
 * @param timeouts how long they may be idle
 * @param expectedFlows of the whole stream at one time, at least 1: sizes the first generations
 * @param bitsPerFlow of a full table of the key-value filter, 16 to 1024; not used by the exact
 *     store
 * @param memory for all stores of one subtask; a restore and the smallest stores of many key groups
 *     may exceed it, which causes a warning
 * @param whenFull what gives when the memory is used up
 * @param reopens see {@link ConnectionMachine}
 * @param maxFuture how far ahead of the watermark a timestamp is believed; one further ahead counts
 *     as exactly that far ahead. Null: the longest timeout, at least {@link
 *     FollowedTime#MIN_FUTURE}
 * @param totals whether to keep the totals of each flow; only with the exact store, which alone
 *     knows the flows that it holds
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
        @Nullable Duration maxFuture,
        boolean totals)
        implements Serializable {

    public FlowSettings {
        requireNonNull(store, "store");
        requireNonNull(timeouts, "timeouts");
        requireNonNull(memory, "memory");
        requireNonNull(whenFull, "whenFull");
        FlowOptions.STORES.check(expectedFlows, bitsPerFlow, memory, maxFuture);
        if (totals && store != StoreKind.EXACT) {
            throw new OptionException(
                    FlowOptions.TOTALS,
                    " needs ",
                    new OptionException.Setting(FlowOptions.STORE, StoreKind.EXACT),
                    ", but the store is " + store + ": it does not know which flows it holds.");
        }
    }

    /** Settings without totals. */
    public FlowSettings(
            StoreKind store,
            FlowTimeouts timeouts,
            long expectedFlows,
            double bitsPerFlow,
            MemorySize memory,
            WhenFull whenFull,
            boolean reopens,
            @Nullable Duration maxFuture) {
        this(
                store,
                timeouts,
                expectedFlows,
                bitsPerFlow,
                memory,
                whenFull,
                reopens,
                maxFuture,
                false);
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
                options.getOptional(FlowOptions.MAX_FUTURE).orElse(null),
                options.get(FlowOptions.TOTALS));
    }

    /** Returns the stores that remember the flows. */
    StoreSettings stores() {
        return new StoreSettings(
                FlowOptions.NOUNS,
                store,
                timeouts.states(),
                IdleClass.frequencies(),
                expectedFlows,
                bitsPerFlow,
                StoreOptions.DEFAULT_ERROR,
                time().spreadMillis(),
                memory,
                whenFull);
    }

    /**
     * Returns the part of the memory that belongs to the totals; the rest is the stores'. They are
     * kept apart, so that flows for whose totals there is no room are followed nevertheless. A flow
     * takes about 100 bytes there and 16 to 32 in a store, which also holds flows that have ended.
     */
    long bytesOfTotals() {
        return totals ? memory.getBytes() / 4 * 3 : 0;
    }

    /** Returns how far ahead of the watermark a timestamp is believed. */
    FollowedTime time() {
        return FollowedTime.of(TimeDomain.EVENT, maxFuture, timeouts.states().longestMillis());
    }
}
