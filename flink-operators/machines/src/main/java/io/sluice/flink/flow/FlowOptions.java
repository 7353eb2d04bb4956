/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.store.Nouns;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.WhenFull;
import java.time.Duration;
import java.util.List;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of {@link FlowStateMachine} as Flink configuration; {@link
 * FlowStateMachine#configure} takes them.
 */
@Experimental
public final class FlowOptions {

    static final Nouns NOUNS = new Nouns("packet", "flow");

    static final StoreOptions STORES = StoreOptions.of("sluice.flows", NOUNS);

    public static final ConfigOption<StoreKind> STORE = STORES.store();

    public static final ConfigOption<Double> ERROR_PROBABILITY = STORES.errorProbability();

    public static final ConfigOption<Duration> OPENING_TIMEOUT =
            ConfigOptions.key("sluice.flows.opening-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription("How long a handshake may be idle.");

    public static final ConfigOption<Duration> OPEN_TIMEOUT =
            ConfigOptions.key("sluice.flows.open-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription("How long a connection may be idle.");

    public static final ConfigOption<Duration> CLOSED_TIMEOUT =
            ConfigOptions.key("sluice.flows.closed-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(15))
                    .withDescription(
                            "How long packets that trail behind the end of a flow are absorbed.");

    public static final ConfigOption<Integer> SLICES = STORES.slices();

    public static final ConfigOption<Long> EXPECTING = STORES.expecting();

    public static final ConfigOption<Double> BITS_PER_FLOW = STORES.bits();

    public static final ConfigOption<MemorySize> MEMORY = STORES.memory();

    public static final ConfigOption<Duration> MAX_FUTURE = STORES.maxFuture();

    public static final ConfigOption<WhenFull> WHEN_FULL = STORES.whenFull();

    public static final ConfigOption<Boolean> NEVER_REOPEN =
            ConfigOptions.key("sluice.flows.never-reopen")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Takes all packets of the same endpoints for one flow, even if SYNs"
                                    + " come after its end. Fixed once there is a savepoint.");

    public static final ConfigOption<Boolean> TOTALS =
            ConfigOptions.key("sluice.flows.totals")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Keeps the endpoints of each open flow, its times, and its packets and"
                                    + " bytes each way: about 100 bytes a flow, within the memory."
                                    + " Only for EXACT. Fixed once there is a savepoint.");

    /** All of them. */
    public static final List<ConfigOption<?>> ALL =
            List.of(
                    STORE,
                    ERROR_PROBABILITY,
                    OPENING_TIMEOUT,
                    OPEN_TIMEOUT,
                    CLOSED_TIMEOUT,
                    SLICES,
                    EXPECTING,
                    BITS_PER_FLOW,
                    MEMORY,
                    MAX_FUTURE,
                    WHEN_FULL,
                    NEVER_REOPEN,
                    TOTALS);

    private FlowOptions() {}
}
