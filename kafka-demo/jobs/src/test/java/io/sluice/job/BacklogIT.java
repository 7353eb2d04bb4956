/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.kafka.Brokers;
import io.sluice.record.OperationBytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Partitions whose records wait while others are read, and partitions that are really silent. */
class BacklogIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PARTITIONS = 8;

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({"16, 4000", "64, 1000"})
    void aPartitionThatWaitsWithABacklogIsNotIdleAndNothingIsLate(int partitions, int each)
            throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            kafka.createTopics(partitions, "packets");
            Packets.send(kafka, "packets", partitions, each, Duration.ofMillis(20));

            // Much shorter than one partition takes, like a second for millions of records. A new
            // operation is so rarely taken for a retry that no run of this test sees it.
            CountersOptions options =
                    start(
                            flink,
                            kafka,
                            "--bounded",
                            "--idleness=5 ms",
                            "--within=1 s",
                            "--fpp=1e-9");

            assertThat(Topics.readAll(kafka, "packets")).hasSize(partitions * each);
            assertThat(Topics.readAll(kafka, options.lateTopic)).isEmpty();
            assertThat(Topics.readAll(kafka, options.duplicatesTopic)).isEmpty();
            assertThat(Topics.sum(kafka, options.outputTopic)).isEqualTo((long) partitions * each);
        }
    }

    @Test
    void aPartitionThatIsReadToItsEndDoesNotHoldEventTimeBack() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            // One is empty, one has records that were rolled back, one has a commit marker after
            // its last record.
            kafka.createTopics(4, "packets");
            Packets.send(kafka, "packets", 1, 2000, Duration.ofMillis(10));
            try (KafkaProducer<byte[], byte[]> producer =
                    Topics.producer(kafka, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "t"))) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(at(2, 1)).get();
                producer.abortTransaction();
                producer.beginTransaction();
                producer.send(at(3, 2)).get();
                producer.commitTransaction();
            }
            CountersOptions options = options(kafka, "--idleness=100 ms");
            RunningJob job = submit(flink, options);

            double last = Packets.START.plusMillis(2000 * 10 - 10).toEpochMilli() - 5001;
            job.await(
                    "at the end of the one partition that has records",
                    LIMIT,
                    () ->
                            flink
                                    .metrics()
                                    .valuesBy("split", "currentInputWatermark", "<subtask_index>")
                                    .values()
                                    .stream()
                                    .anyMatch(watermark -> watermark >= last));
            job.cancel();
        }
    }

    /** A source holds several requests at a time, whatever the topic has. */
    @Test
    void aRequestForABacklogInManyPartitionsHasAtMostEightMebibytes() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(PARTITIONS, "large");
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
                for (int i = 0; i < 30; i++) {
                    for (int partition = 0; partition < PARTITIONS; partition++) {
                        var unused =
                                producer.send(
                                        new ProducerRecord<>(
                                                "large", partition, null, new byte[100_000]));
                    }
                }
            }
            Properties settings =
                    KafkaEnds.consumer(Brokers.at(kafka.bootstrapServers()), "large-readers");
            try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
                consumer.assign(
                        IntStream.range(0, PARTITIONS)
                                .mapToObj(partition -> new TopicPartition("large", partition))
                                .toList());
                int read = 0;
                while (read < 30 * PARTITIONS) {
                    read += consumer.poll(LIMIT).count();
                }
                assertThat(largestFetch(consumer)).isBetween(1e6, 8 * 1024 * 1024 + 100_000.0);
            }
        }
    }

    private static double largestFetch(KafkaConsumer<?, ?> consumer) {
        return consumer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("fetch-size-max"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .max()
                .orElseThrow();
    }

    private static ProducerRecord<byte[], byte[]> at(int partition, long id) {
        return new ProducerRecord<>(
                "packets", partition, null, OperationBytes.of(id, Packets.START));
    }

    private static CountersOptions start(LocalFlink flink, EmbeddedKafka kafka, String... more)
            throws Exception {
        CountersOptions options = options(kafka, more);
        submit(flink, options).awaitFinished(LIMIT);
        return options;
    }

    private static CountersOptions options(EmbeddedKafka kafka, String... more) throws Exception {
        String[] arguments = new String[more.length + 1];
        arguments[0] = "--bootstrap-servers=" + kafka.bootstrapServers();
        System.arraycopy(more, 0, arguments, 1, more.length);
        CountersOptions options = CountersOptions.parse(arguments);
        JobTopics.prepare(options);
        return options;
    }

    private static RunningJob submit(LocalFlink flink, CountersOptions options) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        env.getConfig().setAutoWatermarkInterval(1);
        CountersJob.define(env, options);
        return flink.submit(env, "backlog");
    }
}
