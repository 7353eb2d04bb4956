/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import java.util.List;
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
                            "Asks exact state when the filter says \"seen\", so that no first"
                                    + " occurrence is lost. The state grows with the ids in the"
                                    + " window.");

    public static final ConfigOption<Boolean> IN_STATE =
            ConfigOptions.key("sluice.deduplicate.in-state")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Keeps a flag per id in Flink's state instead of a filter. Needs the"
                                    + " time domain PROCESSING.");

    public static final ConfigOption<Integer> LIMIT =
            ConfigOptions.key("sluice.deduplicate.limit")
                    .intType()
                    .defaultValue(1)
                    .withDescription(
                            "How many records of an id pass within a window, 1 to 64. A duplicate"
                                    + " takes as many lookups.");

    public static final ConfigOption<Boolean> RESET_ON_DUPLICATE =
            ConfigOptions.key("sluice.deduplicate.reset-on-duplicate")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Begins the window of an id again with each duplicate, so that an id is"
                                    + " forgotten when it has not come for the window.");

    public static final ConfigOption<Boolean> FOREVER =
            ConfigOptions.key("sluice.deduplicate.forever")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Never forgets an id, without a window.");

    public static final ConfigOption<Keep> KEEP =
            ConfigOptions.key("sluice.deduplicate.keep")
                    .enumType(Keep.class)
                    .defaultValue(Keep.FIRST)
                    .withDescription(
                            "Which record of an id passes in each window: the first, at once, or"
                                    + " the last, when the window has ended.");

    public static final ConfigOption<Boolean> ON_DISK =
            ConfigOptions.key("sluice.deduplicate.on-disk")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Keeps the ids in filters on the TaskManager's local disk, whatever"
                                    + " state backend the job has. Without this option, only if"
                                    + " the memory does not hold a window of event time.");

    /** All of them. */
    public static final List<ConfigOption<?>> ALL =
            List.of(VERIFY, IN_STATE, LIMIT, RESET_ON_DUPLICATE, FOREVER, ON_DISK, KEEP);

    private DeduplicateOptions() {}
}
