/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.BelievableWatermarks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

/** Packets may be 10 ms late, and 60 s ahead. */
class CaptureTimeTest {
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
        public MetricGroup addGroup(String name) {
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

    private List<Long> marks(Duration behind, Duration maxAhead, long... times) {
        marks.clear();
        CaptureTime time = new CaptureTime(behind, maxAhead, new Group());
        for (int i = 0; i < times.length; i++) {
            long[] ahead =
                    Arrays.copyOfRange(
                            times, i + 1, Math.min(times.length, i + CapturePackets.HELD));
            time.follow(times[i], () -> Arrays.stream(ahead).min().orElse(Long.MAX_VALUE), output);
        }
        assertThat(marks).isSorted().doesNotHaveDuplicates();
        return marks;
    }

    private List<Long> marks(long... times) {
        return marks(Duration.ofMillis(10), Duration.ofSeconds(60), times);
    }

    @Test
    void aWatermarkComesASecondOfEventTime() {
        assertThat(marks(5_000, 5_001, 5_999, 5_000, 6_001, 6_500, 9_000, 1_000))
                .containsExactly(5_000L - 11, 6_001L - 11, 9_000L - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void aWildTimestampMovesNothingWhereverItIs() {
        assertThat(marks(DAY, 1_000, 2_500)).containsExactly(1_000L - 11, 2_500L - 11);
        assertThat(disbelieved.getCount()).isOne();
        assertThat(marks(1_000, DAY, 2_500)).containsExactly(1_000L - 11, 2_500L - 11);
        assertThat(disbelieved.getCount()).isOne();
    }

    @Test
    void norDoSeveralInARow() {
        assertThat(marks(1_000, Long.MAX_VALUE, 9 * DAY, 9 * DAY, 9 * DAY + 1, 2_500))
                .containsExactly(1_000L - 11, 2_500L - 11);
        assertThat(disbelieved.getCount()).isEqualTo(4);
        long[] burst = new long[CapturePackets.HELD + 1];
        Arrays.fill(burst, 0xffff_ffffL * 1_000);
        burst[0] = 1_000;
        burst[burst.length - 1] = 2_500;
        assertThat(marks(burst)).containsExactly(1_000L - 11, 2_500L - 11);
    }

    /** Nothing comes that could be late. */
    @Test
    void theLastPacketIsBelieved() {
        assertThat(marks(1_000, 2_500, DAY)).containsExactly(1_000L - 11, 2_500L - 11, DAY - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void itFollowsWhereNothingWasRecordedForDays() {
        assertThat(marks(1_000, 1_001, DAY, DAY - 5, DAY + 2_000))
                .containsExactly(1_000L - 11, DAY - 11, DAY + 2_000 - 11);
        assertThat(marks(DAY, 2 * DAY, 3 * DAY, 4 * DAY))
                .containsExactly(DAY - 11, 2 * DAY - 11, 3 * DAY - 11, 4 * DAY - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void whatIsOutOfOrderAsAllowedIsNotWild() {
        assertThat(marks(Duration.ofMillis(10), Duration.ZERO, 1_000, 3_000, 2_990, 5_000))
                .containsExactly(1_000L - 11, 3_000L - 11, 5_000L - 11);
        assertThat(disbelieved.getCount()).isZero();
    }

    @Test
    void theBoundsMayBeAllOfTime() {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        assertThat(marks(Duration.ofMillis(10), ever, 1_000, 9 * DAY, 2_000))
                .containsExactly(1_000L - 11, 9 * DAY - 11);
        assertThat(marks(ever, ever, 0, 1_000, 9 * DAY))
                .containsExactly(Long.MIN_VALUE, 1_000 + Long.MIN_VALUE, 9 * DAY + Long.MIN_VALUE);
        assertThat(disbelieved.getCount()).isZero();
    }
}
