/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.streams;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamsDeduplicationTest {
    private static final Duration WINDOW = Duration.ofHours(1);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir private Path directory;

    private TopologyTestDriver driver;
    private TestInputTopic<byte[], byte[]> input;
    private TestOutputTopic<byte[], byte[]> output;

    @BeforeEach
    void start() {
        StreamsDeduplication application =
                new StreamsDeduplication(
                        "streams",
                        "localhost:1",
                        "in",
                        "out",
                        "/order/id",
                        WINDOW,
                        Duration.ofSeconds(1),
                        1,
                        directory);
        driver = new TopologyTestDriver(application.topology(), application.settings());
        input = driver.createInputTopic("in", new ByteArraySerializer(), new ByteArraySerializer());
        output =
                driver.createOutputTopic(
                        "out", new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @AfterEach
    void stop() {
        driver.close();
    }

    private void send(String id, Duration after) {
        input.pipeInput(bytes("customer"), bytes(json(id)), START.plus(after));
    }

    private static String json(String id) {
        return "{\"type\":\"placed\",\"id\":7,\"order\":{\"amount\":1,\"id\":\"" + id + "\"}}";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private List<String> received() {
        return output.readValuesToList().stream().map(value -> new String(value, UTF_8)).toList();
    }

    @Test
    void theFirstRecordOfAnIdPassesAsItIs() {
        send("a", Duration.ZERO);

        TestRecord<byte[], byte[]> record = output.readRecord();
        assertThat(new String(record.key(), UTF_8)).isEqualTo("customer");
        assertThat(new String(record.value(), UTF_8)).isEqualTo(json("a"));
        assertThat(record.getRecordTime()).isEqualTo(START);
        assertThat(output.isEmpty()).isTrue();
    }

    @Test
    void aDuplicateWithinTheWindowDoesNotPass() {
        send("a", Duration.ZERO);
        send("a", Duration.ZERO);
        send("b", Duration.ofMinutes(1));
        send("a", WINDOW);

        assertThat(received()).containsExactly(json("a"), json("b"));
    }

    @Test
    void aDuplicateAfterTheWindowPassesAndBeginsAnother() {
        send("a", Duration.ZERO);
        send("a", WINDOW.plusMillis(1));
        send("a", WINDOW.multipliedBy(2));
        send("a", WINDOW.multipliedBy(2).plusMillis(2));

        assertThat(received()).containsExactly(json("a"), json("a"), json("a"));
    }

    @Test
    void aDuplicateThatIsOlderThanItsFirstDoesNotPass() {
        send("a", WINDOW);
        send("a", Duration.ZERO);

        assertThat(received()).containsExactly(json("a"));
    }

    @Test
    void anIdIsNotTheBeginningOfAnother() {
        List<String> ids = List.of("a", "aa", "b", "");
        ids.forEach(id -> send(id, Duration.ZERO));
        ids.forEach(id -> send(id, Duration.ofMinutes(1)));

        assertThat(received()).isEqualTo(ids.stream().map(StreamsDeduplicationTest::json).toList());
    }

    @Test
    void aRecordWithoutAnIdEndsTheApplication() {
        for (String value : Arrays.asList("{\"order\":{}}", "no JSON")) {
            assertThatThrownBy(() -> input.pipeInput(null, bytes(value), START))
                    .isInstanceOf(StreamsException.class);
        }
    }
}
