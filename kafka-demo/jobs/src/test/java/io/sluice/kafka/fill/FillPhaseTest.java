/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.fill.FillPhase.Filled;
import io.sluice.kafka.identity.StartedSplit;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class FillPhaseTest {
    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);

    private final List<SourceEvent> told = new ArrayList<>();
    private final FillPhase phase = new FillPhase("only", told::add);

    private static KafkaPartitionSplit split(TopicPartition of, long from, long to) {
        return new KafkaPartitionSplit(of, from, to);
    }

    @Test
    void aPartitionIsReadUpToItsStartAndThenWaits() {
        phase.start();
        assertThat(told).containsExactly(new Filled(0, false));
        assertThat(phase.add(List.of(new StartedSplit(split(A, 3, 90), 10), split(B, 0, 50))))
                .containsExactly(split(A, 3, 10));
        assertThat(told).hasSize(1);

        phase.finished(A);
        assertThat(told).endsWith(new Filled(2, true)).hasSize(2);
        assertThat(phase.isOver()).isFalse();
        assertThat(phase.end()).containsExactlyInAnyOrder(split(A, 10, 90), split(B, 0, 50));
        assertThat(phase.isOver()).isTrue();
        KafkaPartitionSplit later = new KafkaPartitionSplit(new TopicPartition("t", 2), 0);
        assertThat(phase.add(List.of(later))).containsExactly(later);
    }

    @Test
    void aCheckpointHasWholePartitionsWithTheirStarts() {
        phase.start();
        phase.add(
                List.of(
                        new StartedSplit(new KafkaPartitionSplit(A, -2), 10),
                        new StartedSplit(split(B, 0, 50), 4)));
        assertThat(phase.whole(List.of(split(A, 7, 10), split(B, 2, 4))))
                .containsExactly(
                        new StartedSplit(new KafkaPartitionSplit(A, 7), 10),
                        new StartedSplit(split(B, 2, 50), 4));
        phase.finished(B);
        assertThat(phase.whole(List.of(split(A, 8, 10))))
                .containsExactly(
                        new StartedSplit(new KafkaPartitionSplit(A, 8), 10),
                        new StartedSplit(split(B, 4, 50), 4));
        phase.finished(A);
        phase.end();
        assertThat(phase.whole(List.of(new KafkaPartitionSplit(A, 12), split(B, 6, 50))))
                .containsExactly(
                        new StartedSplit(new KafkaPartitionSplit(A, 12), 10),
                        new StartedSplit(split(B, 6, 50), 4));
    }

    @Test
    void ofATopicThatIsOnlyRememberedNothingIsLeftAtItsStart() {
        TopicPartition only = new TopicPartition("only", 0);
        phase.start();
        assertThat(phase.add(List.of(new StartedSplit(new KafkaPartitionSplit(only, -2), 10))))
                .containsExactly(split(only, -2, 10));
        assertThat(phase.whole(List.of(split(only, 4, 10))))
                .containsExactly(new StartedSplit(new KafkaPartitionSplit(only, 4), 10));
        phase.finished(only);
        assertThat(told).endsWith(new Filled(1, true));
        assertThat(phase.whole(List.of())).isEmpty();
        assertThat(phase.end()).isEmpty();
    }

    /** What was restored before it starts was not read by it. */
    @Test
    void whatIsRestoredAtItsStartWaitsWithoutHavingBeenRead() {
        assertThat(phase.add(List.of(new StartedSplit(split(A, 10, 90), 10)))).isEmpty();
        assertThat(told).isEmpty();
        phase.start();
        assertThat(told)
                .as("whoever has assigned more since then waits for it")
                .containsExactly(new Filled(0, false));
        phase.add(List.of(split(B, 0, 50)));
        assertThat(told).endsWith(new Filled(1, false)).hasSize(2);
    }
}
