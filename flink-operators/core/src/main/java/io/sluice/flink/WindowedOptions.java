/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.time.Duration;
import java.util.List;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of {@link WindowedBuilder} as Flink configuration, for jobs that read options from a
 * file or the command line; {@link WindowedBuilder#configure} takes them.
 */
@PublicEvolving
public final class WindowedOptions {

    public static final ConfigOption<Duration> WITHIN =
            ConfigOptions.key("sluice.window.within")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "How long after the first occurrence a duplicate is still"
                                    + " recognised.");

    public static final ConfigOption<Double> FALSE_POSITIVE_PROBABILITY =
            ConfigOptions.key("sluice.window.false-positive-probability")
                    .doubleType()
                    .defaultValue(1e-6)
                    .withDescription(
                            "Probability of taking a first occurrence for a duplicate; from"
                                    + " 1e-12 to 0.25.");

    public static final ConfigOption<Double> MAX_FALSE_POSITIVE_PROBABILITY =
            ConfigOptions.key("sluice.window.max-false-positive-probability")
                    .doubleType()
                    .noDefaultValue()
                    .withDescription(
                            "The highest value that this probability may reach when rate and"
                                    + " window need more than sluice.window.memory; beyond it the"
                                    + " oldest ids are forgotten early. By default ten times"
                                    + " sluice.window.false-positive-probability.");

    public static final ConfigOption<Double> MAX_MISSED_PER_DAY =
            ConfigOptions.key("sluice.window.max-missed-per-day")
                    .doubleType()
                    .noDefaultValue()
                    .withDescription(
                            "How many first occurrences may be taken for duplicates per day, on"
                                    + " average, in all subtasks together. The probability is this"
                                    + " number divided by the ids of a day at the rate of"
                                    + " sluice.window.expecting, which must be set too. Takes the"
                                    + " place of sluice.window.false-positive-probability, and by"
                                    + " default of its highest value under pressure as well.");

    public static final ConfigOption<Layout> LAYOUT =
            ConfigOptions.key("sluice.window.layout")
                    .enumType(Layout.class)
                    .noDefaultValue()
                    .withDescription(
                            "How ids are laid out in the filters; may be changed at a restore. By"
                                    + " default FINGERPRINTS or QUOTIENT, whichever takes less"
                                    + " memory for the probability.");

    public static final ConfigOption<Long> EXPECTING =
            ConfigOptions.key("sluice.window.expecting")
                    .longType()
                    .defaultValue(1000L)
                    .withDescription(
                            "New ids per second of the whole stream. Filters are sized for this"
                                    + " rate, and adapt if it is wrong; they begin small if"
                                    + " sluice.window.memory is less than twice what that takes.");

    public static final ConfigOption<MemorySize> MEMORY =
            ConfigOptions.key("sluice.window.memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "Cap on the memory of the filters of one subtask; the smallest filters"
                                    + " of its key groups, less than 1 KiB each, may exceed it.");

    public static final ConfigOption<OverflowPolicy> ON_OVERFLOW =
            ConfigOptions.key("sluice.window.on-overflow")
                    .enumType(OverflowPolicy.class)
                    .defaultValue(OverflowPolicy.FORGET_OLDEST)
                    .withDescription(
                            "What gives when rate, window and probability do not fit into the"
                                    + " memory.");

    public static final ConfigOption<TimeDomain> TIME_DOMAIN =
            ConfigOptions.key("sluice.window.time-domain")
                    .enumType(TimeDomain.class)
                    .defaultValue(TimeDomain.EVENT)
                    .withDescription("The clock of forgetting.");

    public static final ConfigOption<Boolean> FORGET_DURING_DOWNTIME =
            ConfigOptions.key("sluice.window.forget-during-downtime")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Processing time only: whether the job's downtime counts.");

    public static final ConfigOption<Integer> SHADOW_IDS =
            ConfigOptions.key("sluice.window.shadow-ids")
                    .intType()
                    .defaultValue(16384)
                    .withDescription(
                            "How many ids per subtask are at most also kept exactly, to measure"
                                    + " the real error; 0 for none.");

    public static final ConfigOption<Duration> MAX_FUTURE =
            ConfigOptions.key("sluice.window.max-future")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "Event time only: a record with a timestamp further ahead of the wall"
                                    + " clock than this is forgotten as if it were exactly this far"
                                    + " ahead. Default: one hour.");

    public static final ConfigOption<Boolean> RESET_CLOCK =
            ConfigOptions.key("sluice.window.reset-clock")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Event time only: whether the clock is unknown again after a restore,"
                                    + " so that the next watermark sets it, even to an earlier"
                                    + " time. For a job whose watermark has run away.");

    public static final ConfigOption<Integer> BATCH_RECORDS =
            ConfigOptions.key("sluice.window.batch.records")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "Records that are looked up together, so that they wait for memory"
                                    + " together; 1 for each at once. 1 to 1024.");

    public static final ConfigOption<Duration> BATCH_DELAY =
            ConfigOptions.key("sluice.window.batch.delay")
                    .durationType()
                    .defaultValue(Duration.ofMillis(5))
                    .withDescription(
                            "The longest time that a record waits for its batch to fill; at least"
                                    + " 1 ms.");

    public static final ConfigOption<Long> HASH_SEED =
            ConfigOptions.key("sluice.window.hash-seed")
                    .longType()
                    .defaultValue(Hashing.SEED)
                    .withDescription(
                            "Seed of the hash of ids; 0 is the public one. With the job's own"
                                    + " random seed, nobody who chooses ids can choose some that"
                                    + " collide. Belongs to the state; a secret.");

    private WindowedOptions() {}

    /** Returns all of them. */
    public static List<ConfigOption<?>> all() {
        return List.of(
                WITHIN,
                FALSE_POSITIVE_PROBABILITY,
                MAX_FALSE_POSITIVE_PROBABILITY,
                MAX_MISSED_PER_DAY,
                LAYOUT,
                EXPECTING,
                MEMORY,
                ON_OVERFLOW,
                TIME_DOMAIN,
                FORGET_DURING_DOWNTIME,
                SHADOW_IDS,
                MAX_FUTURE,
                RESET_CLOCK,
                BATCH_RECORDS,
                BATCH_DELAY,
                HASH_SEED);
    }
}
