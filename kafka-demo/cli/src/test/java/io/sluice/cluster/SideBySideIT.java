/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.jar.Distribution;
import io.sluice.jar.OneJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster for both ways: {@code lib/} has Sluice's functions and Flink's Kafka connector for SQL,
 * and the job jar brings its own connector, for other clients. A topic is deduplicated by a query
 * and by the job.
 */
class SideBySideIT {

    private static final int IDS = 1000;

    @TempDir Path directory;

    @Test
    void aQueryAndTheJobDeduplicateATopicInOneCluster() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory);
                Distribution flink =
                        Distribution.assemble(
                                Files.createDirectories(directory.resolve("flink")),
                                List.of(OneJar.path()))) {
            String servers = kafka.bootstrapServers();
            kafka.createTopics(2, "orders", "orders-by-query");
            sendEachTwice(servers);
            flink.startCluster();

            String answer = flink.sql(List.of(), query(servers));
            flink.flink(
                    "run",
                    "-c",
                    "io.sluice.job.dedup.DedupJob",
                    JobJar.path().toString(),
                    "--bootstrap-servers",
                    servers,
                    "--input-topic",
                    "orders",
                    "--output-topic",
                    "orders-by-job",
                    "--id",
                    "json:/order_id",
                    "--within",
                    "1 h",
                    "--fpp",
                    "1e-6",
                    "--bounded");

            assertThat(ids(servers, "orders-by-query")).as(answer).isEqualTo(eachOnce());
            flink.until("the job's records", () -> ids(servers, "orders-by-job").size() >= IDS);
            assertThat(ids(servers, "orders-by-job")).isEqualTo(eachOnce());
        }
    }

    private static String query(String servers) {
        String table =
                """
                CREATE TABLE %s (order_id BIGINT, amount BIGINT) WITH (
                  'connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '%s',
                  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
                  'format' = 'json');
                """;
        return """
        SET 'state.backend.type' = 'io.sluice.state.CascadeStateBackendFactory';
        SET 'execution.checkpointing.incremental' = 'true';
        SET 'table.dml-sync' = 'true';
        LOAD MODULE sluice;
        """
                + table.formatted("orders", "orders", servers)
                + table.formatted("once", "orders-by-query", servers)
                + "INSERT INTO once"
                + " SELECT * FROM DEDUPLICATE(input => TABLE orders PARTITION BY order_id);";
    }

    private static void sendEachTwice(String servers) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < 2 * IDS; i++) {
                var unused = producer.send(new ProducerRecord<>("orders", row(i % IDS)));
            }
        }
    }

    private static String row(int id) {
        return "{\"order_id\":" + id + ",\"amount\":" + 3 * id + "}";
    }

    private static List<String> eachOnce() {
        return IntStream.range(0, IDS).mapToObj(SideBySideIT::row).sorted().toList();
    }

    private static List<String> ids(String servers, String topic) {
        List<String> rows = new ArrayList<>();
        CommittedTopic.read(servers, topic, (key, value) -> rows.add(value));
        rows.sort(null);
        return rows;
    }
}
