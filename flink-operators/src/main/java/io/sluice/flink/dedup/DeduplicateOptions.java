/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The options that {@link Deduplicate} has in addition to {@link io.sluice.flink.WindowedOptions},
 * as Flink configuration.
 */
@PublicEvolving
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

    private DeduplicateOptions() {}
}
