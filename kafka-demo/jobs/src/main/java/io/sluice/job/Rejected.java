/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.util.Arrays;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.kafka.common.header.Header;

/**
 * A Kafka record that is not one of ours, with its origin. Immutable, provided that its arrays are
 * not written to; equal by content.
 */
public final class Rejected {
    private static final Header[] NO_HEADERS = {};

    private final String reason;
    private final String topic;
    private final int partition;
    private final long offset;
    private final long timestamp;
    @Nullable private final byte[] key;
    @Nullable private final byte[] value;
    private final Header[] headers;

    /**
     * Keeps the arrays, without a copy.
     *
     * @param reason a code of {@code DecodeResult}
     * @param topic where it came from
     * @param partition of that topic
     * @param offset in that partition
     * @param timestamp Kafka's, in ms since 1970; negative if it has none
     * @param key null if the record had none
     * @param value null for a tombstone
     */
    public Rejected(
            String reason,
            String topic,
            int partition,
            long offset,
            long timestamp,
            @Nullable byte[] key,
            @Nullable byte[] value) {
        this(reason, topic, partition, offset, timestamp, key, value, NO_HEADERS);
    }

    /** The same, with the record's headers. */
    public Rejected(
            String reason,
            String topic,
            int partition,
            long offset,
            long timestamp,
            @Nullable byte[] key,
            @Nullable byte[] value,
            Header[] headers) {
        this.reason = reason;
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
        this.timestamp = timestamp;
        this.key = key;
        this.value = value;
        this.headers = headers;
    }

    public String reason() {
        return reason;
    }

    /** The record's own; none if the job does not keep them. */
    Header[] headers() {
        return headers;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    public long offset() {
        return offset;
    }

    public long timestamp() {
        return timestamp;
    }

    @Nullable
    public byte[] key() {
        return key;
    }

    @Nullable
    public byte[] value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Rejected that
                && reason.equals(that.reason)
                && topic.equals(that.topic)
                && partition == that.partition
                && offset == that.offset
                && timestamp == that.timestamp
                && Arrays.equals(key, that.key)
                && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(topic, partition, offset);
    }

    @Override
    public String toString() {
        return "rejected (" + reason + ") " + topic + "-" + partition + "@" + offset;
    }
}
