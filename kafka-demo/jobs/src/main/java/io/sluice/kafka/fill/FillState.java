/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.kafka.common.TopicPartition;

/** What the enumerator knows, with the starts of the partitions that it has not assigned. */
final class FillState extends KafkaSourceEnumState {
    private final Map<TopicPartition, Long> starts;

    FillState(KafkaSourceEnumState state, Map<TopicPartition, Long> starts) {
        super(state.splits(), state.initialDiscoveryFinished());
        this.starts = Map.copyOf(starts);
    }

    Map<TopicPartition, Long> starts() {
        return starts;
    }
}
