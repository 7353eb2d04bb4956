/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.flink.runtime.MinuteLog;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.RecordLimit;
import io.sluice.kafka.TopicLimits;
import io.sluice.kafka.TopicSchema;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A record that could not be read, on the dead-letter topic: key and value unchanged, with its own
 * headers if the job keeps them, and with reason and origin in headers, all text in UTF-8: {@value
 * #REASON} (a code such as {@code wrong-checksum}), {@value #TOPIC}, {@value #PARTITION}, {@value
 * #OFFSET}, {@value #TIMESTAMP}.
 *
 * <p>A letter goes to the partition of the record's number, if the topic has it, with the record's
 * timestamp, unless the topic would refuse it or soon delete a letter that is so old: then that of
 * writing.
 *
 * <p>With its headers a letter is larger than the record, which may already have been the largest
 * that a topic takes. If it does not fit, the end of the value is cut, then the end of the key;
 * their original lengths are in {@value #VALUE_LENGTH} and {@value #KEY_LENGTH}. The complete
 * record is where the headers say. Letters that are cut are counted in {@value #CUT} of the sink;
 * if a topic does not even take the headers, letters are counted in {@value #UNWRITTEN}, and not
 * written.
 *
 * <p>On a compacted topic, which takes no record without a key, a letter that has none gets an
 * empty one.
 */
public final class DeadLetterSchema<T> extends TopicSchema<T> {
    public static final String REASON = "sluice.reason";
    public static final String TOPIC = "sluice.topic";
    public static final String PARTITION = "sluice.partition";
    public static final String OFFSET = "sluice.offset";
    public static final String TIMESTAMP = "sluice.timestamp";
    public static final String VALUE_LENGTH = "sluice.value-length";
    public static final String KEY_LENGTH = "sluice.key-length";

    static final String CUT = "cutDeadLetters";
    static final String UNWRITTEN = "unwrittenDeadLetters";

    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterSchema.class);

    private static final byte[] NOTHING = {};

    private final Brokers brokers;
    private final SerializableFunction<T, Rejected> rejectedOf;

    private transient TopicLimits limits;

    private transient Counter cut;
    private transient Counter unwritten;
    private transient MinuteLog log;

    /**
     * @param brokers to ask at start how large a record may be
     * @param rejectedOf the rejected record in a record of the stream
     */
    public DeadLetterSchema(
            String topic, Brokers brokers, SerializableFunction<T, Rejected> rejectedOf) {
        super(topic);
        this.brokers = brokers;
        this.rejectedOf = rejectedOf;
    }

    @Override
    protected void begin(MetricGroup metrics) {
        open(TopicLimits.of(brokers, List.of(topic)));
        metrics.counter(CUT, cut);
        metrics.counter(UNWRITTEN, unwritten);
    }

    /**
     * @param topicLimits what the topic takes
     */
    void open(TopicLimits topicLimits) {
        limits = topicLimits;
        cut = new SimpleCounter();
        unwritten = new SimpleCounter();
        log = new MinuteLog(LOG::warn);
    }

    @Override
    @Nullable
    public ProducerRecord<byte[], byte[]> serialize(
            T element, KafkaSinkContext context, Long timestamp) {
        Rejected rejected = rejectedOf.apply(element);
        if (rejected == null) {
            throw new AssertionError("not a dead letter: " + element);
        }
        int partitions = context.getPartitionsForTopic(topic).length;
        ProducerRecord<byte[], byte[]> letter =
                letter(rejected, partitions, keyOf(rejected), rejected.value());
        return RecordLimit.sizeOf(letter) <= limits.bytes() ? letter : cut(rejected, partitions);
    }

    @Nullable
    private byte[] keyOf(Rejected rejected) {
        return rejected.key() == null && limits.needsKey() ? NOTHING : rejected.key();
    }

    @Nullable
    private ProducerRecord<byte[], byte[]> cut(Rejected rejected, int partitions) {
        byte[] key = rejected.key() == null ? NOTHING : rejected.key();
        byte[] value = rejected.value() == null ? NOTHING : rejected.value();
        ProducerRecord<byte[], byte[]> frame = letter(rejected, partitions, NOTHING, NOTHING);
        addLength(frame.headers(), KEY_LENGTH, key);
        addLength(frame.headers(), VALUE_LENGTH, value);
        int room = limits.bytes() - RecordLimit.sizeOf(frame);
        if (room < 0) {
            unwritten.inc();
            tell(rejected, "is not written: the topic does not even take its headers");
            return null;
        }
        // The key may take what the value leaves, but always half.
        int keyRoom = Math.min(key.length, Math.max(room / 2, room - value.length));
        int valueRoom = Math.min(value.length, room - keyRoom);
        ProducerRecord<byte[], byte[]> letter =
                letter(
                        rejected,
                        partitions,
                        first(keyOf(rejected), keyRoom),
                        first(rejected.value(), valueRoom));
        if (keyRoom < key.length) {
            addLength(letter.headers(), KEY_LENGTH, key);
        }
        if (valueRoom < value.length) {
            addLength(letter.headers(), VALUE_LENGTH, value);
        }
        cut.inc();
        tell(rejected, "is cut to fit");
        return letter;
    }

    private void tell(Rejected rejected, String what) {
        log.write(
                System.currentTimeMillis(),
                () ->
                        "The dead letter of "
                                + rejected
                                + " "
                                + what
                                + "; '"
                                + topic
                                + "' takes records of "
                                + limits.bytes()
                                + " bytes. There were "
                                + (cut.getCount() + unwritten.getCount())
                                + " of them since the subtask started. To keep them complete, raise"
                                + " max.message.bytes of the topic and restart the job.");
    }

    @Nullable
    private static byte[] first(@Nullable byte[] bytes, int length) {
        return bytes == null || bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
    }

    private static void addLength(Headers headers, String name, byte[] bytes) {
        headers.add(name, text(Integer.toString(bytes.length)));
    }

    private ProducerRecord<byte[], byte[]> letter(
            Rejected rejected, int partitions, @Nullable byte[] key, @Nullable byte[] value) {
        long time = rejected.timestamp();
        boolean keepsTime = time >= 0 && limits.keepsTime(time, System.currentTimeMillis());
        ProducerRecord<byte[], byte[]> letter =
                new ProducerRecord<>(
                        topic,
                        rejected.partition() < partitions ? rejected.partition() : null,
                        keepsTime ? time : null,
                        key,
                        value);
        for (Header header : rejected.headers()) {
            letter.headers().add(header);
        }
        letter.headers()
                .add(REASON, text(rejected.reason()))
                .add(TOPIC, text(rejected.topic()))
                .add(PARTITION, text(Integer.toString(rejected.partition())))
                .add(OFFSET, text(Long.toString(rejected.offset())))
                .add(TIMESTAMP, text(Long.toString(time)));
        return letter;
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }
}
