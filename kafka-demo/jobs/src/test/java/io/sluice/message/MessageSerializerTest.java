/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;

/** Flink's own suite for serializers, and damaged bytes. */
class MessageSerializerTest extends SerializerTestBase<KafkaMessage> {
    @Override
    protected TypeSerializer<KafkaMessage> createSerializer() {
        return MessageSerializer.INSTANCE;
    }

    @Override
    protected int getLength() {
        return -1;
    }

    @Override
    protected Class<KafkaMessage> getTypeClass() {
        return KafkaMessage.class;
    }

    @Override
    protected KafkaMessage[] getTestData() {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        KafkaMessage[] data = new KafkaMessage[60];
        for (int i = 0; i < data.length; i++) {
            data[i] = i % 7 == 3 ? next(random, i).beforeStart() : next(random, i);
        }
        return data;
    }

    private static KafkaMessage next(SplitMix64 random, int i) {
        Header[] headers = new Header[i % 4 == 0 ? 0 : i % 40];
        for (int h = 0; h < headers.length; h++) {
            headers[h] = new RecordHeader("h\u20ac" + h, bytes(random, h % 5 - 1));
        }
        KafkaMessage.Problem[] problems = KafkaMessage.Problem.values();
        return new KafkaMessage(
                "topic-" + i % 3,
                i % 7,
                random.nextLong(),
                i % 5 == 0 ? -1 : random.nextLong(),
                bytes(random, i % 9 - 1),
                bytes(random, i % 6 == 0 ? -1 : i * 11),
                headers,
                i % 8 == 0 ? null : new String(bytes(random, i), StandardCharsets.ISO_8859_1),
                i % 6 == 0 ? KafkaMessage.NO_TIME : random.nextLong(),
                i % 3 == 0 ? problems[i / 3 % problems.length] : null,
                content(random, i),
                i % 4 == 1);
    }

    private static Content content(SplitMix64 random, int i) {
        String text = new String(bytes(random, i), StandardCharsets.ISO_8859_1);
        return switch (i % 5) {
            case 0 -> null;
            case 1 -> new KeyedEvent(text, "event\u20ac" + i);
            case 2 -> new Copies(random.nextLong());
            default -> new Addition(text, random.nextLong());
        };
    }

    private static byte[] bytes(SplitMix64 random, int length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextLong();
        }
        return bytes;
    }

    @Test
    void flinkFindsTheTypeByItself() {
        TypeInformation<KafkaMessage> found = TypeInformation.of(KafkaMessage.class);
        assertThat(found.createSerializer(new SerializerConfigImpl()))
                .isSameAs(MessageSerializer.INSTANCE);
    }

    @Test
    void anotherVersionAndAnUnknownProblemAreRefused() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        MessageSerializer.INSTANCE.serialize(getTestData()[1], out);
        byte[] bytes = out.getCopyOfBuffer();
        for (int at = 0; at < 2; at++) {
            byte[] damaged = bytes.clone();
            damaged[at] = 99;
            assertThatThrownBy(
                            () ->
                                    MessageSerializer.INSTANCE.deserialize(
                                            new DataInputDeserializer(damaged)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("99");
        }
    }
}
