/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.pace.PartitionLags.LagAnswer;
import io.sluice.kafka.pace.PartitionLags.Partition;
import io.sluice.kafka.pace.PartitionLags.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long partitions wait for one from which nothing comes. */
class PartitionLagsTest {
    private static final long DRIFT = 1_000;
    private static final int SLACK = 500;
    private static final long SECOND = 1_000_000_000L;

    /** More than the records whose times count. */
    private static final int RECORDS = 40;

    private static final TopicPartition AHEAD = new TopicPartition("t", 0);
    private static final TopicPartition BEHIND = new TopicPartition("t", 1);

    private final PartitionLags lags = new PartitionLags();
    private final List<Question> asked = new ArrayList<>();
    private Set<TopicPartition> held = Set.of();

    /** Negative in the beginning, as the clock of a JVM may be. */
    private long now = -5 * SECOND;

    /** Where the broker says that partitions end; it says nothing if this is negative. */
    private long end = -1;

    private final long[] next = new long[2];
    private final Partition[] partitions = new Partition[2];

    @BeforeEach
    void start() {
        lags.open(this::answer, Runnable::run);
        lags.hold(new PartitionPace(DRIFT, SLACK, null, names -> held = names, () -> now));
        lags.add(AHEAD, 0);
        lags.add(BEHIND, 0);
        read(BEHIND, RECORDS, 1_000);
        read(AHEAD, RECORDS, 1_100);
        pass(1);
        read(AHEAD, SLACK - 1, 50_000);
        pass(1);
        assertThat(held).as("too few to stop for").isEmpty();
        read(AHEAD, RECORDS, 50_000);
        pass(1);
        assertThat(held).containsExactly(AHEAD);
    }

    private List<LagAnswer> answer(List<Question> questions) {
        asked.addAll(questions);
        if (end < 0) {
            throw new TimeoutException("no leader");
        }
        return questions.stream().map(each -> new LagAnswer(each, end)).toList();
    }

    private void read(TopicPartition name, int records, long time) {
        int number = name.partition();
        for (int i = 0; i < records; i++) {
            var record = new ConsumerRecord<>(name.topic(), number, next[number]++, "", "");
            lags.begin(record);
            if (partitions[number] == null) {
                partitions[number] = lags.claim();
            }
            lags.reached(partitions[number], time);
            lags.end(record);
            lags.settle();
        }
    }

    private void pass(long seconds) {
        for (long tenths = 10 * seconds; tenths > 0; tenths--) {
            now += SECOND / 10;
            lags.exchange(now);
        }
    }

    @Test
    void theBeginningIsThatOfFlinksSplits() {
        assertThat(PartitionLags.BEGINNING).isEqualTo(KafkaPartitionSplit.EARLIEST_OFFSET);
    }

    @Test
    void noneWaitsForOneOfWhichTheBrokerSaysNothingForLong() {
        pass(5);
        assertThat(held).containsExactly(AHEAD);
        assertThat(asked).extracting(Question::partition).contains(BEHIND);
        pass(10);
        assertThat(held).isEmpty();
    }

    @Test
    void oneThatWasGivenUpIsWaitedForAgainWhenSomethingComes() {
        pass(15);
        assertThat(held).isEmpty();
        read(BEHIND, RECORDS, 2_000);
        read(AHEAD, SLACK + RECORDS, 50_000);
        pass(1);
        assertThat(held).containsExactly(AHEAD);
    }

    @Test
    void oneThatIsReadOnIsWaitedForHoweverLongTheBrokerIsSilent() {
        for (int i = 0; i < 30; i++) {
            read(BEHIND, 1, 1_000 + i);
            pass(1);
            assertThat(held).containsExactly(AHEAD);
        }
    }

    @Test
    void oneOfWhichTheBrokerSaysThatThereIsMoreIsWaitedFor() {
        end = 1_000;
        pass(60);
        assertThat(held).containsExactly(AHEAD);
        end = -1;
        pass(60);
        assertThat(held).as("the broker does not say so any more").isEmpty();
    }

    @Test
    void noneWaitsAnyMoreAsSoonAsTheLastRecordIsRead() {
        end = RECORDS + 5;
        pass(1);
        assertThat(held).containsExactly(AHEAD);
        read(BEHIND, 4, 1_500);
        assertThat(held).containsExactly(AHEAD);
        read(BEHIND, 1, 1_500);
        assertThat(held).isEmpty();
    }

    /** As a retention makes topics: nobody knows where they begin before the first record. */
    @Test
    void ofATopicThatBeginsFarFromOffsetZeroOnlyWhatIsReadCounts() {
        Partition partition = new Partition(AHEAD, PartitionLags.BEGINNING);
        partition.read(1_000_000);
        assertThat(partition.recordsAhead(true)).isEqualTo(1);
    }
}
