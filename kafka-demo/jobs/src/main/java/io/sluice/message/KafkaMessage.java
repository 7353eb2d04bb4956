/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A Kafka record on its way through a job: its bytes as they came, and what was read from it.
 * Immutable, provided that its arrays are not written to; it keeps and gives them without a copy.
 * Equal by content.
 */
@TypeInfo(MessageTypeInfoFactory.class)
public final class KafkaMessage {
    /** The time of a record that has none, as Flink's sources give it. */
    public static final long NO_TIME = Long.MIN_VALUE;

    /** Why a record cannot be judged. */
    public enum Problem {
        /** A field of the id is in JSON, and this is not JSON. */
        NOT_JSON(1, "not-json"),
        /** A field of the id is missing, null, an object or an array. */
        NO_ID(2, "no-id"),
        /** The field of the time is missing or no time. */
        NO_TIME(3, "no-time"),
        /** The output topic does not take a record of this size. */
        TOO_LARGE(4, "too-large"),
        /** The output topic does not take a record with this timestamp. */
        BAD_TIMESTAMP(5, "bad-timestamp"),
        /** The output topic is compacted, and takes no record without a key. */
        NO_KEY(6, "no-key"),
        /** A field of the id is in Avro, and this is not Avro, or not as its schema says. */
        NOT_AVRO(7, "not-avro"),
        /** The schema registry does not know the schema. */
        UNKNOWN_SCHEMA(8, "unknown-schema"),
        /** A field of the counter is missing, null, an object or an array, or bytes of no text. */
        NO_COUNTER(16, "no-counter"),
        /** The name of the counter has more than a thousand bytes. */
        LONG_COUNTER(17, "counter-too-long"),
        /** The field of the delta is missing or not a number. */
        NO_DELTA(18, "no-delta"),
        /** The delta is not a whole number. */
        FRACTIONAL_DELTA(19, "fractional-delta"),
        /** The delta is further than 2^53 from 0. */
        LARGE_DELTA(20, "delta-too-large"),
        /** A field of the machine's key is missing, null, an object or an array, or no text. */
        NO_MACHINE(24, "no-machine"),
        /** The machine's key has more than a thousand bytes. */
        LONG_MACHINE(25, "machine-too-long"),
        /** The field of the event is missing, null, an object or an array, or bytes of no text. */
        NO_EVENT(26, "no-event"),
        /** The event has more than a thousand characters. */
        LONG_EVENT(27, "event-too-long"),
        /** The field of the multiplicity is missing or not a number. */
        NO_MULTIPLICITY(32, "no-multiplicity"),
        /** The multiplicity is not a whole number. */
        FRACTIONAL_MULTIPLICITY(33, "fractional-multiplicity"),
        /** The multiplicity is less than 0. */
        NEGATIVE_MULTIPLICITY(34, "negative-multiplicity"),
        /** The multiplicity is more than 2^53. */
        LARGE_MULTIPLICITY(35, "multiplicity-too-large");

        private final int number;
        private final String code;

        Problem(int number, String code) {
            this.number = number;
            this.code = code;
        }

        /** As in serialized messages; never changes, and is never 0. */
        public int number() {
            return number;
        }

        /** The problem with this number; empty if there is none. */
        public static Optional<Problem> ofNumber(int number) {
            return Arrays.stream(values()).filter(problem -> problem.number == number).findAny();
        }

        /** As in the headers of dead letters. */
        public String code() {
            return code;
        }
    }

    private final String topic;
    private final int partition;
    private final long offset;
    private final long timestamp;
    private final @Nullable byte[] key;
    private final @Nullable byte[] value;
    private final Header[] headers;
    private final @Nullable String id;
    private final long time;
    private final @Nullable Problem problem;
    private final @Nullable Content content;
    private final boolean beforeStart;

    KafkaMessage(
            String topic,
            int partition,
            long offset,
            long timestamp,
            @Nullable byte[] key,
            @Nullable byte[] value,
            Header[] headers,
            @Nullable String id,
            long time,
            @Nullable Problem problem) {
        this(
                topic, partition, offset, timestamp, key, value, headers, id, time, problem, null,
                false);
    }

