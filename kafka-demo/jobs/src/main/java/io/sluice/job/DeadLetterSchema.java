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
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.metrics.Counter;
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
 * #OFFSET}.
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
    public static final String VALUE_LENGTH = "sluice.value-length";
    public static final String KEY_LENGTH = "sluice.key-length";

    static final String CUT = "cutDeadLetters";
    static final String UNWRITTEN = "unwrittenDeadLetters";

    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterSchema.class);

    private static final byte[] NOTHING = {};

    private final Brokers brokers;
    private final SerializableFunction<T, Rejected> rejectedOf;

    private transient int limit;

    /** The key of a record that has none. */
    private transient @Nullable byte[] withoutKey;

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
    public void open(SerializationSchema.InitializationContext context, KafkaSinkContext sink) {
        TopicLimits limits = TopicLimits.of(brokers, List.of(topic));
        open(limits.bytes(), limits.needsKey());
        context.getMetricGroup().counter(CUT, cut);
        context.getMetricGroup().counter(UNWRITTEN, unwritten);
    }

    /**
     * @param newLimit largest record, measured by {@link RecordLimit#sizeOf}
     * @param keysAreNeeded whether the topic takes no record without a key
     */
    void open(int newLimit, boolean keysAreNeeded) {
        limit = newLimit;
        withoutKey = keysAreNeeded ? NOTHING : null;
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
        ProducerRecord<byte[], byte[]> letter = letter(rejected, keyOf(rejected), rejected.value());
        return RecordLimit.sizeOf(letter) <= limit ? letter : cut(rejected);
    }

    @Nullable
    private byte[] keyOf(Rejected rejected) {
        return rejected.key() == null ? withoutKey : rejected.key();
    }

    @Nullable
    private ProducerRecord<byte[], byte[]> cut(Rejected rejected) {
        byte[] key = rejected.key() == null ? NOTHING : rejected.key();
        byte[] value = rejected.value() == null ? NOTHING : rejected.value();
        ProducerRecord<byte[], byte[]> frame = letter(rejected, NOTHING, NOTHING);
        addLength(frame.headers(), KEY_LENGTH, key);
        addLength(frame.headers(), VALUE_LENGTH, value);
        int room = limit - RecordLimit.sizeOf(frame);
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
                                + limit
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
            Rejected rejected, @Nullable byte[] key, @Nullable byte[] value) {
        ProducerRecord<byte[], byte[]> letter = new ProducerRecord<>(topic, key, value);
        for (Header header : rejected.headers()) {
            letter.headers().add(header);
        }
        letter.headers()
                .add(REASON, text(rejected.reason()))
                .add(TOPIC, text(rejected.topic()))
                .add(PARTITION, text(Integer.toString(rejected.partition())))
                .add(OFFSET, text(Long.toString(rejected.offset())));
        return letter;
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }
}
