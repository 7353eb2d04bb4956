/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands that the README and the pages that it names say to write do what they say: the text
 * is theirs.
 */
class ReadmeCommandsTest {

    /** A word, in quotes or not. */
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    @TempDir Path folder;

    @Test
    void aTopicIsCopiedEachIdOnce() throws Exception {
        String command = Snippet.ofReadme("### A Kafka topic", "sh", "./sluice job dedup").code();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(1, "orders");
            send(
                    kafka,
                    "{\"order\":{\"id\":1}}",
                    "{\"order\":{\"id\":2}}",
                    "{\"order\":{\"id\":1}}");

            List<String> words = words(command.replace("HOST:PORT", kafka.bootstrapServers()));
            words.add("--bounded");
            assertThat(Sluice.run(words.toArray(String[]::new))).isZero();

            assertThat(received(kafka, "orders-deduplicated"))
                    .containsExactlyInAnyOrder("{\"order\":{\"id\":1}}", "{\"order\":{\"id\":2}}");
        }
    }

    @Test
    void aCaptureIsFollowed() throws Exception {
        Path capture = folder.resolve("capture.pcap.gz");
        assertThat(Sluice.run("generate", "--packets", "2000", capture.toString())).isZero();
        String command =
                Snippet.below(
                                Path.of("docs/flows.md"),
                                "# TCP flows of captures, without Kafka",
                                "sh",
                                "./sluice flows")
                        .code();

        List<String> words = words(command.replace("capture.pcap.gz", capture.toString()));
        words.add("--out=" + folder.resolve("flows"));
        assertThat(Sluice.run(words.toArray(String[]::new))).isZero();

        assertThat(Files.readAllLines(folder.resolve("flows").resolve("conn.log")))
                .anyMatch(line -> line.startsWith("#fields"))
                .anyMatch(line -> !line.startsWith("#"));
    }

    /** The arguments of a command line that begins with {@code ./sluice}. */
    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command);
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        }
        assertThat(words.remove(0)).isEqualTo("./sluice");
        return words;
    }

    private static void send(EmbeddedKafka kafka, String... values) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>("orders", value)).get();
            }
        }
    }

    /** What was committed to the only partition of a topic. */
    private static List<String> received(EmbeddedKafka kafka, String topic) {
        TopicPartition partition = new TopicPartition(topic, 0);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                kafka.bootstrapServers(),
                                "isolation.level",
                                "read_committed"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(read -> values.add(read.value()));
            }
        }
        return values;
    }
}
