/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.JobTopics;
import io.sluice.job.Packets;
import io.sluice.job.Topics;
import io.sluice.record.OperationBytes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounded jobs that follow flows, in topics with difficult times. */
class FlowsJobIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;
    private static final int[] FLAGS = {SYN, SYN | ACK, FIN | ACK, FIN | ACK};

    @TempDir private Path folder;

    /** Whole connections, one after the other, a packet every {@code step}. */
    private static final class Connections {
        private final Duration step;
        private final List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();

        /** How often each end occurs, by ms. */
        private final Map<Long, Integer> ends = new HashMap<>();

        Connections(Duration step) {
            this.step = step;
        }

        void add(int partition, int connections) {
            Instant time = Packets.START;
            for (int i = 0; i < connections; i++) {
                for (int packet = 0; packet < FLAGS.length; packet++) {
                    // 17 bits for the connections of a partition: no two share a 5-tuple.
                    add(partition, partition << 17 | i, packet, time);
                    time = time.plus(step);
                }
                ends.merge(time.minus(step).toEpochMilli(), 1, Integer::sum);
            }
        }

        void add(int partition, int connection, int packet, Instant time) {
            byte[] bytes = OperationBytes.segment(connection, packet % 2 == 0, FLAGS[packet], time);
            records.add(new ProducerRecord<>("packets", partition, null, bytes));
        }

        void send(EmbeddedKafka kafka) throws Exception {
            Map<String, Object> batches =
                    Map.of(
                            ProducerConfig.LINGER_MS_CONFIG,
                            20,
                            ProducerConfig.BATCH_SIZE_CONFIG,
                            128 << 10);
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka, batches)) {
                List<Future<RecordMetadata>> sent = new ArrayList<>(records.size());
                records.forEach(each -> sent.add(producer.send(each)));
                producer.flush();
                for (Future<RecordMetadata> result : sent) {
                    result.get();
                }
            }
        }
    }

    /** The flows that are over, by reason, and the end times of those that ended. */
    private record Result(Map<String, Integer> reasons, Map<Long, Integer> ends) {}

    private static Result run(LocalFlink flink, EmbeddedKafka kafka, String... more)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--bootstrap-servers=" + kafka.bootstrapServers());
        arguments.add("--bounded");
        FlowsOptions options = FlowsOptions.parse(arguments);
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        env.getConfig().setAutoWatermarkInterval(1);
        FlowsJob.define(env, options);
        flink.submit(env, "flows").awaitFinished(LIMIT);
        Result result = new Result(new HashMap<>(), new HashMap<>());
        for (ConsumerRecord<byte[], byte[]> value : Topics.readAll(kafka, options.flowsTopic)) {
            JsonNode json = new ObjectMapper().readTree(value.value());
            String reason = json.path("reason").asText();
            result.reasons.merge(reason, 1, Integer::sum);
            if (reason.equals("ended")) {
                result.ends.merge(json.path("timestamp").asLong(), 1, Integer::sum);
            }
        }
        return result;
    }

    @Test
    void onePacketDecadesAheadDoesNotStopTheEventTimeOfAJob() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            kafka.createTopics(1, "packets");
            int connections = 5_000;
            Connections sent = new Connections(Duration.ofSeconds(1));
            sent.add(0, 1 << 20, 0, Instant.parse("2100-01-01T00:00:00Z"));
            sent.add(0, connections);
            // One that is never answered, long before the end.
            sent.records.add(
                    1_000,
                    new ProducerRecord<>(
                            "packets",
                            0,
                            null,
                            OperationBytes.segment(
                                    1 << 21, true, SYN, Packets.START.plusSeconds(999))));
            sent.send(kafka);

            Result result = run(flink, kafka);

            assertThat(result.ends).isEqualTo(sent.ends);
            assertThat(result.reasons)
                    .as("the one without an answer times out; the wild one does, or is still open")
                    .isIn(
                            Map.of("ended", connections, "timed-out", 1, "end-of-input", 1),
                            Map.of("ended", connections, "timed-out", 2));
        }
    }

    @Test
    void flowsKeepTheirTimesThoughPartitionsWithABacklogAreReadOneAfterTheOther() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            int partitions = 2;
            kafka.createTopics(partitions, "packets");
            Connections sent = new Connections(Duration.ofMillis(500));
            for (int partition = 0; partition < partitions; partition++) {
                sent.add(partition, 75_000);
            }
            sent.send(kafka);

            Result result = run(flink, kafka);

            assertThat(result.reasons).isEqualTo(Map.of("ended", 150_000));
            assertThat(result.ends).isEqualTo(sent.ends);
        }
    }
}
