/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.message.KafkaMessage.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * A {@link KafkaMessage} between two Flink tasks: a version, the problem's number (0 for none;
 * {@value #BEFORE_START} more for a record that is only remembered), topic, partition, offset,
 * timestamp, time, id, key, value, and the headers; bytes follow their length, which is -1 for
 * null. A message that adds to a counter has version 2, and counter and delta at its end; an event
 * of a machine has version 3, and the machine's key and the event there; one that stands for copies
 * of its id has version 4, and their number there.
 */
final class MessageSerializer extends TypeSerializerSingleton<KafkaMessage> {
    static final MessageSerializer INSTANCE = new MessageSerializer();

    private static final byte VERSION = 1;
    private static final byte WITH_ADDITION = 2;
    private static final byte WITH_EVENT = 3;
    private static final byte WITH_COPIES = 4;
    private static final int BEFORE_START = 0x80;
    private static final Header[] NO_HEADERS = {};

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public KafkaMessage createInstance() {
        return new KafkaMessage(
                "", 0, 0, -1, null, null, NO_HEADERS, null, KafkaMessage.NO_TIME, null);
    }

    @Override
    public KafkaMessage copy(KafkaMessage from) {
        return from;
    }

    @Override
    public KafkaMessage copy(KafkaMessage from, KafkaMessage reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(KafkaMessage message, DataOutputView target) throws IOException {
        Content content = message.content();
        target.writeByte(version(content));
        int problem = message.problem() == null ? 0 : message.problem().number();
        target.writeByte(message.isBeforeStart() ? problem | BEFORE_START : problem);
        target.writeUTF(message.topic());
        target.writeInt(message.partition());
        target.writeLong(message.offset());
        target.writeLong(message.timestamp());
        target.writeLong(message.time());
        StringValue.writeString(message.id(), target);
        NullableBytes.write(message.key(), target);
        NullableBytes.write(message.value(), target);
        target.writeInt(message.headers().length);
        for (Header header : message.headers()) {
            NullableBytes.write(header.key().getBytes(StandardCharsets.UTF_8), target);
            NullableBytes.write(header.value(), target);
        }
        if (content instanceof Addition addition) {
            StringValue.writeString(addition.counter(), target);
            target.writeLong(addition.delta());
        } else if (content instanceof KeyedEvent event) {
            StringValue.writeString(event.key(), target);
            StringValue.writeString(event.event(), target);
        } else if (content instanceof Copies copies) {
            target.writeLong(copies.number());
        }
    }

    private static byte version(@Nullable Content content) {
        if (content == null) {
            return VERSION;
        }
        return content instanceof Addition
                ? WITH_ADDITION
                : content instanceof KeyedEvent ? WITH_EVENT : WITH_COPIES;
    }

    @Override
    public KafkaMessage deserialize(DataInputView source) throws IOException {
        byte version = source.readByte();
        if (version < VERSION || version > WITH_COPIES) {
            throw new IOException("a message of version " + version + ", but this reads 1 to 4");
        }
        int first = source.readUnsignedByte();
        Problem problem = problem(first & ~BEFORE_START);
        String topic = source.readUTF();
        int partition = source.readInt();
        long offset = source.readLong();
        long timestamp = source.readLong();
        long time = source.readLong();
        String id = StringValue.readString(source);
        byte[] key = NullableBytes.read(source);
        byte[] value = NullableBytes.read(source);
        return new KafkaMessage(
                topic,
                partition,
                offset,
                timestamp,
                key,
                value,
                readHeaders(source),
                id,
                time,
                problem,
                readContent(version, source),
                (first & BEFORE_START) != 0);
    }

    @Nullable
    private static Problem problem(int number) throws IOException {
        if (number == 0) {
            return null;
        }
        return Problem.ofNumber(number)
                .orElseThrow(() -> new IOException("a message with the unknown problem " + number));
    }

    @Nullable
    private static Content readContent(byte version, DataInputView source) throws IOException {
        return switch (version) {
            case WITH_ADDITION -> new Addition(StringValue.readString(source), source.readLong());
            case WITH_EVENT ->
                    new KeyedEvent(StringValue.readString(source), StringValue.readString(source));
            case WITH_COPIES -> new Copies(source.readLong());
            default -> null;
        };
    }

    private static Header[] readHeaders(DataInputView source) throws IOException {
        int count = source.readInt();
        if (count == 0) {
            return NO_HEADERS;
        }
        if (count < 0) {
            throw new IOException("a message with " + count + " headers");
        }
        Header[] headers = new Header[Math.min(count, 16)];
        for (int i = 0; i < count; i++) {
            byte[] name = NullableBytes.read(source);
            if (name == null) {
                throw new IOException("a header without a name");
            }
            if (i == headers.length) {
                headers = Arrays.copyOf(headers, Math.min(count, 2 * i));
            }
            headers[i] =
                    new RecordHeader(
                            new String(name, StandardCharsets.UTF_8), NullableBytes.read(source));
        }
        return headers;
    }

    @Override
    public KafkaMessage deserialize(KafkaMessage reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<KafkaMessage> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Records in a checkpoint which serializer wrote it; it has only version and class name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<KafkaMessage> {
        /** Called by Flink on restore. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
