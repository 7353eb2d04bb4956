/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionException;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.FollowedTime;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreSettings;
import java.io.Serializable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ReadableConfig;

/**
 * How flows are followed. Everything except store, {@code reopens} and {@code totals} may change
 * between a savepoint and its restore: flows that are held stay held, in the structures that they
 * were stored in.
 *
 * @param stores what remembers flows, and for how long
 * @param time how far ahead of the watermark a timestamp is believed
 * @param reopens see {@link ConnectionMachine}
 * @param totals whether to keep the totals of each flow; only with the exact store, which alone
 *     knows the flows that it holds
 */
@Internal
public record FlowSettings(StoreSettings stores, FollowedTime time, boolean reopens, boolean totals)
        implements Serializable {

    public FlowSettings {
        requireNonNull(stores, "stores");
        requireNonNull(time, "time");
        if (totals && stores.kind() != StoreKind.EXACT) {
            throw new OptionException(
                    FlowOptions.TOTALS,
                    " needs ",
                    new OptionException.Setting(FlowOptions.STORE, StoreKind.EXACT),
                    ", but the store is "
                            + (stores.kind() == null ? "to be chosen" : stores.kind())
                            + ": only that one is sure to know which flows it holds.");
        }
    }

    /**
     * Returns the settings that a configuration has.
     *
     * @throws OptionException if one is out of range
     */
    public static FlowSettings of(ReadableConfig options) {
        StateTimes times = FlowTimeouts.of(options).states();
        FlowOptions.STORES.check(options);
        FollowedTime time =
                FollowedTime.of(
                        TimeDomain.EVENT,
                        options.getOptional(FlowOptions.MAX_FUTURE).orElse(null),
                        times.longestMillis());
        StoreSettings stores =
                FlowOptions.STORES.settings(
                        options,
                        FlowOptions.NOUNS,
                        times,
                        IdleClass.frequencies(),
                        time.spreadMillis());
        boolean totals = options.get(FlowOptions.TOTALS);
        // A flow takes about 100 bytes of totals, and 16 to 32 in a store, which also holds flows
        // that have ended. Apart, so that flows without room for totals are followed nevertheless.
        return new FlowSettings(
                totals ? stores.keeping(stores.memory().getBytes() / 4 * 3) : stores,
                time,
                !options.get(FlowOptions.NEVER_REOPEN),
                totals);
    }
}
