/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.common.TopicPartition;

/**
 * The part of the input that a new job reads first, and only remembers.
 *
 * @param starts the offset of the first record of each partition that is written; a partition
 *     without one is written from its beginning
 * @param mark makes of a record one that is only remembered
 * @param <T> type of the records
 */
public record FillFirst<T>(Map<TopicPartition, Long> starts, SerializableFunction<T, T> mark)
        implements Serializable {

    public FillFirst {
        starts = new HashMap<>(starts);
    }
}
