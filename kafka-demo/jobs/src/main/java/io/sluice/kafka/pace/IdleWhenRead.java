/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.sluice.kafka.pace.PartitionLags.Backlog;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.util.clock.RelativeClock;

/**
 * Idleness that distinguishes silent partitions from waiting ones: a partition is idle when it has
 * given no event time for a while <em>and</em> everything that was there then has been read. An
 * idle partition that gets records becomes active before they are read.
 *
 * <p>Otherwise a backlog would count as idleness: while one partition is read, the others are
 * silent, event time runs ahead of them, and all their records are late.
 *
 * @param <T> type of the records
 */
public final class IdleWhenRead<T> implements WatermarkStrategy<T> {
    private static final long serialVersionUID = 1L;

    /** The time of a record that has none. */
    private static final long NO_TIME = Long.MIN_VALUE;

    private final WatermarkStrategy<T> base;
    private final Duration idleness;
    private final PartitionLags lags;

    /**
     * @param base without its own idleness
     * @param idleness how long a partition must be silent
     * @param lags the object that the {@link LagAwareSource} also has
     */
    public IdleWhenRead(WatermarkStrategy<T> base, Duration idleness, PartitionLags lags) {
        this.base = base;
        this.idleness = idleness;
        this.lags = lags;
    }

    @Override
    public WatermarkGenerator<T> createWatermarkGenerator(
            WatermarkGeneratorSupplier.Context context) {
        if (!lags.isOpen()) {
            throw new IllegalStateException(
                    "these watermarks belong to a LagAwareSource with the same PartitionLags");
        }
        return new Generator<>(
                base.createWatermarkGenerator(context),
                idleness,
                lags,
                context.getInputActivityClock());
    }

    @Override
    public TimestampAssigner<T> createTimestampAssigner(TimestampAssignerSupplier.Context context) {
        return base.createTimestampAssigner(context);
    }

    @Override
    public WatermarkAlignmentParams getAlignmentParameters() {
        return base.getAlignmentParameters();
    }

    private static final class Generator<T> implements WatermarkGenerator<T> {
        private final WatermarkGenerator<T> base;
        private final long idleNanos;
        private final PartitionLags lags;
        private final RelativeClock clock;

        /** The partition whose records come here; unknown before the first record. */
        private @Nullable PartitionLags.Partition partition;

        private boolean touched = true;
        private boolean idle;
        private long silentSince;

        Generator(
                WatermarkGenerator<T> base,
                Duration idleness,
                PartitionLags lags,
                RelativeClock clock) {
            this.base = base;
            this.idleNanos = NANOSECONDS.convert(idleness);
            this.lags = lags;
            this.clock = clock;
        }

        @Override
        public void onEvent(T event, long time, WatermarkOutput output) {
            if (partition == null) {
                partition = lags.claim();
            }
            // An unreadable record has no time, and does not keep the partition active.
            if (time != NO_TIME) {
                touched = true;
                lags.reached(partition, time);
                base.onEvent(event, time, output);
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            lags.exchange(System.nanoTime());
            long now = clock.relativeTimeNanos();
            if (touched) {
                touched = false;
                idle = false;
                silentSince = now;
                lags.wasActive(partition);
            } else if (now - silentSince >= idleNanos) {
                judge(output, lags.backlog(partition, now));
            }
            if (!idle) {
                base.onPeriodicEmit(output);
            }
        }

        private void judge(WatermarkOutput output, Backlog backlog) {
            if (backlog == Backlog.NONE && !idle) {
                idle = true;
                output.markIdle();
            } else if (backlog == Backlog.SOME && idle) {
                idle = false;
                output.markActive();
            }
        }
    }
}
