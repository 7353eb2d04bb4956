/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** What other programs read of an id. */
class IdJsonTest {
    private static final byte[] NO_UTF8 = {(byte) 0xff, 'a'};

    private static String id(List<Field> fields, byte[] key, String value) throws IOException {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("in", 0, 0, key, value.getBytes(UTF_8));
        record.headers().add("h", NO_UTF8);
        return new MessageReader(fields, null, false, TimeFormat.DEFAULT, null).read(record).id();
    }

    private static String json(String key, String value, String... fields) throws IOException {
        List<Field> all = Stream.of(fields).map(Field::parse).toList();
        return new IdJson(all).json(id(all, key.getBytes(UTF_8), value));
    }

    private static byte[] bytes(byte[] key, String value, String field) throws IOException {
        List<Field> all = List.of(Field.parse(field));
        return new IdJson(all).bytes(id(all, key, value));
    }

    @Test
    void anIdOfOneFieldIsAScalarOfItsType() throws IOException {
        assertThat(json("k\u20ac\"", "", "key")).isEqualTo("\"k\u20ac\\\"\"");
        assertThat(json("", "", "header:h")).isEqualTo("\"\u00ffa\"");
        assertThat(json("", "{\"i\":\"7\"}", "json:/i")).isEqualTo("\"7\"");
        assertThat(json("", "{\"i\":7.0}", "json:/i")).isEqualTo("7");
        assertThat(json("", "{\"i\":-12e-3}", "json:/i")).isEqualTo("-12e-3");
        assertThat(json("", "{\"i\":false}", "json:/i")).isEqualTo("false");
        assertThat(json("", "", "topic")).isEqualTo("\"in\"");
    }

    /** Many programs read a number with an exponent as a double. */
    @Test
    void aLongIntegerIsWrittenWithAllItsDigits() throws IOException {
        for (String id :
                List.of(
                        Long.toString(Long.MAX_VALUE),
                        Long.toString(Long.MIN_VALUE),
                        "1" + "0".repeat(39))) {
            assertThat(json("", "{\"i\":" + id + "}", "json:/i")).isEqualTo(id);
        }
        assertThat(json("", "{\"i\":1e40}", "json:/i")).isEqualTo("1e40");
        assertThat(json("", "{\"i\":1e99999999}", "json:/i")).isEqualTo("1e99999999");
    }

    @Test
    void anIdOfSeveralIsAnArray() throws IOException {
        assertThat(json("3:x", "{\"i\":7}", "key", "json:/i", "topic", "value"))
                .isEqualTo("[\"3:x\",7,\"in\",\"{\\\"i\\\":7}\"]");
    }

    @Test
    void anIdThatWasTooLongIsItsHash() throws IOException {
        assertThat(json("x".repeat(200), "", "key")).matches("\"sha256:[0-9a-f]{64}\"");
        assertThat(json("x".repeat(200), "", "key", "topic")).matches("\"sha256:[0-9a-f]{64}\"");
    }

    @Test
    void theBytesOfAKeyAreTheKeyAndOthersTheirJson() throws IOException {
        assertThat(bytes(NO_UTF8, "", "key")).isEqualTo(NO_UTF8);
        assertThat(bytes(NO_UTF8, "v", "value")).isEqualTo(new byte[] {'v'});
        assertThat(bytes(NO_UTF8, "{\"i\":\"v\"}", "json:/i")).asString(UTF_8).isEqualTo("\"v\"");
        assertThat(bytes(NO_UTF8, "", "topic")).asString(UTF_8).isEqualTo("\"in\"");
        assertThat(bytes(new byte[200], "", "key")).asString(UTF_8).startsWith("\"sha256:");
    }

    private static String shown(String id, String... fields) {
        return new IdJson(Stream.of(fields).map(Field::parse).toList()).json(id);
    }

    /** A count that was held when the job was restored with other fields. */
    @Test
    void anIdOfOtherFieldsIsItsText() {
        assertThat(shown(".abc", "key", "topic")).isEqualTo("\"abc\"");
        assertThat(shown(".x:1", "key", "topic")).isEqualTo("\"x:1\"");
        assertThat(shown(".3:abc", "key", "topic")).isEqualTo("\"3:abc\"");
        assertThat(shown(".9:abc", "key", "topic")).isEqualTo("\"9:abc\"");
        assertThat(shown(".99999999999:a1:b", "key", "topic")).isEqualTo("\"99999999999:a1:b\"");
        assertThat(shown(".1:a1:bc", "key", "topic")).isEqualTo("\"1:a1:bc\"");
        assertThat(shown(".", "json:/i")).isEqualTo("\"\"");
        assertThat(shown(".name", "json:/i")).isEqualTo("\"name\"");
        assertThat(shown(".tree", "json:/i")).isEqualTo("\"tree\"");
        assertThat(shown(".0:1:a", "json:/i", "key")).isEqualTo("[\"\",\"a\"]");
    }

    @Test
    void anIdOfOtherFieldsKeepsItsCharacters() {
        IdJson two = new IdJson(List.of(Field.parse("key"), Field.parse("topic")));
        assertThat(two.json(MessageReader.PLAIN + "s\u20ac")).isEqualTo("\"s\u20ac\"");
    }
}
