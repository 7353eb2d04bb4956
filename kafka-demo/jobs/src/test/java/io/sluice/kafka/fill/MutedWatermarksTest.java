/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.junit.jupiter.api.Test;

class MutedWatermarksTest {
    private final List<String> emitted = new ArrayList<>();

    private final WatermarkOutput output =
            new WatermarkOutput() {
                @Override
                public void emitWatermark(Watermark watermark) {
                    emitted.add(Long.toString(watermark.getTimestamp()));
                }

                @Override
                public void markIdle() {
                    emitted.add("idle");
                }

                @Override
                public void markActive() {
                    emitted.add("active");
                }
            };

    /** Says at once what it is asked to say: a time, or whether it is idle. */
    private static final class Speaking implements WatermarkGenerator<String> {
        private long last;

        @Override
        public void onEvent(String event, long timestamp, WatermarkOutput output) {
            last = timestamp;
            output.markActive();
            output.emitWatermark(new Watermark(timestamp));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            output.emitWatermark(new Watermark(last));
            output.markIdle();
        }
    }

    private static WatermarkStrategy<String> muted(WatermarkStrategy<String> strategy) {
        return new MutedWatermarks<>(strategy, "seen"::equals);
    }

    @Test
    void timeDoesNotMoveForWhatIsMutedAndIdlenessIsPassedOn() {
        WatermarkGenerator<String> seen =
                muted(context -> new Speaking()).createWatermarkGenerator(null);
        seen.onEvent("seen", 7, output);
        seen.onPeriodicEmit(output);
        assertThat(emitted).containsExactly("active", "idle");

        emitted.clear();
        WatermarkGenerator<String> other =
                muted(context -> new Speaking()).createWatermarkGenerator(null);
        other.onEvent("new", 3, output);
        other.onPeriodicEmit(output);
        assertThat(emitted).containsExactly("active", "3", "3", "idle");
    }

    @Test
    void timestampsAreThoseOfTheStrategy() {
        WatermarkStrategy<String> strategy =
                muted(
                        WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ZERO)
                                .withTimestampAssigner((text, kafka) -> text.length()));
        assertThat(strategy.createTimestampAssigner(null).extractTimestamp("seen", 99))
                .isEqualTo(4);
    }
}
