/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.message.KafkaMessage.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which counter a record adds to, and what. */
class AdditionTest {

    private static MessageReader reader(
            @Nullable SchemaRegistry registry, @Nullable String delta, String... counter) {
        MessageLayout layout =
                new MessageLayout(
                        List.of(Field.parse("topic")),
                        null,
                        false,
                        TimeFormat.DEFAULT,
                        registry,
                        null,
                        true);
        return new MessageReader(
                layout.counting(
                        Stream.of(counter).map(Field::parse).toList(),
                        delta == null ? null : Field.parse(delta)));
    }

    private static KafkaMessage read(MessageReader reader, @Nullable byte[] key, byte[] value)
            throws IOException {
        return reader.read(new ConsumerRecord<>("in", 0, 0, key, value));
    }

    private static KafkaMessage json(MessageReader reader, String json) throws IOException {
        return read(reader, null, json.getBytes(UTF_8));
    }

    private static String name(KafkaMessage message) {
        assertThat(message.problem()).isNull();
        return new String(message.addition().name(), UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; 0",
                "-0.0; 0",
                "0e999999999; 0",
                "7; 7",
                "7.000; 7",
                "1.2e1; 12",
                "70E-1; 7",
                "-3; -3",
                "9007199254740992; 9007199254740992",
                "-9007199254740992; -9007199254740992",
                "9007199254740993; delta-too-large",
                "1e17; delta-too-large",
                "1e999999999; delta-too-large",
                "-1e2147483647; delta-too-large",
                "99999999999999999999.5; delta-too-large",
                "1.5; fractional-delta",
                "1e-1; fractional-delta",
                "1e-999999999; fractional-delta",
                "true; no-delta",
                "null; no-delta",
                "{}; no-delta",
                "[1]; no-delta",
                "\"\"; no-delta",
                "\"x\"; no-delta",
                "\"1 2\"; no-delta",
                "\"NaN\"; no-delta",
                "\" 5 \"; 5",
            })
    void aDeltaIsAWholeNumberByItsValue(String number, String expected) throws IOException {
        KafkaMessage message =
                json(reader(null, "json:/n", "json:/p"), "{\"p\":\"a\",\"n\":" + number + "}");
        assertThat(
                        message.problem() == null
                                ? Long.toString(message.addition().delta())
                                : message.problem().code())
                .isEqualTo(expected);
        assertThat(message.addition() == null).isEqualTo(message.problem() != null);
    }

    @Test
    void aDeltaOfManyDigitsIsReadInNoTime() throws IOException {
        String digits = "\"" + "9".repeat(2_000_000) + "\"";
        assertThat(
                        json(
                                        reader(null, "json:/n", "json:/p"),
                                        "{\"p\":\"a\",\"n\":" + digits + "}")
                                .problem())
                .isEqualTo(Problem.NO_DELTA);
    }

    @Test
    void aNameIsTheSameWhateverItWas() throws IOException {
        MessageReader reader = reader(null, null, "json:/p|key");
        assertThat(name(json(reader, "{\"p\":7}"))).isEqualTo("7");
        assertThat(name(json(reader, "{\"p\":\"7\"}"))).isEqualTo("7");
        assertThat(name(read(reader, "7".getBytes(UTF_8), "{}".getBytes(UTF_8)))).isEqualTo("7");
        assertThat(name(json(reader, "{\"p\":true}"))).isEqualTo("true");
        assertThat(name(json(reader, "{\"p\":\"\"}"))).isEmpty();
        assertThat(json(reader, "{}").problem()).isEqualTo(Problem.NO_COUNTER);
        assertThat(name(json(reader(null, null, "topic"), "{}"))).isEqualTo("in");
    }

    @Test
    void halfOfAPairOfSurrogatesIsNotAName() throws IOException {
        assertThat(json(reader(null, null, "json:/p"), "{\"p\":\"\\ud83d\"}").problem())
                .isEqualTo(Problem.NO_COUNTER);
        assertThat(name(json(reader(null, null, "json:/p"), "{\"p\":\"\\ud83d\\ude00\"}")))
                .isEqualTo("\ud83d\ude00");
    }

    @Test
    void bytesThatAreNotTextAreANameAloneAndNotAmongOthers() throws IOException {
        byte[] key = {(byte) 0xc3, 0x28};
        byte[] value = "{\"p\":1}".getBytes(UTF_8);
        assertThat(read(reader(null, null, "key"), key, value).addition().name()).isEqualTo(key);
        assertThat(read(reader(null, null, "key", "json:/p"), key, value).problem())
                .isEqualTo(Problem.NO_COUNTER);
    }

    @Test
    void namesOfSeveralFieldsDoNotRunTogether() throws IOException {
        MessageReader reader = reader(null, null, "json:/p", "json:/q");
        assertThat(name(json(reader, "{\"p\":\"a\\\"\",\"q\":\"b\"}")))
                .isEqualTo("[\"a\\\"\",\"b\"]");
        assertThat(name(json(reader, "{\"p\":\"a\",\"q\":\"\\\"b\"}")))
                .isEqualTo("[\"a\",\"\\\"b\"]");
        assertThat(json(reader, "{\"p\":\"a\"}").problem()).isEqualTo(Problem.NO_COUNTER);
    }

    @Test
    void aNameMayHaveAThousandBytes() throws IOException {
        MessageReader reader = reader(null, null, "json:/p");
        assertThat(name(json(reader, "{\"p\":\"" + "é".repeat(500) + "\"}"))).hasSize(500);
        assertThat(json(reader, "{\"p\":\"" + "é".repeat(501) + "\"}").problem())
                .isEqualTo(Problem.LONG_COUNTER);
    }

    @Test
    void aProblemOfTheIdComesFirst() throws IOException {
        assertThat(json(reader(null, null, "json:/p"), "{\"p\":").problem())
                .isEqualTo(Problem.NOT_JSON);
    }

    @Test
    void counterAndDeltaAreReadFromAvro() throws IOException {
        Schema schema =
                SchemaBuilder.record("View")
                        .fields()
                        .optionalString("page")
                        .requiredLong("n")
                        .requiredBytes("raw")
                        .endRecord();
        GenericData.Record view = new GenericData.Record(schema);
        view.put("page", "/é");
        view.put("n", -4L);
        view.put("raw", ByteBuffer.wrap(new byte[] {(byte) 0xff}));
        try (FakeRegistry registry = FakeRegistry.start()) {
            registry.put(3, schema.toString());
            SchemaRegistry schemas = SchemaRegistry.at(registry.url(), Map.of());
            MessageReader reader = reader(schemas, "avro:/n", "avro:/page");

            KafkaMessage message = read(reader, null, avro(schema, view));

            assertThat(name(message)).isEqualTo("/é");
            assertThat(message.addition().delta()).isEqualTo(-4);
            view.put("page", null);
            assertThat(read(reader, null, avro(schema, view)).problem())
                    .isEqualTo(Problem.NO_COUNTER);
            assertThat(
                            read(reader(schemas, "avro:/n", "avro:/raw"), null, avro(schema, view))
                                    .addition()
                                    .counter()
                                    .getBytes(ISO_8859_1))
                    .isEqualTo(new byte[] {(byte) 0xff});
        }
    }

    private static byte[] avro(Schema schema, GenericData.Record record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<GenericData.Record>(schema).write(record, encoder);
        encoder.flush();
        return FakeRegistry.framed(3, bytes.toByteArray());
    }
}
