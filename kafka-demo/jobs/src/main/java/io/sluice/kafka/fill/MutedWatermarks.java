/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import java.io.Serializable;
import java.util.function.Predicate;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Watermarks that do not move for some records: those of an output, which are all read before the
 * input, and so would make all of the input late.
 *
 * @param strategy for the others
 * @param muted finds the records, which share their partition with no others
 * @param <T> type of the records
 */
public record MutedWatermarks<T>(WatermarkStrategy<T> strategy, SerializablePredicate<T> muted)
        implements WatermarkStrategy<T> {

    /** A predicate that is part of a job. */
    public interface SerializablePredicate<T> extends Predicate<T>, Serializable {}

    @Override
    public TimestampAssigner<T> createTimestampAssigner(TimestampAssignerSupplier.Context context) {
        return strategy.createTimestampAssigner(context);
    }

    @Override
    public WatermarkGenerator<T> createWatermarkGenerator(
            WatermarkGeneratorSupplier.Context context) {
        return new Generator<>(strategy.createWatermarkGenerator(context), muted);
    }

    /** Of one partition. */
    private static final class Generator<T> implements WatermarkGenerator<T> {
        private final WatermarkGenerator<T> generator;
        private final Predicate<T> muted;
        private boolean isMuted;

        Generator(WatermarkGenerator<T> generator, Predicate<T> muted) {
            this.generator = generator;
            this.muted = muted;
        }

        @Override
        public void onEvent(T event, long timestamp, WatermarkOutput output) {
            isMuted = muted.test(event);
            generator.onEvent(event, timestamp, output(output));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            generator.onPeriodicEmit(output(output));
        }

        private WatermarkOutput output(WatermarkOutput output) {
            return isMuted ? new Muted(output) : output;
        }
    }

    /** Passes on whether a partition is idle. */
    private record Muted(WatermarkOutput output) implements WatermarkOutput {
        @Override
        public void emitWatermark(Watermark watermark) {}

        @Override
        public void markIdle() {
            output.markIdle();
        }

        @Override
        public void markActive() {
            output.markActive();
        }
    }
}
