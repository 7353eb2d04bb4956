/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.common.TopicPartition;

/**
 * The part of the input that a new job reads first, and only remembers.
 *
 * @param starts the offset of the first record of each partition that is written; a partition
 *     without one is written from its beginning
 * @param only a topic of which nothing is written: its partitions are read to their starts, and no
 *     further; those without one are not read. Null if there is none
 * @param mark makes of a record one that is only remembered
 * @param <T> type of the records
 */
public record FillFirst<T>(
        Map<TopicPartition, Long> starts, @Nullable String only, SerializableFunction<T, T> mark)
        implements Serializable {

    public FillFirst {
        starts = new HashMap<>(starts);
    }
}