    KafkaMessage(
            String topic,
            int partition,
            long offset,
            long timestamp,
            @Nullable byte[] key,
            @Nullable byte[] value,
            Header[] headers,
            @Nullable String id,
            long time,
            @Nullable Problem problem,
            @Nullable Content content,
            boolean beforeStart) {
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
        this.timestamp = timestamp;
        this.key = key;
        this.value = value;
        this.headers = headers;
        this.id = id;
        this.time = time;
        this.problem = problem;
        this.content = content;
        this.beforeStart = beforeStart;
    }

    /** The message of a record whose id and time are not looked at. Shares its arrays. */
    public static KafkaMessage unread(ConsumerRecord<byte[], byte[]> record) {
        return new KafkaMessage(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                record.value(),
                record.headers().toArray(),
                null,
                NO_TIME,
                null);
    }

    /** Where it came from. */
    public String topic() {
        return topic;
    }

    /** The partition of that topic. */
    public int partition() {
        return partition;
    }

    /** Where in that partition. */
    public long offset() {
        return offset;
    }

    /** Kafka's, in ms since 1970; negative if it has none. */
    public long timestamp() {
        return timestamp;
    }

    /** Null if the record had none. */
    @Nullable
    public byte[] key() {
        return key;
    }

    /** Null for a tombstone. */
    @Nullable
    public byte[] value() {
        return value;
    }

    /** In their order. */
    public Header[] headers() {
        return headers;
    }

    /** Equal for duplicates; null if the record has none. */
    @Nullable
    public String id() {
        return id;
    }

    /** Of the record, in ms since 1970; {@link #NO_TIME} if it has none. */
    public long time() {
        return time;
    }

    /** Why id or time could not be read; null if they could. */
    @Nullable
    public Problem problem() {
        return problem;
    }

    /** Whether a job only remembers it, since it comes before the first record to be written. */
    public boolean isBeforeStart() {
        return beforeStart;
    }

    /** This record as one that is only remembered. */
    public KafkaMessage beforeStart() {
        return with(headers, id, time, problem, content, true);
    }

    /** Returns what it adds to which counter; null if it has a problem, or nobody asked. */
    @Nullable
    public Addition addition() {
        return content instanceof Addition addition ? addition : null;
    }

    /** Returns which event of which machine it is; null if it has a problem, or nobody asked. */
    @Nullable
    public KeyedEvent event() {
        return content instanceof KeyedEvent event ? event : null;
    }

    /** Returns how many copies of its id it stands for; 1 if nobody asked. */
    public long copies() {
        return content instanceof Copies copies ? copies.number() : 1;
    }

    /** Returns what was read from it besides id and time; null if nothing was. */
    @Nullable
    Content content() {
        return content;
    }

    /** Returns this record with what was read from it. */
    KafkaMessage with(Content found) {
        return with(headers, id, time, problem, found, beforeStart);
    }

    /** This record with an id and a time, {@link #NO_TIME} if it has none. */
    KafkaMessage with(String newId, long newTime) {
        return with(headers, newId, newTime, problem, content, beforeStart);
    }

    /** This record with a problem. */
    public KafkaMessage with(Problem found) {
        return with(headers, id, time, found, content, beforeStart);
    }

    /** This record with one more header. */
    public KafkaMessage with(Header header) {
        Header[] more = Arrays.copyOf(headers, headers.length + 1);
        more[headers.length] = header;
        return with(more, id, time, problem, content, beforeStart);
    }

    private KafkaMessage with(
            Header[] newHeaders,
            @Nullable String newId,
            long newTime,
            @Nullable Problem found,
            @Nullable Content newContent,
            boolean onlyRemembered) {
        return new KafkaMessage(
                topic,
                partition,
                offset,
                timestamp,
                key,
                value,
                newHeaders,
                newId,
                newTime,
                found,
                newContent,
                onlyRemembered);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KafkaMessage that
                && topic.equals(that.topic)
                && partition == that.partition
                && offset == that.offset
                && timestamp == that.timestamp
                && time == that.time
                && beforeStart == that.beforeStart
                && problem == that.problem
                && Objects.equals(id, that.id)
                && Objects.equals(content, that.content)
                && Arrays.equals(key, that.key)
                && Arrays.equals(value, that.value)
                && Arrays.equals(headers, that.headers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(topic, partition, offset);
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
