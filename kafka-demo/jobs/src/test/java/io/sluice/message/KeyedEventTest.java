/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Which event of which machine a record is. */
class KeyedEventTest {

    private static MessageReader reader(String event, String... key) {
        MessageLayout layout =
                new MessageLayout(
                        List.of(Field.parse("header:no-such-id")),
                        null,
                        false,
                        TimeFormat.DEFAULT,
                        null,
                        null,
                        true);
        return new MessageReader(
                layout.following(Stream.of(key).map(Field::parse).toList(), Field.parse(event)));
    }

    private static KafkaMessage read(MessageReader reader, @Nullable String key, String value)
            throws IOException {
        return reader.read(
                new ConsumerRecord<>(
                        "in",
                        0,
                        0,
                        key == null ? null : key.getBytes(UTF_8),
                        value.getBytes(UTF_8)));
    }

    private static String read(String value) throws IOException {
        KafkaMessage message = read(reader("json:/type", "json:/session"), null, value);
        return message.problem() != null
                ? message.problem().code()
                : utf8(message.event().key()) + ' ' + message.event().event();
    }

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(ISO_8859_1), UTF_8);
    }

    @Test
    void keyAndEventAreTheTextOfTheirFields() throws IOException {
        assertThat(read("{\"session\":\"sé\",\"type\":\"log in\"}")).isEqualTo("sé log in");
        assertThat(read("{\"session\":7,\"type\":-3}")).isEqualTo("7 -3");
        assertThat(read("{\"session\":\"7\",\"type\":true}")).isEqualTo("7 true");
        assertThat(read("{\"session\":\"\",\"type\":\"\"}")).isEqualTo(" ");
    }

    @Test
    void severalFieldsAreOneKeyAndAPartOfTheRecordMayBeOne() throws IOException {
        KafkaMessage several =
                read(reader("value", "key", "json:/a|topic"), "k\"", "{\"a\":\"b\"}");
        assertThat(utf8(several.event().key())).isEqualTo("[\"k\\\"\",\"b\"]");
        assertThat(several.event().event()).isEqualTo("{\"a\":\"b\"}");
        assertThat(several.addition()).isNull();
    }

    @Test
    void whatIsMissingIsAProblem() throws IOException {
        assertThat(read("{\"type\":\"a\"}")).isEqualTo("no-machine");
        assertThat(read("{\"session\":null,\"type\":\"a\"}")).isEqualTo("no-machine");
        assertThat(read("{\"session\":[1],\"type\":\"a\"}")).isEqualTo("no-machine");
        assertThat(read("{\"session\":1}")).isEqualTo("no-event");
        assertThat(read("{\"session\":1,\"type\":{}}")).isEqualTo("no-event");
        assertThat(read("{\"session\":1,\"type\":\"a\"")).isEqualTo("not-json");
        assertThat(read("{\"session\":\"" + "x".repeat(1_001) + "\",\"type\":\"a\"}"))
                .isEqualTo("machine-too-long");
        assertThat(read("{\"session\":1,\"type\":\"" + "x".repeat(1_001) + "\"}"))
                .isEqualTo("event-too-long");
        assertThat(read("{\"session\":1,\"type\":\"" + "x".repeat(1_000) + "\"}")).hasSize(1_002);
    }
}
