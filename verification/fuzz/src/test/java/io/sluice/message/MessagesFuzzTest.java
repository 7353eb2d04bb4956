/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static io.sluice.fuzz.Reading.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.fuzz.Reading;
import io.sluice.message.KafkaMessage.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.SchemaParseException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Ids and times in records of any topic: whatever the bytes are, a message or a reason. */
class MessagesFuzzTest {

    private static final int SCHEMA = 7;

    private static FakeRegistry registry;

    /** One for all inputs: each has an HTTP client. */
    private static SchemaRegistry schemas;

    @BeforeAll
    static void start() throws IOException {
        registry = FakeRegistry.start();
        schemas = SchemaRegistry.at(registry.url(), Map.of());
        registry.put(
                SCHEMA,
                "{\"type\":\"record\",\"name\":\"o\",\"fields\":["
                    + "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":[\"null\",\"bytes\",{\"type\":\"array\",\"items\":\"double\"}]}},"
                    + "{\"name\":\"id\",\"type\":[\"null\",\"string\",\"long\",{\"type\":\"fixed\",\"name\":\"f\",\"size\":3},"
                    + "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}]},"
                    + "{\"name\":\"next\",\"type\":[\"null\",\"o\"]},"
                    + "{\"name\":\"at\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}}]}");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @FuzzTest
    void json(byte[] value) throws IOException {
        read(value, List.of("json:/a/0/b", "json:/id"), "json:/time", null);
    }

    @FuzzTest
    void avro(byte[] datum) throws IOException {
        byte[] value =
                ByteBuffer.allocate(5 + datum.length)
                        .put((byte) 0)
                        .putInt(SCHEMA)
                        .put(datum)
                        .array();
        read(value, List.of("avro:/next/id", "avro:/m/a"), "avro:/at", schemas);
    }

    private static void read(byte[] value, List<String> ids, String time, SchemaRegistry registry)
            throws IOException {
        MessageReader reader =
                new MessageReader(
                        ids.stream().map(Field::parse).toList(),
                        Field.parse(time),
                        true,
                        TimeFormat.DEFAULT,
                        registry);
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("topic", 0, 0, new byte[] {1}, value);
        KafkaMessage message = reader.read(record);
        // Only the time is read after the id, so a record without one may have an id.
        boolean hasId = message.problem() == null || message.problem() == Problem.NO_TIME;
        check(hasId == (message.id() != null), "an id or a problem of the id");
        if (hasId) {
            Reading.accept();
        }
        KafkaMessage again = reader.read(record);
        check(
                Objects.equals(again.id(), message.id()) && again.time() == message.time(),
                "equal bytes give equal ids and times");
    }

    @FuzzTest
    void aSchemaOfAvro(byte[] schema) {
        try {
            String json = new String(schema, UTF_8);
            check(KnownSchemas.parse(json, KnownSchemas.parser()) != null, "a schema");
            Reading.accept();
        } catch (SchemaParseException refused) {
            // What a text that is not a schema is owed.
        }
    }
}
