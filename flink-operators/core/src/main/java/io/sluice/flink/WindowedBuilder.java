/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.plane.Layout;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
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
    private @Nullable Duration window;
    private double fpp = WindowedOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();
    private @Nullable Double maxFpp;
    private @Nullable Layout layout;
    private long idsPerSecond = WindowedOptions.EXPECTING.defaultValue();
    private MemorySize memory = WindowedOptions.MEMORY.defaultValue();
    private OverflowPolicy overflow = WindowedOptions.ON_OVERFLOW.defaultValue();
    private TimeDomain timeDomain = WindowedOptions.TIME_DOMAIN.defaultValue();
    private boolean forgetDuringDowntime = WindowedOptions.FORGET_DURING_DOWNTIME.defaultValue();
    private int shadowIds = WindowedOptions.SHADOW_IDS.defaultValue();

    private @Nullable Duration maxFuture;
    private boolean resetClock = WindowedOptions.RESET_CLOCK.defaultValue();
    private int batchRecords = WindowedOptions.BATCH_RECORDS.defaultValue();
    private Duration batchDelay = WindowedOptions.BATCH_DELAY.defaultValue();
    private long hashSeed = WindowedOptions.HASH_SEED.defaultValue();

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
        this.window = requireNonNull(window, "within");
        return self();
    }

    /** Probability of taking a first occurrence for a duplicate. Default 1e-6. */
    public B falsePositiveProbability(double fpp) {
        this.fpp = fpp;
        return self();
    }

    /**
     * Sets the highest value that this probability may reach when rate and window need more than
     * {@link #memory}; beyond it the oldest ids are forgotten early, counted in the metric {@code
     * overflows}. At least {@link #falsePositiveProbability} and below 1; default ten times as
     * much.
     */
    public B maxFalsePositiveProbability(double maxFpp) {
        this.maxFpp = maxFpp;
        return self();
    }

    /**
     * Sets how ids are laid out in the filters; may be changed at a restore. Default: of the two
     * layouts with one cache line per id, the one that takes less memory for the probability.
     */
    public B layout(Layout layout) {
        this.layout = requireNonNull(layout, "layout");
        return self();
    }

    /**
     * New ids per second of the whole stream, for the size of the first filters; they adapt when it
     * is wrong. Default 1000.
     */
    public B expecting(long idsPerSecond) {
        this.idsPerSecond = idsPerSecond;
        return self();
    }

    /**
     * Cap on the memory of one subtask's filters. Default 256 MiB. Two things may exceed it until
     * enough was forgotten: what a restore brings, and the smallest filter of each key group that
     * has ids: 1.3 KiB each at the default probability, so up to 42 MiB with 32,768 key groups in
     * one subtask. A warning at construction and at start names both numbers.
     */
    public B memory(MemorySize memory) {
        this.memory = requireNonNull(memory, "memory");
        return self();
    }

    /**
     * Sets what gives when rate, window and probability do not fit into the memory. Default {@link
     * OverflowPolicy#FORGET_OLDEST}.
     */
    public B onOverflow(OverflowPolicy overflow) {
        this.overflow = requireNonNull(overflow, "onOverflow");
        return self();
    }

    /** Sets the clock of forgetting. Default {@link TimeDomain#EVENT}. */
    public B timeDomain(TimeDomain timeDomain) {
        this.timeDomain = requireNonNull(timeDomain, "timeDomain");
        return self();
    }

    /**
     * Processing time only: after a restore, forget as if the job had run all the time. By default
     * the clock stands still while the job is down.
     */
    public B forgetDuringDowntime() {
        this.forgetDuringDowntime = true;
        return self();
    }

    /**
     * Sets how many ids per subtask are at most also kept exactly, to measure how often first
     * occurrences are actually dropped. Default 16384 (up to 1 MiB); 0 switches the measurement
     * off.
     */
    public B shadowIds(int ids) {
        this.shadowIds = ids;
        return self();
    }

    /**
     * Event time only: how far ahead of the wall clock, or of a watermark that is ahead of it, a
     * timestamp is believed. A record further ahead is decided by its own time too, but forgotten
     * as if it were exactly that far ahead: a wild timestamp does not hold memory for ever. It is
     * counted, and passes on unchanged. How far the watermark trails the wall clock, as in a
     * backlog, makes no difference. Default: one hour.
     */
    public B maxFuture(Duration maxFuture) {
        this.maxFuture = requireNonNull(maxFuture, "maxFuture");
        return self();
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
        this.resetClock = true;
        return self();
    }

    /**
     * Sets how many records are looked up together, and the longest time that one waits for the
     * others. The lookups of a batch wait for memory together, which is several times as fast when
     * the filter is larger than the processor's caches. Records keep their order. Default: 16
     * records, 5 ms; a batch of 1 decides each record at once. Engines with exact state and
     * counters without a filter do not use batches.
     */
    public B batch(int records, Duration delay) {
        this.batchRecords = records;
        this.batchDelay = requireNonNull(delay, "delay");
        return self();
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
        this.hashSeed = seed;
        return self();
    }

    /** Takes every option of {@link WindowedOptions} that {@code configuration} sets. */
    public B configure(ReadableConfig configuration) {
        configuration.getOptional(WindowedOptions.WITHIN).ifPresent(this::within);
        configuration
                .getOptional(WindowedOptions.FALSE_POSITIVE_PROBABILITY)
                .ifPresent(this::falsePositiveProbability);
        configuration
                .getOptional(WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY)
                .ifPresent(this::maxFalsePositiveProbability);
        configuration.getOptional(WindowedOptions.LAYOUT).ifPresent(this::layout);
        configuration.getOptional(WindowedOptions.EXPECTING).ifPresent(this::expecting);
        configuration.getOptional(WindowedOptions.MEMORY).ifPresent(this::memory);
        configuration.getOptional(WindowedOptions.ON_OVERFLOW).ifPresent(this::onOverflow);
        configuration.getOptional(WindowedOptions.TIME_DOMAIN).ifPresent(this::timeDomain);
        configuration
                .getOptional(WindowedOptions.FORGET_DURING_DOWNTIME)
                .ifPresent(forget -> this.forgetDuringDowntime = forget);
        configuration.getOptional(WindowedOptions.SHADOW_IDS).ifPresent(this::shadowIds);
        configuration.getOptional(WindowedOptions.MAX_FUTURE).ifPresent(this::maxFuture);
        configuration
                .getOptional(WindowedOptions.RESET_CLOCK)
                .ifPresent(reset -> this.resetClock = reset);
        configuration
                .getOptional(WindowedOptions.BATCH_RECORDS)
                .ifPresent(records -> this.batchRecords = records);
        configuration
                .getOptional(WindowedOptions.BATCH_DELAY)
                .ifPresent(delay -> this.batchDelay = delay);
        configuration.getOptional(WindowedOptions.HASH_SEED).ifPresent(this::hashSeed);
        return self();
    }

    /** Returns the uid, validated. */
    protected final String requireUid() {
        return Uid.require(uid);
    }

    /** Seed of the hash of ids; not part of the settings, because those are printed. */
    protected final long hashSeed() {
        return hashSeed;
    }

    /** Returns the batches, validated. */
    @Internal
    protected final Batching batching() {
        return Batching.of(batchRecords, batchDelay);
    }

    /** Returns whether a window was given. */
    @Internal
    protected final boolean hasWindow() {
        return window != null;
    }

    /** All settings, validated one by one and against each other. */
    @Internal
    protected final WindowSettings settings() {
        if (window == null) {
            throw new IllegalArgumentException(
                    "within is required, but is not set: call within(Duration) with the time in"
                            + " which a duplicate may follow its first.");
        }
        return settings(window);
    }

    /** Returns the same with this window. */
    @Internal
    protected final WindowSettings settings(Duration window) {
        return new WindowSettings(
                window,
                fpp,
                idsPerSecond,
                memory,
                overflow,
                timeDomain,
                forgetDuringDowntime,
                shadowIds,
                maxFuture,
                resetClock,
                maxFpp,
                layout);
    }
}
