/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.store.StoreKind;
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

    public static final ConfigOption<StoreKind> STORE =
            ConfigOptions.key("sluice.flows.store")
                    .enumType(StoreKind.class)
                    .defaultValue(StoreKind.EXACT)
                    .withDescription(
                            "What remembers flows: EXACT, a map, or KBF, key-value Bloom filters."
                                    + " Fixed once there is a savepoint.");

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

    public static final ConfigOption<Integer> SLICES =
            ConfigOptions.key("sluice.flows.slices")
                    .intType()
                    .defaultValue(1)
                    .withDescription(
                            "Slices of a timeout, 1 to 16: a flow times out at most one of them"
                                    + " late. Each costs KBF a lookup.");

    public static final ConfigOption<Long> EXPECTING =
            ConfigOptions.key("sluice.flows.expecting")
                    .longType()
                    .defaultValue(100_000L)
                    .withDescription(
                            "Flows of the whole stream at one time. Sizes the first filters; they"
                                    + " adapt later.");

    public static final ConfigOption<Double> BITS_PER_FLOW =
            ConfigOptions.key("sluice.flows.bits-per-flow")
                    .doubleType()
                    .defaultValue(96.0)
                    .withDescription("Bits of a full key-value filter for each flow, 16 to 1024.");

    public static final ConfigOption<MemorySize> MEMORY =
            ConfigOptions.key("sluice.flows.memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription("Hard cap on the memory of the flows of one subtask.");

    public static final ConfigOption<Duration> MAX_FUTURE =
            ConfigOptions.key("sluice.flows.max-future")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "How far ahead of the watermark a timestamp is believed; one further"
                                    + " ahead counts as exactly that far ahead. By default, the"
                                    + " longest timeout, at least an hour.");

    public static final ConfigOption<WhenFull> WHEN_FULL =
            ConfigOptions.key("sluice.flows.when-full")
                    .enumType(WhenFull.class)
                    .defaultValue(WhenFull.IGNORE)
                    .withDescription(
                            "What gives when the memory is used up: IGNORE further flows, EVICT"
                                    + " flows that are held, or FAIL the job.");

    public static final ConfigOption<Boolean> NEVER_REOPEN =
            ConfigOptions.key("sluice.flows.never-reopen")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Takes all packets of the same endpoints for one flow, even if SYNs"
                                    + " come after its end. Fixed once there is a savepoint.");

    /** All of them. */
    public static final List<ConfigOption<?>> ALL =
            List.of(
                    STORE,
                    OPENING_TIMEOUT,
                    OPEN_TIMEOUT,
                    CLOSED_TIMEOUT,
                    SLICES,
                    EXPECTING,
                    BITS_PER_FLOW,
                    MEMORY,
                    MAX_FUTURE,
                    WHEN_FULL,
                    NEVER_REOPEN);

    private FlowOptions() {}
}
