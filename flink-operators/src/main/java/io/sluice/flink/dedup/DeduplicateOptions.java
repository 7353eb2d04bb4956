/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The options that {@link Deduplicate} has beyond {@link io.sluice.flink.WindowedOptions}, as Flink
 * configuration.
 */
public final class DeduplicateOptions {

    public static final ConfigOption<Boolean> VERIFY =
            ConfigOptions.key("sluice.deduplicate.verify")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether exact state is asked when the filter says \"seen\", so that no"
                                    + " first occurrence is lost.");

    public static final ConfigOption<Boolean> IN_STATE =
            ConfigOptions.key("sluice.deduplicate.in-state")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether a flag per id in Flink state replaces the filter. Needs the"
                                    + " time domain PROCESSING.");

    public static final ConfigOption<Integer> BATCH_RECORDS =
            ConfigOptions.key("sluice.deduplicate.batch.records")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "Records that are looked up together, so that they wait for memory"
                                    + " together; 1 for each at once. 1 to 1024.");

    public static final ConfigOption<Duration> BATCH_DELAY =
            ConfigOptions.key("sluice.deduplicate.batch.delay")
                    .durationType()
                    .defaultValue(Duration.ofMillis(5))
                    .withDescription(
                            "How long a record waits at most for its batch to fill; at least 1"
                                    + " ms.");

    private DeduplicateOptions() {}
}
