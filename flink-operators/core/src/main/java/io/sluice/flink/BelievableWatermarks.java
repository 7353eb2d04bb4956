/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import javax.annotation.Nullable;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watermarks that one wild timestamp cannot spoil: a time further ahead of the wall clock than a
 * bound does not move them. Without this, a single record of the year 2106 ends event time:
 * everything after it is late.
 *
 * <pre>{@code
 * WatermarkStrategy<Order> times = BelievableWatermarks.of(
 *         WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))
 *                 .withTimestampAssigner((order, kafkaTime) -> order.millis())
 *                 .withIdleness(Duration.ofMinutes(1)),
 *         Duration.ofHours(1));
 * }</pre>
 *
 * <p>Only the future is disbelieved: event time may be as far in the past as it likes, so old data
 * can be read again. A record that is disbelieved passes with its timestamp, and is counted in
 * {@value #DISBELIEVED} of the group {@value #GROUP}; at most one line a minute is logged. Such a
 * record does not keep its partition active either: if the base strategy has idleness, a partition
 * with only such times becomes idle. If all times are ahead because the producers' clocks are,
 * event time never starts: raise the bound.
 *
 * <p>Timestamps, idleness and watermark alignment are those of the base strategy. A watermark that
 * the base places further ahead than the bound is not emitted. Costs a comparison per record; the
 * clock is read only for times that may be ahead of it.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public final class BelievableWatermarks<T> implements WatermarkStrategy<T> {

    /** Group of the metric, within the operator's group. */
    public static final String GROUP = "sluice";

    /** Counts records whose time was not believed, since the subtask started. */
    public static final String DISBELIEVED = "disbelievedTimes";

    private static final Logger LOG = LoggerFactory.getLogger(BelievableWatermarks.class);

    private static final long LOG_MILLIS = 60_000;

    /** The wall clock, in ms since 1970. */
    @FunctionalInterface
    interface WallClock extends Serializable {
        long millis();
    }

    private final WatermarkStrategy<T> base;
    private final long maxAheadMillis;
    private final WallClock clock;

    /** Shared by the generators of all partitions of a subtask, like their metric group. */
    private transient @Nullable Disbelief disbelief;

    BelievableWatermarks(WatermarkStrategy<T> base, Duration maxAhead, WallClock clock) {
        this.base = requireNonNull(base, "base");
        this.clock = requireNonNull(clock, "clock");
        if (maxAhead.isNegative()) {
            throw new IllegalArgumentException(
                    "maxAhead must be at least 0, but is "
                            + maxAhead
                            + ": give how far ahead of the wall clock a time may be.");
        }
        this.maxAheadMillis = MILLISECONDS.convert(maxAhead);
    }

    /**
     * Wraps {@code base} so that it does not believe times further ahead of the wall clock than
     * {@code maxAhead}.
     *
     * @param base with timestamps and, if wanted, idleness and alignment
     * @param maxAhead at least 0; how wrong the producers' clocks may be, plus a margin
     */
    public static <T> BelievableWatermarks<T> of(WatermarkStrategy<T> base, Duration maxAhead) {
        return new BelievableWatermarks<>(base, maxAhead, System::currentTimeMillis);
    }

    /** {@link WatermarkStrategy#forBoundedOutOfOrderness}, wrapped by {@link #of}. */
    public static <T> BelievableWatermarks<T> forBoundedOutOfOrderness(
            Duration outOfOrderness, Duration maxAhead) {
        return of(WatermarkStrategy.forBoundedOutOfOrderness(outOfOrderness), maxAhead);
    }

    @Override
    public WatermarkGenerator<T> createWatermarkGenerator(
            WatermarkGeneratorSupplier.Context context) {
        MetricGroup group = context.getMetricGroup();
        if (disbelief == null || disbelief.group != group) {
            disbelief = new Disbelief(group, clock, maxAheadMillis);
        }
        return new Generator<>(base.createWatermarkGenerator(context), disbelief);
    }

    @Override
    public TimestampAssigner<T> createTimestampAssigner(TimestampAssignerSupplier.Context context) {
        return base.createTimestampAssigner(context);
    }

    @Override
    public WatermarkAlignmentParams getAlignmentParameters() {
        return base.getAlignmentParameters();
    }

    /** What is believed, and what was not. */
    private static final class Disbelief {

        private final @Nullable MetricGroup group;
        private final WallClock clock;
        private final long maxAheadMillis;
        private final Counter count = new SimpleCounter();

        /** No time up to this one is ahead: the clock has already reached it. */
        private long believedUpTo = Long.MIN_VALUE;

        private long nextLog = Long.MIN_VALUE;

        Disbelief(@Nullable MetricGroup group, WallClock clock, long maxAheadMillis) {
            this.group = group;
            this.clock = clock;
            this.maxAheadMillis = maxAheadMillis;
            if (group != null) {
                group.addGroup(GROUP).counter(DISBELIEVED, count);
            }
        }

        boolean believes(long time) {
            return time <= believedUpTo || time <= readClock();
        }

        private long readClock() {
            long now = clock.millis();
            believedUpTo =
                    now > Long.MAX_VALUE - maxAheadMillis ? Long.MAX_VALUE : now + maxAheadMillis;
            return believedUpTo;
        }

        void countTime(long time) {
            count.inc();
            long now = clock.millis();
            if (now >= nextLog) {
                nextLog = now + LOG_MILLIS;
                LOG.warn(
                        "A record has the time {} ({}), {} ms ahead of the wall clock; maxAhead is"
                                + " {} ms. It passes, but does not move the watermark. There were"
                                + " {} of them since the subtask started. If they are right, raise"
                                + " maxAhead.",
                        time,
                        Instant.ofEpochMilli(time),
                        time - now,
                        maxAheadMillis,
                        count.getCount());
            }
        }
    }

    /** Keeps wild times away from the base, and its wild watermarks away from the output. */
    private static final class Generator<T> implements WatermarkGenerator<T> {

        private final WatermarkGenerator<T> base;
        private final Disbelief disbelief;
        private final BelievableOutput believable;

        Generator(WatermarkGenerator<T> base, Disbelief disbelief) {
            this.base = requireNonNull(base, "base");
            this.disbelief = disbelief;
            this.believable = new BelievableOutput(disbelief);
        }

        @Override
        public void onEvent(T event, long time, WatermarkOutput output) {
            if (disbelief.believes(time)) {
                base.onEvent(event, time, believable.to(output));
            } else {
                disbelief.countTime(time);
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            base.onPeriodicEmit(believable.to(output));
        }
    }

    /** Passes on what is believable. One object serves all calls, so records do not allocate. */
    private static final class BelievableOutput implements WatermarkOutput {

        private final Disbelief disbelief;
        private @Nullable WatermarkOutput output;

        BelievableOutput(Disbelief disbelief) {
            this.disbelief = disbelief;
        }

        BelievableOutput to(WatermarkOutput receiver) {
            output = receiver;
            return this;
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            if (disbelief.believes(watermark.getTimestamp())) {
                requireNonNull(output).emitWatermark(watermark);
            }
        }

        @Override
        public void markIdle() {
            requireNonNull(output).markIdle();
        }

        @Override
        public void markActive() {
            requireNonNull(output).markActive();
        }
    }
}
