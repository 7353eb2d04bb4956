/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.RowKind;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters as the SQL table that the documentation shows. */
class CounterTableIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir Path folder;

    @Test
    void theTableOfTheDocumentationHasTheLastValueOfEachCounter() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(2, "views");
            Map<String, Long> exact = send(kafka);
            CountersOptions options =
                    CountersOptions.parse(
                            "--bootstrap-servers=" + kafka.bootstrapServers(),
                            "--input-topic=views",
                            "--counter=json:/page",
                            "--id=json:/request",
                            "--delta=json:/n",
                            "--emit-every=0s",
                            "--parallelism=1",
                            "--bounded");
            assertThat(options.prepare(false)).isEmpty();
            try (LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
                StreamExecutionEnvironment env =
                        StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
                CountersJob.define(env, options);
                flink.submit(env, "counters").awaitFinished(LIMIT);
            }

            assertThat(rows(kafka)).isEqualTo(exact);
        }
    }

    /** Sends each operation twice, and returns what it makes of each page. */
    private static Map<String, Long> send(EmbeddedKafka kafka) {
        Map<String, Long> exact = new HashMap<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (int i = 0; i < 400; i++) {
                int request = i % 200;
                String page = "/page/" + request % 7;
                String json =
                        String.format(
                                "{\"page\":\"%s\",\"request\":%d,\"n\":%d}",
                                page, request, request % 11);
                var unused = producer.send(new ProducerRecord<>("views", json.getBytes(UTF_8)));
                if (i < 200) {
                    exact.merge(page, (long) request % 11, Long::sum);
                }
            }
        }
        return exact;
    }

    private static Map<String, Long> rows(EmbeddedKafka kafka) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        Snippet create =
                Snippet.below(
                        Path.of("docs/operations.md"),
                        "### Reading counters",
                        "sql",
                        "CREATE TABLE counters");
        tables.executeSql(
                        create.code()
                                .replace("broker:9092", kafka.bootstrapServers())
                                .replace(";", ""))
                .await();
        Map<String, Long> rows = new HashMap<>();
        // The input is bounded, so the rows end, and with them the job.
        tables.executeSql(
                        "SELECT counter, `value` FROM counters"
                                + " /*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */")
                .collect()
                .forEachRemaining(
                        row -> {
                            String counter = (String) row.getField(0);
                            if (row.getKind() == RowKind.INSERT
                                    || row.getKind() == RowKind.UPDATE_AFTER) {
                                rows.put(counter, (Long) row.getField(1));
                            } else if (row.getKind() == RowKind.DELETE) {
                                rows.remove(counter);
                            }
                        });
        return rows;
    }
}
