/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.plane.Layout;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * The options that every operator with a window of ids has. See {@link WindowSettings} for ranges;
 * everything is checked together when the operator is applied.
 *
 * @param <B> the builder itself
 */
@PublicEvolving
public abstract class WindowedBuilder<B extends WindowedBuilder<B>> {

    private @Nullable String uid;
    private final Configuration options = new Configuration();

    protected WindowedBuilder() {}

    protected abstract B self();

    /**
     * Required. The name under which savepoints keep the operator's state: without one the state is
     * lost with the first edit of the job.
     */
    public B uid(String uid) {
        this.uid = requireNonNull(uid, "uid");
        return self();
    }

    /**
     * Required. The guaranteed window: how long after the first occurrence a duplicate is still
     * recognised.
     */
    public B within(Duration window) {
        return set(WindowedOptions.WITHIN, window);
    }

    /** Probability of taking a first occurrence for a duplicate. Default 1e-6. */
    public B falsePositiveProbability(double fpp) {
        return set(WindowedOptions.FALSE_POSITIVE_PROBABILITY, fpp);
    }

    /**
     * Sets the highest value that this probability may reach when rate and window need more than
     * {@link #memory}; beyond it the oldest ids are forgotten early, counted in the metric {@code
     * overflows}. At least {@link #falsePositiveProbability} and below 1; default ten times as
     * much.
     */
    public B maxFalsePositiveProbability(double maxFpp) {
        return set(WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY, maxFpp);
    }

    /**
     * Sets the probability by what it costs: how many first occurrences are taken for duplicates
     * per day, on average, in all subtasks together. The probability is this number divided by the
     * ids of a day at the rate of {@link #expecting}, which must be set; at most 0.25. It does not
     * rise under pressure either, unless {@link #maxFalsePositiveProbability} is set. More than 0.
     * Excludes {@link #falsePositiveProbability}.
     */
    public B maxMissedPerDay(double firstOccurrences) {
        return set(WindowedOptions.MAX_MISSED_PER_DAY, firstOccurrences);
    }

    /**
     * Sets how ids are laid out in the filters; may be changed at a restore. Default: of the two
     * layouts with one cache line per id, the one that takes less memory for the probability.
     */
    public B layout(Layout layout) {
        return set(WindowedOptions.LAYOUT, layout);
    }

    /**
     * New ids per second of the whole stream, for the size of the first filters; they adapt when it
     * is wrong. Default 1000.
     */
    public B expecting(long idsPerSecond) {
        return set(WindowedOptions.EXPECTING, idsPerSecond);
    }

    /**
     * Cap on the memory of one subtask's filters. Default 256 MiB. Two things may exceed it until
     * enough was forgotten: what a restore brings, and the smallest filter of each key group that
     * has ids: 1.3 KiB each at the default probability, so up to 42 MiB with 32,768 key groups in
     * one subtask. A warning names both numbers. {@code Deduplicate} keeps a window of event time
     * that does not fit on local disk instead.
     */
    public B memory(MemorySize memory) {
        return set(WindowedOptions.MEMORY, memory);
    }

    /**
     * Sets what gives when rate, window and probability do not fit into the memory. Default {@link
     * OverflowPolicy#FORGET_OLDEST}. Where this is not set, {@code Deduplicate} keeps such a window
     * of event time on disk.
     */
    public B onOverflow(OverflowPolicy overflow) {
        return set(WindowedOptions.ON_OVERFLOW, overflow);
    }

    /** Sets the clock of forgetting. Default {@link TimeDomain#EVENT}. */
    public B timeDomain(TimeDomain timeDomain) {
        return set(WindowedOptions.TIME_DOMAIN, timeDomain);
    }

    /**
     * Processing time only: after a restore, forget as if the job had run all the time. By default
     * the clock stands still while the job is down.
     */
    public B forgetDuringDowntime() {
        return set(WindowedOptions.FORGET_DURING_DOWNTIME, true);
    }

    /**
     * Sets how many ids per subtask are at most also kept exactly, to measure how often first
     * occurrences are actually dropped. Default 16384 (up to 1 MiB); 0 switches the measurement
     * off.
     */
    public B shadowIds(int ids) {
        return set(WindowedOptions.SHADOW_IDS, ids);
    }

