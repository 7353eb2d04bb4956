/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Watermarks that also follow the records, not the wall clock alone: one comes whenever the times
 * of a partition have advanced by a step. Flink asks for watermarks every 200 ms, which are hours
 * of event time when a backlog is read at full speed.
 *
 * <p>A source combines what is emitted for a record with the watermarks of its other partitions at
 * once, so the least of them still counts. Costs a comparison per record.
 *
 * @param <T> type of the records
 */
public final class StepwiseWatermarks<T> implements WatermarkStrategy<T> {
    private static final long serialVersionUID = 1L;

    /** Steps in a window: what is kept longer for want of a watermark is a small part of it. */
    private static final int STEPS = 32;

    private final WatermarkStrategy<T> base;
    private final long stepMillis;

    private StepwiseWatermarks(WatermarkStrategy<T> base, long stepMillis) {
        this.base = base;
        this.stepMillis = stepMillis;
    }

    /**
     * The watermarks of {@code base}, also in every 32nd of a window, of at least 1 ms.
     *
     * @param base gives a watermark whenever it is asked for one
     * @param window how long the job remembers records
     */
    public static <T> StepwiseWatermarks<T> of(WatermarkStrategy<T> base, Duration window) {
        return new StepwiseWatermarks<>(base, Math.max(1, window.dividedBy(STEPS).toMillis()));
    }

    @Override
    public WatermarkGenerator<T> createWatermarkGenerator(
            WatermarkGeneratorSupplier.Context context) {
        return new Generator<>(base.createWatermarkGenerator(context), stepMillis);
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
        private final long stepMillis;

        /** The first time that calls for a watermark. */
        private long next = Long.MIN_VALUE;

        Generator(WatermarkGenerator<T> base, long stepMillis) {
            this.base = base;
            this.stepMillis = stepMillis;
        }

        @Override
        public void onEvent(T event, long time, WatermarkOutput output) {
            base.onEvent(event, time, output);
            if (time >= next) {
                next = time > Long.MAX_VALUE - stepMillis ? Long.MAX_VALUE : time + stepMillis;
                base.onPeriodicEmit(output);
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            base.onPeriodicEmit(output);
        }
    }
}
