/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionException;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.FollowedTime;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreSettings;
import java.io.Serializable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ReadableConfig;

/**
 * How flows are followed. Everything except store and {@code reopens} may change between a
 * savepoint and its restore: flows that are held stay held, in the structures that they were stored
 * in.
 *
 * @param stores what remembers flows, and for how long
 * @param time how far ahead of the watermark a timestamp is believed
 * @param reopens see {@link ConnectionMachine}
 */
@Internal
record FlowSettings(StoreSettings stores, FollowedTime time, boolean reopens)
        implements Serializable {

    FlowSettings {
        requireNonNull(stores, "stores");
        requireNonNull(time, "time");
    }

    /**
     * Returns the settings that a configuration has.
     *
     * @throws OptionException if one is out of range
     */
    static FlowSettings of(ReadableConfig options) {
        StateTimes times = FlowTimeouts.of(options).states();
        FlowOptions.STORES.check(options);
        FollowedTime time =
                FollowedTime.of(
                        TimeDomain.EVENT,
                        options.getOptional(FlowOptions.MAX_FUTURE).orElse(null),
                        times.longestMillis());
        return new FlowSettings(
                FlowOptions.STORES.settings(
                        options,
                        FlowOptions.NOUNS,
                        times,
                        IdleClass.frequencies(),
                        time.spreadMillis()),
                time,
                !options.get(FlowOptions.NEVER_REOPEN));
    }
}
