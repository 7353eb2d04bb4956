/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.time.Duration;
import java.util.List;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of {@link Reconcile} as Flink configuration; {@link Reconcile#configure} takes them.
 */
@Experimental
public final class ReconciliationOptions {

    public static final ConfigOption<String> REPLICA =
            ConfigOptions.key("sluice.reconcile.replica")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Name of this replica.");

    public static final ConfigOption<String> PEER =
            ConfigOptions.key("sluice.reconcile.peer")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Name of the other replica; messages of any other are refused.");

    public static final ConfigOption<Duration> WINDOW =
            ConfigOptions.key("sluice.reconcile.window")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "Length of the tumbling windows of event time that are"
                                    + " reconciled; the same on both sides.");

    public static final ConfigOption<DifferenceMethod> METHOD =
            ConfigOptions.key("sluice.reconcile.method")
                    .enumType(DifferenceMethod.class)
                    .defaultValue(DifferenceMethod.AUTO)
                    .withDescription(
                            "How differences are found: QUERY asks the peer's filter for each"
                                    + " element, DECODE compares two filters, RATELESS sends coded"
                                    + " symbols instead of a filter, AUTO what takes fewer bytes.");

    public static final ConfigOption<Double> FALSE_POSITIVE_PROBABILITY =
            ConfigOptions.key("sluice.reconcile.false-positive-probability")
                    .doubleType()
                    .defaultValue(1e-4)
                    .withDescription(
                            "False positive probability of the filters, 1e-8 to 0.25: about"
                                    + " the share of the differences that needs a second round.");

    public static final ConfigOption<Integer> COUNTER_BITS =
            ConfigOptions.key("sluice.reconcile.counter-bits")
                    .intType()
                    .defaultValue(8)
                    .withDescription(
                            "Bits of a multiplicity in the filters, 2 to 32. Elements that"
                                    + " both sides have more often are sent in full.");

    public static final ConfigOption<Integer> GROUPS =
            ConfigOptions.key("sluice.reconcile.groups")
                    .intType()
                    .defaultValue(128)
                    .withDescription(
                            "Key groups, 1 to 32768, each with its own exchange; the same on"
                                    + " both sides. At least the parallelism.");

    public static final ConfigOption<Long> SEED =
            ConfigOptions.key("sluice.reconcile.seed")
                    .longType()
                    .defaultValue(0L)
                    .withDescription("Seed of checksums and filters; the same on both sides.");

    public static final ConfigOption<Duration> TTL =
            ConfigOptions.key("sluice.reconcile.ttl")
                    .durationType()
                    .defaultValue(Duration.ofHours(1))
                    .withDescription(
                            "How long a closed window waits for the peer, and a finished one"
                                    + " is remembered.");

    public static final ConfigOption<Duration> RESUME_WITHIN =
            ConfigOptions.key("sluice.reconcile.resume-within")
                    .durationType()
                    .defaultValue(Duration.ZERO)
                    .withDescription(
                            "How much longer than its ttl a closed window is kept, to go on"
                                    + " when the peer is back. 0 gives it up.");

    public static final ConfigOption<Duration> RETRY_AFTER =
            ConfigOptions.key("sluice.reconcile.retry-after")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "How long the peer must be silent before a message is repeated,"
                                    + " at most a day; doubled by each repetition.");

    public static final ConfigOption<MemorySize> MAX_MESSAGE =
            ConfigOptions.key("sluice.reconcile.max-message")
                    .memoryType()
                    .defaultValue(new MemorySize(900_000))
                    .withDescription(
                            "Upper bound of a message, 4 KiB to 1 MiB. A filter that does not"
                                    + " fit ends its exchange: give more groups.");

    public static final ConfigOption<Long> MAX_WAITING_ELEMENTS =
            ConfigOptions.key("sluice.reconcile.max-waiting-elements")
                    .longType()
                    .defaultValue(10_000_000L)
                    .withDescription(
                            "Elements of one key group that may wait for the peer; beyond"
                                    + " that, the oldest windows give up.");

    public static final ConfigOption<Integer> MAX_EARLY_WINDOWS =
            ConfigOptions.key("sluice.reconcile.max-early-windows")
                    .intType()
                    .defaultValue(1000)
                    .withDescription(
                            "Windows of one key group that are remembered though only the"
                                    + " peer has closed them.");

    public static final ConfigOption<Integer> MAX_WINDOWS =
            ConfigOptions.key("sluice.reconcile.max-windows")
                    .intType()
                    .defaultValue(10_000)
                    .withDescription(
                            "Windows of one key group that are remembered at all, at least 2;"
                                    + " each takes some 500 bytes of heap.");

    public static final ConfigOption<Duration> MAX_FUTURE =
            ConfigOptions.key("sluice.reconcile.max-future")
                    .durationType()
                    .defaultValue(Duration.ofHours(1))
                    .withDescription(
                            "How far ahead of the wall clock a timestamp or a watermark is"
                                    + " believed.");

    public static final ConfigOption<Boolean> RESET_CLOCK =
            ConfigOptions.key("sluice.reconcile.reset-clock")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "After a restore the next watermark sets the clock, even to an"
                                    + " earlier time: for a job whose event time has run ahead.");

    public static final ConfigOption<Boolean> WITH_ELEMENTS =
            ConfigOptions.key("sluice.reconcile.with-elements")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Also emits the repaired multisets of finished windows.");

    /** All of them. */
    public static final List<ConfigOption<?>> ALL =
            List.of(
                    REPLICA,
                    PEER,
                    WINDOW,
                    METHOD,
                    FALSE_POSITIVE_PROBABILITY,
                    COUNTER_BITS,
                    GROUPS,
                    SEED,
                    TTL,
                    RESUME_WITHIN,
                    RETRY_AFTER,
                    MAX_MESSAGE,
                    MAX_WAITING_ELEMENTS,
                    MAX_EARLY_WINDOWS,
                    MAX_WINDOWS,
                    MAX_FUTURE,
                    RESET_CLOCK,
                    WITH_ELEMENTS);

    private ReconciliationOptions() {}
}