    /**
     * Event time only: how far ahead of the wall clock, or of a watermark that is ahead of it, a
     * timestamp is believed. A record further ahead is decided by its own time too, but forgotten
     * as if it were exactly that far ahead: a wild timestamp does not hold memory for ever. It is
     * counted, and passes on unchanged. How far the watermark trails the wall clock, as in a
     * backlog, makes no difference in memory; on disk a timestamp is also believed only up to a
     * window and this ahead of the watermark. Default: one hour.
     */
    public B maxFuture(Duration maxFuture) {
        return set(WindowedOptions.MAX_FUTURE, maxFuture);
    }

    /**
     * Event time only: when the job starts from a checkpoint or savepoint, the clock of forgetting
     * is unknown until the next watermark sets it, even to an earlier time. For a job whose
     * watermark ran away after a wild timestamp: without this, records with right timestamps are
     * late until event time has caught up. Ids that are held stay held. Until that watermark comes,
     * records are not late and ids are not forgotten by time. Leave it off in a healthy job: to
     * recognise duplicates as old as the window, it needs the clock from before.
     */
    public B resetClock() {
        return set(WindowedOptions.RESET_CLOCK, true);
    }

    /**
     * Sets how many records are looked up together, and the longest time that one waits for the
     * others. The lookups of a batch wait for memory together, which is several times as fast when
     * the filter is larger than the processor's caches. Records keep their order. Default: 16
     * records, 5 ms; a batch of 1 decides each record at once. Engines with exact state, contents
     * on disk, and counters without a filter do not use batches.
     */
    public B batch(int records, Duration delay) {
        set(WindowedOptions.BATCH_RECORDS, records);
        return set(WindowedOptions.BATCH_DELAY, delay);
    }

    /**
     * Seed of the hash of ids, any number; 0, the default, is a public one. Ids are known by 64
     * bits of hash. With the public seed, anyone can construct ids that collide, so anyone who
     * chooses ids can get the first occurrence of one dropped by sending another before it: give a
     * job whose ids come from strangers its own random seed. It has no cost per record.
     *
     * <p>The seed belongs to the state: a restore with another one is refused. It is a secret:
     * state and messages contain only a check value, but the job graph contains the seed, and so
     * does the configuration if it is set there. No seed helps against chance: with {@code n} ids
     * held, a new one collides with probability {@code n / 2^64}, which is 1e-12 at 1.8e7 ids.
     */
    public B hashSeed(long seed) {
        return set(WindowedOptions.HASH_SEED, seed);
    }

    /** Takes every option of {@link WindowedOptions} that {@code configuration} sets. */
    public B configure(ReadableConfig configuration) {
        return configure(configuration, WindowedOptions.all());
    }

    /** Takes those of {@code known} that {@code configuration} sets. */
    @Internal
    protected final B configure(ReadableConfig configuration, List<ConfigOption<?>> known) {
        known.forEach(option -> copy(configuration, option));
        return self();
    }

    private <V> void copy(ReadableConfig configuration, ConfigOption<V> option) {
        configuration.getOptional(option).ifPresent(value -> set(option, value));
    }

    /** Sets one option. */
    @Internal
    protected final <V> B set(ConfigOption<V> option, V value) {
        options.set(option, requireNonNull(value, OptionException.inBuilder(option, null)));
        return self();
    }

    /** What is set, and the defaults of the rest. */
    @Internal
    protected final ReadableConfig options() {
        return options;
    }

    /**
     * Checks the options, one by one and against each other, as is done when the operator is
     * applied.
     *
     * @throws OptionException naming option, bound, value and remedy
     */
    public void check() {
        WindowSettings unused = settings();
        Batching unusedToo = batching();
    }

    /** The uid, validated. */
    protected final String requireUid() {
        return Uid.require(uid);
    }

    /** Seed of the hash of ids; not part of the settings, because those are printed. */
    protected final long hashSeed() {
        return options.get(WindowedOptions.HASH_SEED);
    }

    /** Returns the batches, validated. */
    @Internal
    protected final Batching batching() {
        return Batching.of(
                options.get(WindowedOptions.BATCH_RECORDS),
                options.get(WindowedOptions.BATCH_DELAY));
    }

    /** All settings, validated one by one and against each other. */
    @Internal
    protected final WindowSettings settings() {
        return settings(
                options.getOptional(WindowedOptions.WITHIN)
                        .orElseThrow(
                                () ->
                                        new OptionException(
                                                WindowedOptions.WITHIN,
                                                " is required, but is not set: give the time in"
                                                        + " which a duplicate may follow its"
                                                        + " first.")));
    }

    /** Returns the same with this window. */
    @Internal
    protected final WindowSettings settings(Duration window) {
        return WindowSettings.of(options, window);
    }
}
