/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkOutputMultiplexer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.flink.util.clock.SystemClock;
import org.junit.jupiter.api.Test;

class StepwiseWatermarksTest {
    private final List<Long> marks = new ArrayList<>();
    private boolean idle;

    private final WatermarkOutput output =
            new WatermarkOutput() {
                @Override
                public void emitWatermark(Watermark watermark) {
                    marks.add(watermark.getTimestamp());
                    idle = false;
                }

                @Override
                public void markIdle() {
                    idle = true;
                }

                @Override
                public void markActive() {
                    idle = false;
                }
            };

    private static WatermarkGenerator<String> generator(Duration window) {
        return StepwiseWatermarks.<String>of(
                        WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(9)), window)
                .createWatermarkGenerator(
                        new WatermarkGeneratorSupplier.Context() {
                            @Override
                            public MetricGroup getMetricGroup() {
                                return new UnregisteredMetricsGroup();
                            }

                            @Override
                            public RelativeClock getInputActivityClock() {
                                return SystemClock.getInstance();
                            }
                        });
    }

    @Test
    void aWatermarkComesInEachStepAndNoneForTimesThatGoBack() {
        WatermarkGenerator<String> generator = generator(Duration.ofMillis(320));

        for (long time : new long[] {100, 101, 109, 110, 90, 119, 111, 120, 500}) {
            generator.onEvent("record", time, output);
        }

        assertThat(marks).containsExactly(90L, 100L, 110L, 490L);
    }

    @Test
    void aStepIsAtLeastAMillisecondAndTimesAtTheEndAreFine() {
        WatermarkGenerator<String> generator = generator(Duration.ofMillis(1));

        for (long time : new long[] {-5, -5, -4, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            generator.onEvent("record", time, output);
        }

        assertThat(marks).startsWith(-15L, -14L).hasSize(4).isSorted();
    }

    @Test
    void betweenTheStepsFlinkMayAskAsEver() {
        WatermarkGenerator<String> generator = generator(Duration.ofHours(1));
        generator.onEvent("record", 100, output);
        generator.onEvent("record", 150, output);

        generator.onPeriodicEmit(output);

        assertThat(marks).containsExactly(90L, 140L);
    }

    /** As Flink's sources combine partitions: immediately for records, deferred for the clock. */
    @Test
    void theLeastOfThePartitionsCountsAtOnce() {
        WatermarkOutputMultiplexer partitions = new WatermarkOutputMultiplexer(output);
        partitions.registerNewOutput("a");
        partitions.registerNewOutput("b");
        WatermarkGenerator<String> a = generator(Duration.ofMillis(320));
        WatermarkGenerator<String> b = generator(Duration.ofMillis(320));
        WatermarkOutput ofA = partitions.getImmediateOutput("a");
        WatermarkOutput ofB = partitions.getImmediateOutput("b");

        a.onEvent("record", 1000, ofA);
        assertThat(marks).as("nothing is known of the other").isEmpty();
        b.onEvent("record", 500, ofB);
        b.onEvent("record", 600, ofB);
        b.onEvent("record", 2000, ofB);
        a.onEvent("record", 1005, ofA);
        a.onEvent("record", 1500, ofA);
        partitions.getDeferredOutput("a").markIdle();
        partitions.onPeriodicEmit();
        assertThat(marks).containsExactly(490L, 590L, 990L, 1490L, 1990L);

        a.onEvent("record", 1501, ofA);
        b.onEvent("record", 3000, ofB);
        assertThat(marks).as("less than a step wakes no partition").last().isEqualTo(2990L);
        assertThat(idle).isFalse();
    }
}
