/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import java.time.Duration;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The options of {@link AttackAlerts} as Flink configuration; {@link AttackAlerts#configure} takes
 * them.
 */
@Experimental
public final class AttackOptions {

    public static final ConfigOption<Duration> FLOOD_WINDOW =
            ConfigOptions.key("sluice.attacks.flood.window")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription("Event time in which the SYNs of a flood are counted.");

    public static final ConfigOption<Integer> FLOOD_ATTEMPTS =
            ConfigOptions.key("sluice.attacks.flood.attempts")
                    .intType()
                    .defaultValue(500)
                    .withDescription(
                            "Unanswered attempts on one service in a window that are a flood.");

    public static final ConfigOption<Duration> SCAN_WINDOW =
            ConfigOptions.key("sluice.attacks.scan.window")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription("Event time in which the services that a host asks count.");

    public static final ConfigOption<Integer> SCAN_TARGETS =
            ConfigOptions.key("sluice.attacks.scan.targets")
                    .intType()
                    .defaultValue(100)
                    .withDescription("Services that one host asks in a window that are a scan.");

    public static final ConfigOption<Double> COMPLETED_SHARE =
            ConfigOptions.key("sluice.attacks.completed-share")
                    .doubleType()
                    .defaultValue(0.25)
                    .withDescription(
                            "Share of completed handshakes beyond which there is no attack.");

    public static final ConfigOption<Duration> QUIET =
            ConfigOptions.key("sluice.attacks.quiet")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(2))
                    .withDescription("How long there must be no attack before one is over.");

    public static final ConfigOption<Integer> PARTIES =
            ConfigOptions.key("sluice.attacks.parties")
                    .intType()
                    .defaultValue(200_000)
                    .withDescription(
                            "How many services, and hosts that ask, are told apart in half a"
                                    + " window; there is room for four times that number, beyond it"
                                    + " the smallest are forgotten.");

    public static final ConfigOption<Boolean> ONE_SIDED =
            ConfigOptions.key("sluice.attacks.one-sided-capture")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether a client that goes on after its SYN has completed the"
                                    + " handshake, though no answer was seen.");

    private AttackOptions() {}
}
