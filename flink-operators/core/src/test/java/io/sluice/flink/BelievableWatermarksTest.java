/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperatorFactory;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.clock.RelativeClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BelievableWatermarksTest {

    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long NOW = 1_800_000_000_000L;
    private static final long DECADES_AHEAD = NOW + 30 * 365 * 24 * HOUR;

    /** Not a field of the test, because Flink serializes the strategy and with it the clock. */
    private static long now;

    private final Output output = new Output();
    private final Group metrics = new Group();
    private final ManualClock inputClock = new ManualClock();

    private final WatermarkGeneratorSupplier.Context context =
            new WatermarkGeneratorSupplier.Context() {
                @Override
                public MetricGroup getMetricGroup() {
                    return metrics;
                }

                @Override
                public RelativeClock getInputActivityClock() {
                    return inputClock;
                }
            };

    @BeforeEach
    void setTheClock() {
        now = NOW;
    }

    @Test
    void aTimeDecadesAheadDoesNotMoveTheWatermark() {
        WatermarkGenerator<Long> generator = hourAhead(inOrder()).generator();

        feed(generator, NOW - 10);
        feed(generator, DECADES_AHEAD);
        feed(generator, NOW);
        feed(generator, Long.MAX_VALUE);

        assertThat(output.marks).containsExactly(NOW - 11, NOW - 11, NOW - 1, NOW - 1);
        assertThat(metrics.disbelieved()).isEqualTo(2);
    }

    @Test
    void timesUpToTheBoundAndFarInThePastAreBelieved() {
        WatermarkGenerator<Long> generator = hourAhead(inOrder()).generator();

        feed(generator, Long.MIN_VALUE + 1);
        feed(generator, -5L);
        feed(generator, NOW - 20 * 365 * 24 * HOUR);
        feed(generator, NOW + HOUR);

        assertThat(output.marks)
                .containsExactly(
                        Long.MIN_VALUE, -6L, NOW - 20 * 365 * 24 * HOUR - 1, NOW + HOUR - 1);
        feed(generator, NOW + HOUR + 1);
        assertThat(output.last()).isEqualTo(NOW + HOUR - 1);
        assertThat(metrics.disbelieved()).isEqualTo(1);
    }

    @Test
    void aTimeIsBelievedWhenTheWallClockHasComeNearIt() {
        WatermarkGenerator<Long> generator = hourAhead(inOrder()).generator();
        feed(generator, NOW + 2 * HOUR);
        assertThat(output.marks).containsExactly(Long.MIN_VALUE);

        now += HOUR;
        feed(generator, NOW + 2 * HOUR);

        assertThat(output.last()).isEqualTo(NOW + 2 * HOUR - 1);
        assertThat(metrics.disbelieved()).isEqualTo(1);
    }

    @Test
    void aWatermarkThatTheBaseItselfMakesTooFarAheadIsNotEmitted() {
        WatermarkStrategy<Long> whatTheRecordSays =
                WatermarkStrategy.forGenerator(
                        c ->
                                new WatermarkGenerator<>() {
                                    @Override
                                    public void onEvent(Long said, long time, WatermarkOutput out) {
                                        out.emitWatermark(new Watermark(said));
                                    }

                                    @Override
                                    public void onPeriodicEmit(WatermarkOutput out) {}
                                });
        WatermarkGenerator<Long> generator = hourAhead(whatTheRecordSays).generator();

        generator.onEvent(NOW, NOW, output);
        generator.onEvent(DECADES_AHEAD, NOW + 1, output);
        generator.onEvent(NOW + 2, NOW + 2, output);

        assertThat(output.marks).containsExactly(NOW, NOW + 2);
    }

    @Test
    void thePartitionsOfASubtaskShareOneMetric() {
        Believable believable = hourAhead(inOrder());
        WatermarkGenerator<Long> one = believable.generator();
        WatermarkGenerator<Long> other = believable.generator();

        feed(one, DECADES_AHEAD);
        feed(other, DECADES_AHEAD);
        feed(other, DECADES_AHEAD);

        assertThat(metrics.registered).isEqualTo(1);
        assertThat(metrics.disbelieved()).isEqualTo(3);
    }

    @Test
    void withoutAMetricGroupNothingIsCountedAndNothingFails() {
        WatermarkGeneratorSupplier.Context bare =
                new WatermarkGeneratorSupplier.Context() {
                    @Override
                    public MetricGroup getMetricGroup() {
                        return null;
                    }

                    @Override
                    public RelativeClock getInputActivityClock() {
                        return inputClock;
                    }
                };
        WatermarkGenerator<Long> generator =
                hourAhead(inOrder()).strategy.createWatermarkGenerator(bare);

        feed(generator, DECADES_AHEAD);
        feed(generator, NOW);

        assertThat(output.last()).isEqualTo(NOW - 1);
    }

    @Test
    void aPartitionWithWildTimesOnlyBecomesIdleWhereTheBaseHasIdleness() {
        WatermarkGenerator<Long> generator =
                hourAhead(inOrder().withIdleness(Duration.ofSeconds(10))).generator();
        feed(generator, NOW);
        assertThat(output.idle).isFalse();

        for (int second = 0; second <= 12; second++) {
            feed(generator, DECADES_AHEAD);
            inputClock.advanceTime(Duration.ofSeconds(1));
        }
        assertThat(output.idle).isTrue();

        feed(generator, NOW + 5);
        assertThat(output.idle).isFalse();
        assertThat(output.last()).isEqualTo(NOW + 4);
    }

    @Test
    void theAlignmentOfTheBaseIsKept() {
        WatermarkStrategy<Long> aligned =
                inOrder().withWatermarkAlignment("group", Duration.ofSeconds(3));

        assertThat(hourAhead(aligned).strategy.getAlignmentParameters())
                .usingRecursiveComparison()
                .isEqualTo(aligned.getAlignmentParameters());
        assertThat(
                        BelievableWatermarks.of(inOrder(), Duration.ofHours(1))
                                .withWatermarkAlignment("group", Duration.ofSeconds(3))
                                .getAlignmentParameters()
                                .isEnabled())
                .isTrue();
    }

    @Test
    void aDisbelievedRecordPassesWithItsTimestamp() throws Exception {
        WatermarkStrategy<Long> strategy =
                InstantiationUtil.clone(
                        hourAhead(inOrder().withTimestampAssigner((time, before) -> time))
                                .strategy);
        OneInputStreamOperatorTestHarness<Long, Long> harness =
                new OneInputStreamOperatorTestHarness<>(
                        new TimestampsAndWatermarksOperatorFactory<>(strategy, true));
        harness.getExecutionConfig().setAutoWatermarkInterval(50);
        harness.open();
        harness.processElement(new StreamRecord<>(NOW));
        harness.processElement(new StreamRecord<>(DECADES_AHEAD));
        harness.setProcessingTime(50);
        harness.processElement(new StreamRecord<>(NOW + 7));
        harness.setProcessingTime(100);

        assertThat(harness.getOutput())
                .containsExactly(
                        new StreamRecord<>(NOW, NOW),
                        new StreamRecord<>(DECADES_AHEAD, DECADES_AHEAD),
                        mark(NOW - 1),
                        new StreamRecord<>(NOW + 7, NOW + 7),
                        mark(NOW + 6));
        harness.close();
    }

    @Test
    void itIsLoggedOnceAMinuteAtMost() {
        try (LoggedLines lines = LoggedLines.of(BelievableWatermarks.class)) {
            WatermarkGenerator<Long> generator = hourAhead(inOrder()).generator();
            feed(generator, DECADES_AHEAD);
            feed(generator, DECADES_AHEAD);
            now += 59_999;
            feed(generator, DECADES_AHEAD);
            assertThat(lines.all()).hasSize(1);
            assertThat(lines.all().get(0))
                    .contains(Long.toString(DECADES_AHEAD), "3600000 ms", "raise maxAhead");

            now += 1;
            feed(generator, DECADES_AHEAD);
            assertThat(lines.all()).hasSize(2);
            assertThat(lines.all().get(1)).contains("There were 4 of them");
        }
    }

    @Test
    void anyBoundButANegativeOneIsTaken() {
        assertThatThrownBy(() -> BelievableWatermarks.of(inOrder(), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxAhead must be at least 0, but is PT-0.001S");
        WatermarkGenerator<Long> endless =
                new Believable(
                                new BelievableWatermarks<>(
                                        inOrder(), Duration.ofSeconds(Long.MAX_VALUE), () -> now))
                        .generator();
        feed(endless, Long.MAX_VALUE - 1);
        assertThat(output.last()).isEqualTo(Long.MAX_VALUE - 2);
    }

    private Believable hourAhead(WatermarkStrategy<Long> base) {
        return new Believable(new BelievableWatermarks<>(base, Duration.ofHours(1), () -> now));
    }

    private static WatermarkStrategy<Long> inOrder() {
        return WatermarkStrategy.forMonotonousTimestamps();
    }

    private static org.apache.flink.streaming.api.watermark.Watermark mark(long time) {
        return new org.apache.flink.streaming.api.watermark.Watermark(time);
    }

    private void feed(WatermarkGenerator<Long> generator, long time) {
        generator.onEvent(time, time, output);
        generator.onPeriodicEmit(output);
    }

    private final class Believable {
        private final BelievableWatermarks<Long> strategy;

        Believable(BelievableWatermarks<Long> strategy) {
            this.strategy = strategy;
        }

        WatermarkGenerator<Long> generator() {
            return strategy.createWatermarkGenerator(context);
        }
    }

    private static final class Output implements WatermarkOutput {
        private final List<Long> marks = new ArrayList<>();
        private boolean idle;

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

        long last() {
            return marks.get(marks.size() - 1);
        }
    }

    private static final class Group extends UnregisteredMetricsGroup {
        private final Map<String, Counter> counters = new HashMap<>();
        private int registered;

        @Override
        public MetricGroup addGroup(String name) {
            assertThat(name).isEqualTo(BelievableWatermarks.GROUP);
            return this;
        }

        @Override
        public <C extends Counter> C counter(String name, C counter) {
            registered++;
            counters.put(name, counter);
            return counter;
        }

        long disbelieved() {
            return counters.get(BelievableWatermarks.DISBELIEVED).getCount();
        }
    }
}
