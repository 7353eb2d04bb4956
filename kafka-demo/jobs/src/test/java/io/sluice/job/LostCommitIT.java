/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.message.MessageProvenance;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * The broker has aborted a transaction of which the checkpoint says that it was written. A
 * savepoint of a job that runs on has such transactions, since it commits nothing.
 */
class LostCommitIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int IDS = 200;

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;

    private LocalFlink flink;
    private String topic;

    /** The number of the last savepoint. */
    private long checkpoint;

    @BeforeAll
    static void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
    }

    @AfterAll
    static void stop() throws IOException {
        kafka.close();
    }

    @AfterEach
    void stopFlink() throws IOException {
        flink.close();
    }

    @BeforeEach
    void startFlink(TestInfo test) throws IOException {
        flink = LocalFlink.start(folder, 1, 2);
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(3, topic);
    }

    /** Each id twice, once with a header, and a record without an id. */
    private void send() {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < 2 * IDS; i++) {
                String value = "{\"id\":" + i % IDS + ",\"n\":" + i + "}";
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(topic, i % 3, null, null, value.getBytes(UTF_8));
                if (i % 2 == 0) {
                    record.headers().add("h", value.getBytes(UTF_8));
                }
                var unused = producer.send(record);
            }
            var unused = producer.send(new ProducerRecord<>(topic, "no id".getBytes(UTF_8)));
        }
    }

    private void sendPackets() {
        try {
            Packets.send(kafka, topic + "-packets", 1, 100, Duration.ofMillis(10));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private DedupOptions options(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.addAll(
                List.of(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=" + topic,
                        "--within=1h",
                        "--id=json:/id",
                        "--parallelism=2",
                        "--checkpoint-interval=5s",
                        "--transaction-timeout=5s"));
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        return options;
    }

    private static StreamExecutionEnvironment env(DedupOptions options) {
        return env(env -> DedupJob.define(env, options));
    }

    private static StreamExecutionEnvironment env(Consumer<StreamExecutionEnvironment> job) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        job.accept(env);
        // None comes by itself.
        env.enableCheckpointing(Duration.ofDays(10).toMillis());
        return env;
    }

    /** Reads everything, and ends after a savepoint whose transactions are open. */
    private String savepointOfOpenTransactions(String... more) throws Exception {
        return savepointOfOpenTransactions(
                env(options(more)),
                this::send,
                () -> flink.metrics().total("Deduplicate: dedup", "records") == 2 * IDS);
    }

    private String savepointOfOpenTransactions(
            StreamExecutionEnvironment env, Runnable send, BooleanSupplier isRead)
            throws Exception {
        RunningJob job = flink.submit(env, topic);
        job.awaitRunning(LIMIT);
        // Flink takes the first one by itself; it must not commit what is sent.
        job.checkpoint();
        job.await(
                "without a checkpoint in progress",
                LIMIT,
                () -> job.statistics().getCounts().getNumberOfInProgressCheckpoints() == 0);
        send.run();
        job.await("read", LIMIT, isRead);
        String savepoint = job.savepoint();
        checkpoint = job.checkpoints().get(job.checkpoints().size() - 1).id();
        job.cancel();
        job.await("ended", LIMIT, job::hasEnded);
        return savepoint;
    }

    /** Commits a transaction, as a committer does that is restored. */
    private static void commit(String id) throws Exception {
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT);
                FlinkKafkaInternalProducer<byte[], byte[]> producer =
                        new FlinkKafkaInternalProducer<>(producer(), id)) {
            TransactionDescription transaction =
                    admin.describeTransactions(List.of(id)).description(id).get();
            producer.resumeTransaction(
                    transaction.producerId(), (short) transaction.producerEpoch());
            producer.commitTransaction();
        }
    }

    private static Properties producer() {
        Properties settings = Brokers.at(kafka.bootstrapServers()).producer();
        settings.put(
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        settings.put(
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        return settings;
    }

    /** The open transactions of the job. */
    private List<String> open() throws Exception {
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            return admin.listTransactions().all().get().stream()
                    .filter(listed -> listed.state() == TransactionState.ONGOING)
                    .map(TransactionListing::transactionalId)
                    .filter(id -> id.contains(topic))
                    .sorted()
                    .toList();
        }
    }

    /** Waits until the broker has aborted all transactions of the job. */
    private void awaitTimeout() throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!open().isEmpty()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    private void restore(String savepoint, String... more) throws Exception {
        restore(savepoint, env(options(more)));
    }

    private void restore(String savepoint, StreamExecutionEnvironment env) throws Exception {
        RunningJob job = flink.submit(env, topic, savepoint);
        job.awaitRunning(LIMIT);
        job.checkpoint();
        job.cancel();
        job.await("ended", LIMIT, job::hasEnded);
    }

    /** How often each record is there, by value and partition. */
    private static SortedMap<String, Integer> records(String topic) {
        SortedMap<String, Integer> records = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, topic)) {
            StringBuilder text = new StringBuilder();
            text.append(record.partition()).append(' ').append(new String(record.value(), UTF_8));
            record.headers().forEach(header -> text.append(' ').append(header.key()));
            records.merge(text.toString(), 1, Integer::sum);
        }
        return records;
    }

    @Test
    void recordsOfAnAbortedTransactionAreReadAndWrittenOnceMoreOnce() throws Exception {
        String savepoint = savepointOfOpenTransactions("--on-duplicate=topic");
        List<String> open = open();
        assertThat(open).as("two of output and duplicates, one of dead letters").hasSize(5);
        commit(open.get(1));
        commit(open.get(3));
        awaitTimeout();

        for (int restore = 0; restore < 2; restore++) {
            restore(savepoint, "--on-duplicate=topic");

            SortedMap<String, Integer> output = records(topic + "-deduplicated");
            SortedMap<String, Integer> duplicates = records(topic + "-deduplicated-duplicates");
            SortedMap<String, Integer> letters = records(topic + "-deduplicated-dead-letters");
            assertThat(output).hasSize(IDS);
            assertThat(output.values()).containsOnly(1);
            assertThat(output.keySet().stream().filter(text -> text.endsWith(" h")))
                    .hasSize(IDS / 2);
            assertThat(duplicates).hasSize(IDS);
            assertThat(duplicates.values()).containsOnly(1);
            assertThat(letters.values()).containsExactly(1);
            assertThat(letters.firstKey()).contains("no id " + DeadLetterSchema.REASON);
        }
    }

    @Test
    void aTaggedDuplicateIsTaggedOnceMore() throws Exception {
        String savepoint = savepointOfOpenTransactions("--on-duplicate=tag");
        awaitTimeout();

        restore(savepoint, "--on-duplicate=tag");

        SortedMap<String, Integer> output = records(topic + "-deduplicated");
        assertThat(output.values()).hasSize(2 * IDS).containsOnly(1);
        assertThat(
                        output.keySet().stream()
                                .filter(t -> t.endsWith(MessageProvenance.DUPLICATE_HEADER)))
                .hasSize(IDS);
    }

    @Test
    void aJobMayStopInsteadNamingCheckpointAndOffsetsOrGoOn() throws Exception {
        String savepoint = savepointOfOpenTransactions();
        awaitTimeout();

        assertThatIOException()
                .isThrownBy(() -> restore(savepoint, "--on-lost-commit=fail"))
                .withStackTraceContaining("checkpoint " + checkpoint + " says that ")
                .withStackTraceContaining(" records made from " + topic + "-")
                .withStackTraceContaining(" from offset ")
                .withStackTraceContaining("but Kafka has aborted their transaction")
                .withStackTraceContaining("say --on-lost-commit reread");

        restore(savepoint, "--on-lost-commit=ignore");
        assertThat(records(topic + "-deduplicated")).isEmpty();
    }

    @Test
    void aJobWhoseResultsCannotBeReadAgainStops() throws Exception {
        kafka.createTopics(1, topic + "-packets");
        CountersOptions options =
                CountersOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=" + topic + "-packets",
                        "--output-topic=" + topic + "-counters",
                        "--parallelism=1",
                        "--emit-every=0 s",
                        "--checkpoint-interval=5s",
                        "--transaction-timeout=5s");
        JobTopics.prepare(options);
        String savepoint =
                savepointOfOpenTransactions(
                        env(e -> CountersJob.define(e, options)),
                        this::sendPackets,
                        () ->
                                flink.metrics().total("write-counters: Writer", "numRecordsSend")
                                        >= 100);
        awaitTimeout();

        assertThatIOException()
                .isThrownBy(() -> restore(savepoint, env(e -> CountersJob.define(e, options))))
                .withStackTraceContaining("100 records were written to topic '" + topic)
                .withStackTraceContaining("they are results of many records");
    }

    @Test
    void recordsThatAreNoLongerInTheInputStopTheJob() throws Exception {
        String savepoint = savepointOfOpenTransactions();
        awaitTimeout();
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
            for (int partition = 0; partition < 3; partition++) {
                // All of them.
                all.put(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(-1));
            }
            admin.deleteRecords(all).all().get();
        }

        assertThatIOException()
                .isThrownBy(() -> restore(savepoint))
                .withStackTraceContaining(" is no longer in the input: ");
        assertThat(records(topic + "-deduplicated")).isEmpty();
    }
}
