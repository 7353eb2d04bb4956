/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.job.Topics;
import io.sluice.job.message.MessageEnds;
import io.sluice.job.message.SplitMessages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records without a value on a compacted topic. */
class TombstonesIT extends DedupFixture {
    private static final int KEYS = 50;
    private static final int CHANGES = 20;

    private String compacted;

    @BeforeEach
    void compact() throws IOException {
        compacted = topic + "-compacted";
        kafka.createTopics(2, Map.of("cleanup.policy", "compact"), compacted);
    }

    private List<String> run(String tombstones) throws Exception {
        flink.submit(
                        env(
                                "--input-topic=" + compacted,
                                "--id=json:/event",
                                tombstones,
                                "--bounded"),
                        topic)
                .awaitFinished(LIMIT);
        List<String> records = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, topic + "-out")) {
            records.add(text(record.key()) + '=' + text(record.value()));
        }
        return records;
    }

    private static String text(@Nullable byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, UTF_8);
    }

    private void send(KafkaProducer<byte[], byte[]> producer, int key, @Nullable String value) {
        var unused =
                producer.send(
                        new ProducerRecord<>(
                                compacted,
                                key % 2,
                                ("k" + key).getBytes(UTF_8),
                                value == null ? null : value.getBytes(UTF_8)));
    }

    private static Map<String, List<String>> byKey(List<String> records) {
        Map<String, List<String>> byKey = new TreeMap<>();
        for (String record : records) {
            byKey.computeIfAbsent(record.substring(0, record.indexOf('=')), k -> new ArrayList<>())
                    .add(record);
        }
        return byKey;
    }

    @Test
    void eachPassesBehindTheRecordsOfItsKey() throws Exception {
        List<String> expected = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int change = 0; change < CHANGES; change++) {
                for (int key = 0; key < KEYS; key++) {
                    String value = "{\"event\":" + (change * KEYS + key) + "}";
                    send(producer, key, value);
                    send(producer, key, value);
                    send(producer, key, null);
                    expected.add("k" + key + '=' + value);
                    expected.add("k" + key + "=null");
                }
            }
        }

        assertThat(byKey(run("--tombstones=forward"))).isEqualTo(byKey(expected));
    }

    @Test
    void withTheirKeyAsIdOnePassesWithinTheWindow() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, 1, "{\"event\":1}");
            send(producer, 1, null);
            send(producer, 1, null);
            send(producer, 3, null);
        }

        assertThat(run("--tombstones=id-of-key"))
                .containsExactlyInAnyOrder("k1={\"event\":1}", "k1=null", "k3=null")
                .containsSubsequence("k1={\"event\":1}", "k1=null");
    }

    @Test
    void theyMayBeDropped() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, 1, "{\"event\":1}");
            send(producer, 1, null);
        }

        assertThat(run("--tombstones=drop")).containsExactly("k1={\"event\":1}");
        assertThat(flink.metrics().total(MessageEnds.SPLIT, SplitMessages.DROPPED_TOMBSTONES))
                .isEqualTo(1);
    }
}
