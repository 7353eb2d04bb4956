/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.identity;

import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;

/** A partition of which a job writes the records from some offset on, and remembers the others. */
public final class StartedSplit extends KafkaPartitionSplit {
    private final long start;

    /**
     * @param split the whole of what is to be read
     * @param start the offset of the first record that is written; at least 0
     */
    public StartedSplit(KafkaPartitionSplit split, long start) {
        super(
                split.getTopicPartition(),
                split.getStartingOffset(),
                split.getStoppingOffset().orElse(NO_STOPPING_OFFSET));
        this.start = start;
    }

    /** The offset of the first record that is written. */
    public long start() {
        return start;
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other) && other instanceof StartedSplit that && that.start == start;
    }

    @Override
    public int hashCode() {
        return 31 * super.hashCode() + Long.hashCode(start);
    }
}
