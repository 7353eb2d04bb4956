/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.job.packet.Incoming;
import io.sluice.kafka.pace.PartitionLags.LagAnswer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdleWhenReadTest {
    private static final Duration IDLENESS = Duration.ofSeconds(1);

    private final ManualClock clock = new ManualClock();
    private final PartitionLags lags = new PartitionLags();

    /** Where each partition ends according to the broker. */
    private final Map<Integer, Long> ends = new HashMap<>();

    private boolean brokerAnswers = true;
    private int questions;

    @BeforeEach
    void open() {
        lags.open(
                asked -> {
                    if (!brokerAnswers) {
                        throw new IllegalStateException("no broker");
                    }
                    questions += asked.size();
                    return asked.stream()
                            .map(
                                    each -> {
                                        long end =
                                                ends.getOrDefault(each.partition().partition(), 0L);
                                        long from = Math.max(0, each.from());
                                        end = Math.min(end, each.upTo());
                                        return new LagAnswer(each, end > from ? end : each.from());
                                    })
                            .toList();
                },
                Runnable::run);
    }

    @Test
    void aSilentPartitionWithRecordsLeftIsNotIdleHoweverLong() {
        Partition waits = new Partition(0, 0);
        ends.put(0, 100L);
        waits.emit(0, 1000);

        pass(Duration.ofMinutes(10), waits);

        assertThat(waits.idle).isFalse();
        assertThat(questions).as("asked about once in half a minute").isLessThanOrEqualTo(21);
    }

    @Test
    void aPartitionThatNothingWasReadOfYetIsNotIdleWhileItHasRecords() {
        Partition waits = new Partition(0, PartitionLags.BEGINNING);
        Partition read = new Partition(1, PartitionLags.BEGINNING);
        ends.put(0, 100L);
        ends.put(1, 1L);
        read.emit(0, 1000);

        pass(Duration.ofMinutes(1), waits, read);

        assertThat(waits.idle).isFalse();
        assertThat(read.idle).as("its one record is read").isTrue();
    }

    @Test
    void aPartitionThatIsReadToItsEndIsIdleAfterTheTimeAndNotBefore() {
        Partition read = new Partition(0, 0);
        ends.put(0, 1L);
        read.emit(0, 1000);

        pass(Duration.ofMillis(900), read);
        assertThat(read.idle).isFalse();
        pass(Duration.ofSeconds(2), read);
        assertThat(read.idle).isTrue();
    }

    @Test
    void emptyPartitionsAreIdleAndSoIsASubtaskWithoutAny() {
        Partition empty = new Partition(0, PartitionLags.BEGINNING);
        pass(Duration.ofSeconds(3), empty);
        assertThat(empty.idle).isTrue();

        lags.remove(empty.name);
        Partition none = new Partition();
        pass(Duration.ofSeconds(3), none);
        assertThat(none.idle).isTrue();
    }

    @Test
    void anIdlePartitionThatGetsRecordsIsActiveBeforeTheyAreRead() {
        Partition partition = new Partition(0, 0);
        ends.put(0, 1L);
        partition.emit(0, 1000);
        pass(Duration.ofSeconds(3), partition);
        assertThat(partition.idle).isTrue();

        ends.put(0, 500L);
        pass(Duration.ofSeconds(1), partition);

        assertThat(partition.idle).isFalse();
    }

    @Test
    void aPartitionThatGivesNoEventTimeIsIdleOnceItIsReadToWhereItEnded() {
        Partition malformed = new Partition(0, 0);
        ends.put(0, 20L);

        for (int i = 0; i < 40; i++) {
            malformed.emit(i, Incoming.NO_TIMESTAMP);
            // There is always one more.
            ends.put(0, i + 2L + 20);
            pass(Duration.ofMillis(200), malformed);
        }

        assertThat(malformed.wasIdle).isTrue();
    }

    @Test
    void aPartitionThatIsNotReadForNowIsIdleOnlyIfNothingIsLeftInIt() {
        Partition begun = new Partition(0, 0);
        Partition exhausted = new Partition(1, 0);
        Partition untouched = new Partition(2, PartitionLags.BEGINNING);
        ends.put(0, 9L);
        ends.put(1, 5L);
        ends.put(2, 9L);
        begun.emit(0, 1000);
        exhausted.emit(0, 1000);
        lags.park(begun.name, 5);
        lags.park(exhausted.name, 5);
        lags.park(untouched.name, PartitionLags.BEGINNING);

        pass(Duration.ofMinutes(1), begun, exhausted, untouched);
        assertThat(begun.idle).isFalse();
        assertThat(exhausted.idle).isTrue();
        assertThat(untouched.idle).isFalse();

        lags.add(begun.name, 5);
        begun.emit(8, 2000);
        pass(Duration.ofSeconds(3), begun);
        assertThat(begun.idle).isTrue();
    }

    @Test
    void withoutAnAnswerOfTheBrokerNothingIsIdle() {
        brokerAnswers = false;
        Partition partition = new Partition(0, 0);
        partition.emit(0, 1000);

        pass(Duration.ofMinutes(1), partition);
        assertThat(partition.idle).isFalse();

        brokerAnswers = true;
        pass(Duration.ofSeconds(1), partition);
        assertThat(partition.idle).isTrue();
    }

    @Test
    void anAnswerFromBeforeARecordDoesNotCount() {
        Partition partition = new Partition(0, 0);
        ends.put(0, 1L);
        partition.emit(0, 1000);
        pass(Duration.ofSeconds(3), partition);
        ends.put(0, 3L);

        partition.emit(1, 2000);
        pass(Duration.ofSeconds(3), partition);
        assertThat(partition.idle).as("the third record waits").isFalse();

        partition.emit(2, 2000);
        pass(Duration.ofSeconds(3), partition);
        assertThat(partition.idle).isTrue();
    }

    @Test
    void withoutTheirSourceTheWatermarksAreRefused() {
        IdleWhenRead<String> strategy =
                new IdleWhenRead<>(
                        WatermarkStrategy.forMonotonousTimestamps(), IDLENESS, new PartitionLags());

        assertThatThrownBy(() -> strategy.createWatermarkGenerator(context()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("LagAwareSource");
    }

    /** Lets time pass, and asks for watermarks every tenth of a second. */
    private void pass(Duration time, Partition... partitions) {
        for (long millis = 0; millis < time.toMillis(); millis += 100) {
            clock.advanceTime(Duration.ofMillis(100));
            for (Partition partition : partitions) {
                partition.generator.onPeriodicEmit(partition);
            }
        }
    }

    private WatermarkGeneratorSupplier.Context context() {
        return new WatermarkGeneratorSupplier.Context() {
            @Override
            public MetricGroup getMetricGroup() {
                return new UnregisteredMetricsGroup();
            }

            @Override
            public RelativeClock getInputActivityClock() {
                return clock;
            }
        };
    }

    /** A partition and what its watermarks say. */
    private final class Partition implements WatermarkOutput {
        private final TopicPartition name;
        private final WatermarkGenerator<String> generator;
        private boolean idle;
        private boolean wasIdle;

        Partition(int number, long next) {
            name = new TopicPartition("packets", number);
            lags.add(name, next);
            generator = newGenerator();
        }

        Partition() {
            name = new TopicPartition("packets", 0);
            generator = newGenerator();
        }

        private WatermarkGenerator<String> newGenerator() {
            return new IdleWhenRead<String>(
                            WatermarkStrategy.forMonotonousTimestamps(), IDLENESS, lags)
                    .createWatermarkGenerator(context());
        }

        void emit(long offset, long time) {
            ConsumerRecord<byte[], byte[]> record =
                    new ConsumerRecord<>("packets", name.partition(), offset, null, null);
            lags.begin(record);
            generator.onEvent("record", time, this);
            lags.end(record);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            idle = false;
        }

        @Override
        public void markIdle() {
            idle = true;
            wasIdle = true;
        }

        @Override
        public void markActive() {
            idle = false;
        }
    }
}
