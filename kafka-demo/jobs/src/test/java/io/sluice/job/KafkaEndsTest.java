/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.job.counters.CountersOptions;
import io.sluice.job.packet.Incoming;
import io.sluice.kafka.pace.PartitionLags;
import io.sluice.record.PacketRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.clock.RelativeClock;
import org.junit.jupiter.api.Test;

class KafkaEndsTest {

    private static final long CAPTURED = Instant.parse("2018-03-15T13:00:00Z").toEpochMilli();
    private static final long DECADES_AHEAD = Instant.parse("2100-01-01T00:00:00Z").toEpochMilli();

    private final ManualClock inputClock = new ManualClock();
    private final PartitionLags lags = new PartitionLags();
    private final Output output = new Output();

    @Test
    void captureTimesOfOldMoveEventTimeAndTimesDecadesAheadDoNot() {
        Times times = new Times();

        times.read(CAPTURED);
        times.read(DECADES_AHEAD);
        times.read(CAPTURED + 1000);

        assertThat(times.timestamps).containsExactly(CAPTURED, DECADES_AHEAD, CAPTURED + 1000);
        assertThat(output.marks).containsExactly(CAPTURED - 5001, CAPTURED - 4001);
    }

    @Test
    void timesAheadAreBelievedAsFarAsTheOptionSays() {
        Times times = new Times("--max-ahead=36500 d", "--out-of-orderness=1 s");

        times.read(DECADES_AHEAD);

        assertThat(output.marks).containsExactly(DECADES_AHEAD - 1001);
        assertThatThrownBy(() -> options("--max-ahead=-1 s"))
                .hasMessageContaining("'-1 s' is not a duration");
    }

    @Test
    void aPartitionThatSendsNothingToBeBelievedBecomesIdle() {
        Times times = new Times("--idleness=10 s");
        times.read(CAPTURED);

        for (int second = 0; second <= 12; second++) {
            times.read(DECADES_AHEAD);
            inputClock.advanceTime(Duration.ofSeconds(1));
        }

        assertThat(output.idle).isTrue();
    }

    @Test
    void eventTimeFollowsTheRecordsOfABacklogThatIsReadBetweenTwoTicksOfTheWallClock() {
        Times times = new Times("--within=32 s", "--out-of-orderness=1 s");

        for (int millis = 0; millis <= 10_000; millis += 100) {
            times.readOnly(CAPTURED + millis);
        }
        times.readOnly(DECADES_AHEAD);

        assertThat(output.marks).as("one in each 32nd of the window").hasSize(11);
        assertThat(output.marks).first().isEqualTo(CAPTURED - 1001);
        assertThat(output.marks).last().isEqualTo(CAPTURED + 10_000 - 1001);
        assertThat(output.marks).isSorted();
    }

    private static CountersOptions options(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-servers=here:9092"));
        arguments.addAll(List.of(more));
        return CountersOptions.parse(arguments);
    }

    /** How a partition of the source handles the times of its records. */
    private final class Times {
        private final TimestampAssigner<Incoming> assigner;
        private final WatermarkGenerator<Incoming> generator;
        private final List<Long> timestamps = new ArrayList<>();

        Times(String... arguments) {
            // Nothing is left to read in any partition.
            lags.open(
                    questions ->
                            questions.stream()
                                    .map(each -> new PartitionLags.LagAnswer(each, each.from()))
                                    .toList(),
                    Runnable::run);
            WatermarkStrategy<Incoming> strategy =
                    KafkaEnds.eventTime(
                            options(arguments),
                            lags,
                            (incoming, kafkaTime) -> incoming.timestampMillis());
            MetricGroup metrics = new UnregisteredMetricsGroup();
            assigner = strategy.createTimestampAssigner(() -> metrics);
            generator =
                    strategy.createWatermarkGenerator(
                            new WatermarkGeneratorSupplier.Context() {
                                @Override
                                public MetricGroup getMetricGroup() {
                                    return metrics;
                                }

                                @Override
                                public RelativeClock getInputActivityClock() {
                                    return inputClock;
                                }
                            });
        }

        void read(long captureTime) {
            readOnly(captureTime);
            generator.onPeriodicEmit(output);
        }

        /** The clock of the wall stands still meanwhile. */
        void readOnly(long captureTime) {
            Incoming incoming = new Incoming();
            incoming.packet().set(PacketRecord.marker(Math.multiplyExact(captureTime, 1_000_000L)));
            long timestamp = assigner.extractTimestamp(incoming, 0);
            timestamps.add(timestamp);
            generator.onEvent(incoming, timestamp, output);
        }
    }

    private static final class Output implements WatermarkOutput {
        private final List<Long> marks = new ArrayList<>();
        private boolean idle;

        @Override
        public void emitWatermark(Watermark watermark) {
            long mark = watermark.getTimestamp();
            if (marks.isEmpty() || marks.get(marks.size() - 1) != mark) {
                marks.add(mark);
            }
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
    }
}
