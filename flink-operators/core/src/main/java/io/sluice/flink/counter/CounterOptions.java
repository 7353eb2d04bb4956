/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.time.Duration;
import java.util.List;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * What {@link IdempotentCounters} has besides {@link io.sluice.flink.WindowedOptions}, as Flink
 * configuration.
 */
@PublicEvolving
public final class CounterOptions {

    public static final ConfigOption<Duration> EXPIRE_AFTER =
            ConfigOptions.key("sluice.counters.expire-after")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "How long no operation must have been applied to a counter before its"
                                    + " total is forgotten. By default all are kept.");

    public static final ConfigOption<Boolean> TWO_PHASES =
            ConfigOptions.key("sluice.counters.two-phases")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether operations are distributed by their ids and summed before"
                                    + " they are sent to their counters: for counters with far more"
                                    + " operations than others. Needs an interval of emission.");

    /** All of them. */
    public static final List<ConfigOption<?>> ALL = List.of(EXPIRE_AFTER, TWO_PHASES);

    private CounterOptions() {}
}
