/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.BelievableWatermarks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

/** Records may be 10 ms late, and 60 s ahead. */
class SteadyWatermarksTest {
    private static final long DAY = Duration.ofDays(1).toMillis();

    private final List<Long> marks = new ArrayList<>();
    private Counter disbelieved;

    private final WatermarkOutput output =
            new WatermarkOutput() {
                @Override
                public void emitWatermark(Watermark mark) {
                    marks.add(mark.getTimestamp());
                }

                @Override
                public void markIdle() {
                    throw new AssertionError("a capture is never idle");
                }

                @Override
                public void markActive() {
                    throw new AssertionError("a capture is never idle");
                }
            };

    private final class Group extends UnregisteredMetricsGroup {
        @Override
        public org.apache.flink.metrics.MetricGroup addGroup(String name) {
            assertThat(name).isEqualTo(BelievableWatermarks.GROUP);
            return this;
        }

        @Override
        public <C extends Counter> C counter(String name, C counter) {
            assertThat(name).isEqualTo(BelievableWatermarks.DISBELIEVED);
            disbelieved = counter;
            return counter;
        }
    }

    private List<Long> marks(Duration maxAhead, long... times) {
        marks.clear();
        SteadyWatermarks<Long> watermarks =
                new SteadyWatermarks<>(Duration.ofMillis(10), maxAhead, new Group());
        for (long time : times) {
            watermarks.onEvent(time, time, output);
            watermarks.onPeriodicEmit(output);
        }
        assertThat(marks).isSorted().doesNotHaveDuplicates();
        return marks;
    }

    private List<Long> marks(long... times) {
        return marks(Duration.ofSeconds(60), times);
    }

    @Test
    void oneComesASecondOfEventTime() {
        assertThat(marks(5_000, 5_001, 5_999, 5_000, 6_001, 6_500, 9_000, 1_000))
                .containsExactly(5_001L - 11, 6_001L - 11, 9_000L - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void aWildTimestampMovesNothingWhereverItIs() {
        assertThat(marks(DAY, 1_000, 1_001)).containsExactly(1_001L - 11);
        assertThat(disbelieved.getCount()).isOne();
        assertThat(marks(1_000, DAY, 1_001, 2_500)).containsExactly(1_000L - 11, 2_500L - 11);
        assertThat(disbelieved.getCount()).isOne();
        assertThat(marks(1_000, 1_001, DAY, 2_500)).containsExactly(1_001L - 11, 2_500L - 11);
        assertThat(disbelieved.getCount()).isOne();
        assertThat(marks(1_000, 1_001, Long.MAX_VALUE, 9 * DAY, 2_500))
                .containsExactly(1_001L - 11, 2_500L - 11);
        assertThat(disbelieved.getCount()).isEqualTo(2);
        assertThat(marks(1_000, 1_001, DAY)).containsExactly(1_001L - 11);
    }

    @Test
    void afterAPauseItGoesOnWithTheSecondRecord() {
        assertThat(marks(1_000, 1_001, DAY, DAY - 5, DAY + 2_000))
                .containsExactly(1_001L - 11, DAY - 11, DAY + 2_000 - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void recordsThatAreFarApartMoveItOneByOne() {
        assertThat(marks(DAY, 2 * DAY, 3 * DAY, 4 * DAY))
                .containsExactly(DAY - 11, 2 * DAY - 11, 3 * DAY - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void theBoundMayBeNothingOrAllOfTime() {
        assertThat(marks(Duration.ZERO, 1_000, 1_001, 3_000, 3_000))
                .containsExactly(1_000L - 11, 3_000L - 11);
        assertThat(marks(Duration.ofSeconds(Long.MAX_VALUE), 1_000, 9 * DAY, 2_000))
                .containsExactly(9 * DAY - 11);
        assertThat(disbelieved.getCount()).isZero();
    }
}
