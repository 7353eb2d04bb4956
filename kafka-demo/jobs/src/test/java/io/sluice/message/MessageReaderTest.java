/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** What is read of a record, whatever its bytes are. */
class MessageReaderTest {
    private final RecordHeaders headers = new RecordHeaders();

    private static MessageReader reader(String... fields) throws IOException {
        return new MessageReader(
                Stream.of(fields).map(Field::parse).toList(),
                null,
                false,
                TimeFormat.DEFAULT,
                null);
    }

    private ConsumerRecord<byte[], byte[]> kafka(@Nullable byte[] key, @Nullable byte[] value) {
        return new ConsumerRecord<>(
                "in",
                3,
                17,
                1_700_000_000_000L,
                TimestampType.CREATE_TIME,
                0,
                0,
                key,
                value,
                headers,
                Optional.empty());
    }

    private String json(MessageReader reader, String json) {
        try {
            return reader.read(kafka(null, json.getBytes(UTF_8))).id();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void bytesHeadersAndTimestampStayAsTheyAre() throws IOException {
        headers.add("h", new byte[] {1}).add("h", null);
        byte[] value = {0, -1, 5};
        KafkaMessage message = reader("key").read(kafka(new byte[] {7}, value));
        assertThat(message.value()).isSameAs(value);
        assertThat(message.headers()).containsExactly(headers.toArray());
        assertThat(message.timestamp()).isEqualTo(1_700_000_000_000L);
        assertThat(message.partition()).isEqualTo(3);
        assertThat(message.problem()).isNull();
    }

    @Test
    void idsOfKeyValueTopicAndHeaderAreEqualExactlyIfTheBytesAre() throws IOException {
        headers.add("id", new byte[] {1}).add("id", "last".getBytes(UTF_8));
        for (String field : List.of("key", "value")) {
            Map<String, byte[]> seen = new HashMap<>();
            SplitMix64 random = new SplitMix64(TestSeed.SEED);
            for (int i = 0; i < 2000; i++) {
                byte[] bytes = new byte[i % 300];
                for (int b = 0; b < bytes.length; b++) {
                    bytes[b] = (byte) (random.nextLong() & (i % 2 == 0 ? 1 : 0xff));
                }
                String id = reader(field).read(kafka(bytes, bytes)).id();
                byte[] other = seen.putIfAbsent(id, bytes);
                assertThat(other == null || Arrays.equals(other, bytes)).isTrue();
                assertThat(reader(field).read(kafka(bytes.clone(), bytes.clone())).id())
                        .isEqualTo(id);
                assertThat(id.length()).isLessThanOrEqualTo(MessageReader.MAX_ID + 1);
            }
        }
        assertThat(reader("header:id").read(kafka(null, null)).id()).isEqualTo(".last");
        assertThat(reader("topic").read(kafka(null, null)).id()).isEqualTo(".in");
    }

    @Test
    void severalFieldsMakeOneIdThatNoOtherFieldsHave() throws IOException {
        headers.add("a", "1".getBytes(UTF_8));
        MessageReader reader = reader("key", "json:/b");
        assertThat(reader.read(kafka("x1:".getBytes(UTF_8), "{\"b\":\"y\"}".getBytes(UTF_8))).id())
                .isNotEqualTo(
                        reader.read(kafka("x".getBytes(UTF_8), "{\"b\":\"1:y\"}".getBytes(UTF_8)))
                                .id());
        assertThat(reader("header:a", "topic").read(kafka(null, null)).id()).isEqualTo(".1:12:in");
    }

    @Test
    void theFirstOfSeveralPlacesThatHasSomethingHasTheId() throws IOException {
        MessageReader reader = reader("header:ce_id|json:/id|key");
        byte[] key = "k".getBytes(UTF_8);
        byte[] json = "{\"id\":\"e1\"}".getBytes(UTF_8);
        String inJson = reader.read(kafka(key, json)).id();
        assertThat(inJson).isEqualTo(".se1");
        assertThat(reader.read(kafka(key, "{}".getBytes(UTF_8))).id()).isEqualTo(".sk");
        assertThat(reader.read(kafka(key, "no JSON".getBytes(UTF_8))).id()).isEqualTo(".sk");
        assertThat(reader.read(kafka(null, "{}".getBytes(UTF_8))).problem())
                .isEqualTo(KafkaMessage.Problem.NO_ID);
        assertThat(reader.read(kafka(null, "no JSON".getBytes(UTF_8))).problem())
                .isEqualTo(KafkaMessage.Problem.NOT_JSON);
        headers.add("ce_id", "e1".getBytes(UTF_8));
        // One event, in the binary mode of CloudEvents and in the structured one.
        assertThat(reader.read(kafka(null, "no JSON".getBytes(UTF_8))).id()).isEqualTo(inJson);
        assertThat(new IdJson(List.of(Field.parse("header:ce_id|json:/id|key"))).json(inJson))
                .isEqualTo("\"e1\"");
    }

    @Test
    void aNumberAndItsTextAreOneIdWhereItMayBeInSeveralPlaces() throws IOException {
        MessageReader reader = reader("json:/a|json:/b", "topic");
        assertThat(json(reader, "{\"a\":7}"))
                .isEqualTo(json(reader, "{\"b\":\"7\"}"))
                .isNotEqualTo(json(reader, "{\"b\":\"8\"}"));
    }

    @Test
    void theTimeMayBeInOneOfSeveralPlaces() throws IOException {
        MessageReader reader =
                new MessageReader(
                        List.of(Field.parse("topic")),
                        Field.parse("header:time|json:/t"),
                        true,
                        TimeFormat.DEFAULT,
                        null);
        byte[] json = "{\"t\":1700000000123}".getBytes(UTF_8);
        assertThat(reader.read(kafka(null, json)).time()).isEqualTo(1_700_000_000_123L);
        headers.add("time", "1700000000456".getBytes(UTF_8));
        assertThat(reader.read(kafka(null, json)).time()).isEqualTo(1_700_000_000_456L);
    }

    @Test
    void aBarBelongsToANameUnlessAPlaceFollows() {
        assertThat(Field.parse("header:a|b").alternatives()).hasSize(1);
        assertThat(Field.parse("json:/a|b").alternatives()).hasSize(1);
        assertThat(Field.parse("header:a|b|KEY").alternatives())
                .containsExactly(Field.parse("header:a|b"), Field.parse("key"));
        assertThat(Field.parse("avro:/a|json:/b").isAvro()).isTrue();
    }

    @Test
    void aDocumentWithoutSomeFieldsIsAnIdInWhateverOrderItIsWritten() throws IOException {
        MessageReader reader = reader("json-without:/sent_at+/meta/try");
        String expected =
                json(reader, "{\"a\":1.0,\"meta\":{\"try\":1,\"z\":[true,null]},\"sent_at\":5}");
        assertThat(expected).isEqualTo(".d{\"a\":1,\"meta\":{\"z\":[true,null]}}");
        assertThat(json(reader, " {\"meta\" : {\"z\":[true, null],\"try\":2}, \"a\":10e-1}"))
                .isEqualTo(expected);
        assertThat(json(reader, "{\"a\":1,\"meta\":{\"z\":[null,true]}}")).isNotEqualTo(expected);
        assertThat(json(reader, "{\"a\":\"1\",\"meta\":{\"z\":[true,null]}}"))
                .isNotEqualTo(expected);
        assertThat(json(reader, "{\"a\":\"" + "x".repeat(500) + "\"}")).startsWith("#");
        for (String bad : List.of("", "{", "{\"a\":1", "{} {}", "[1,2", "[".repeat(5000))) {
            assertThat(reader.read(kafka(null, bad.getBytes(UTF_8))).problem())
                    .as(bad)
                    .isEqualTo(KafkaMessage.Problem.NOT_JSON);
        }
        assertThat(reader.read(kafka(null, null)).problem()).isEqualTo(KafkaMessage.Problem.NO_ID);
        Field field = Field.parse("json-without:/sent_at+/meta/try");
        assertThat(new IdJson(List.of(field)).json(expected)).isEqualTo(expected.substring(2));
    }

    @Test
    void aValueThatIsCutOffBehindItsIdIsNotRead() throws IOException {
        MessageReader lenient =
                new MessageReader(
                        new MessageLayout(
                                List.of(Field.parse("json:/n")),
                                null,
                                false,
                                TimeFormat.DEFAULT,
                                null,
                                null,
                                false));
        for (String cut : List.of("{\"n\":5", "{\"n\":5,", "{\"n\":5} x", "{\"n\":5}{}")) {
            assertThat(reader("json:/n").read(kafka(null, cut.getBytes(UTF_8))).problem())
                    .as(cut)
                    .isEqualTo(KafkaMessage.Problem.NOT_JSON);
            assertThat(json(lenient, cut)).as(cut).isEqualTo(".n5");
        }
    }

    @Test
    void aJsonFieldIsFoundWhereverItIs() throws IOException {
        MessageReader reader = reader("json:/a/b/1");
        String expected = json(reader, "{\"a\":{\"b\":[0,\"x\"]}}");
        assertThat(expected).isEqualTo(".sx");
        assertThat(json(reader, "{\"z\":[{\"a\":1}],\"a\":{\"c\":{},\"b\":[[1],\"x\",{}]}}"))
                .isEqualTo(expected);
        assertThat(json(reader, "\0\0\0\0\7{\"a\":{\"b\":[0,\"x\"]}}"))
                .as("after a schema registry's number")
                .isEqualTo(expected);
        assertThat(json(reader("json:/~1~0"), "{\"/~\":true}")).isEqualTo(".true");
        assertThat(json(reader("json:/"), "{\"\":false}")).isEqualTo(".false");
        assertThat(json(reader("json:/a", "json:/a"), "{\"a\":5}")).isEqualTo(".2:n52:n5");
    }

    @Test
    void numbersAreEqualByValueAndDifferFromText() throws IOException {
        MessageReader reader = reader("json:/n");
        for (List<String> equal :
                List.of(
                        List.of("0", "-0", "0.0", "0e5", "-0.0e-3"),
                        List.of("7", "7.0", "70e-1", "0.7E1"),
                        List.of("100000000000000000", "1e17", "1.0E+17"),
                        List.of("1000000000000000000000", "1e21", "1000000000000000000000.0"),
                        List.of("1234567890123456789", "1234567890123456789.00"),
                        List.of("-123456789012345678", "-123456789012345678.0"),
                        List.of("1e-7", "0.0000001", "10e-8"))) {
            assertThat(equal.stream().map(n -> json(reader, "{\"n\":" + n + "}")).distinct())
                    .as("%s", equal)
                    .hasSize(1)
                    .doesNotContainNull();
        }
        assertThat(
                        Stream.of("7", "\"7\"", "70", "7.1", "-7", "7e400", "7e401", "true")
                                .map(n -> json(reader, "{\"n\":" + n + "}"))
                                .distinct())
                .hasSize(8);
    }

    @Test
    void whatHasNoIdIsToldAndNothingThrows() throws IOException {
        MessageReader reader = reader("json:/n");
        for (String none : List.of("{}", "[]", "5", "{\"n\":null}", "{\"n\":{}}", "{\"n\":[1]}")) {
            assertThat(reader.read(kafka(null, none.getBytes(UTF_8))).problem())
                    .as(none)
                    .isEqualTo(KafkaMessage.Problem.NO_ID);
        }
        for (String bad :
                List.of(
                        "",
                        " ",
                        "{",
                        "{\"n\":",
                        "{\"n\" 5}",
                        "nope",
                        "\0\0\0\0\0",
                        "[".repeat(5000),
                        "{\"n\":" + "9".repeat(5000) + "}",
                        "{\"n\":1e99999999999}",
                        "{\"n\":100e2147483647}",
                        "{\"n\":10e2147483648}",
                        "{\"n\":1e-2147483647}",
                        "{\"a\":\"\u0001\"}")) {
            KafkaMessage message = reader.read(kafka(null, bad.getBytes(UTF_8)));
            assertThat(message.id() == null).as(bad).isEqualTo(message.problem() != null);
        }
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        byte[] good = "{\"a\":[1,{\"b\":\"\\u20ac\"}],\"n\":12.5e3}".getBytes(UTF_8);
        for (int i = 0; i < 20_000; i++) {
            byte[] mutant = good.clone();
            for (int m = 0; m <= i % 3; m++) {
                mutant[Math.floorMod((int) random.nextLong(), mutant.length)] =
                        (byte) random.nextLong();
            }
            KafkaMessage message =
                    reader.read(kafka(null, Arrays.copyOf(mutant, 1 + i % good.length)));
            assertThat(message.id() == null).isEqualTo(message.problem() != null);
        }
        assertThat(reader("key").read(kafka(null, null)).problem())
                .isEqualTo(KafkaMessage.Problem.NO_ID);
        assertThat(reader("key").read(kafka(new byte[0], null)).id()).isEqualTo(".");
    }

    @Test
    void longIdsOfLoneSurrogatesStillDiffer() throws IOException {
        MessageReader reader = reader("json:/n");
        String padding = "x".repeat(200);
        assertThat(json(reader, "{\"n\":\"" + padding + "\\ud800\"}"))
                .isNotEqualTo(json(reader, "{\"n\":\"" + padding + "\\ud801\"}"))
                .startsWith("#");
    }

    @Test
    void timesAreMillisecondsOrIso() throws IOException {
        MessageReader reader =
                new MessageReader(
                        List.of(Field.parse("topic")),
                        Field.parse("json:/t"),
                        true,
                        TimeFormat.DEFAULT,
                        null);
        for (String time :
                List.of(
                        "1700000000123",
                        "1.700000000123e12",
                        "\"1700000000123\"",
                        "\"2023-11-14T22:13:20.123Z\"",
                        "\"2023-11-14T23:13:20.123456+01:00\"")) {
            assertThat(reader.read(kafka(null, ("{\"t\":" + time + "}").getBytes(UTF_8))).time())
                    .as(time)
                    .isEqualTo(1_700_000_000_123L);
        }
        for (String none :
                List.of("\"soon\"", "true", "{}", "null", "\"\"", "\"2023-11-14\"", "1e30")) {
            KafkaMessage message =
                    reader.read(kafka(null, ("{\"t\":" + none + "}").getBytes(UTF_8)));
            assertThat(message.problem()).as(none).isEqualTo(KafkaMessage.Problem.NO_TIME);
            assertThat(message.time()).as(none).isEqualTo(KafkaMessage.NO_TIME);
        }
    }

    @Test
    void aRecordThatIsNoJsonHasNoTimeWhenTheTimeIsInAField() throws IOException {
        MessageReader reader =
                new MessageReader(
                        List.of(Field.parse("key")),
                        Field.parse("json:/t"),
                        true,
                        TimeFormat.DEFAULT,
                        null);
        KafkaMessage message = reader.read(kafka(new byte[] {1}, "oops".getBytes(UTF_8)));
        assertThat(message.problem()).isEqualTo(KafkaMessage.Problem.NOT_JSON);
        assertThat(message.time()).isEqualTo(KafkaMessage.NO_TIME);
    }

    @Test
    void fieldsThatDoNotExistAreRefusedWithTheSyntax() throws IOException {
        for (String wrong :
                List.of(
                        "",
                        "keys",
                        "key|",
                        "header:|key",
                        "json-without:",
                        "header:",
                        "json:",
                        "json:a",
                        "json:/a~2",
                        "avro:x",
                        "json")) {
            assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Field.parse(wrong));
        }
        assertThat(Field.parse("KEY-JSON:/a")).isEqualTo(Field.parse("key-json:/a"));
    }
}
