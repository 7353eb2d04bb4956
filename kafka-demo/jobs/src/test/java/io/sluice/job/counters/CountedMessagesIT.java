/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.JobSummary;
import io.sluice.job.Topics;
import io.sluice.job.message.MessageEnds;
import io.sluice.job.message.SplitMessages;
import io.sluice.kafka.Brokers;
import io.sluice.message.FakeRegistry;
import io.sluice.message.SchemaRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters of records of any kind. */
class CountedMessagesIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PARTITIONS = 3;

    /** Of clients; each is sent twice. */
    private static final int OPERATIONS = 3_000;

    @TempDir private Path folder;

    private EmbeddedKafka kafka;
    private LocalFlink flink;
    private String topic;

    @BeforeEach
    void start(TestInfo test) throws IOException {
        kafka = EmbeddedKafka.start(folder);
        flink = LocalFlink.start(folder, 1, 4);
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(PARTITIONS, topic);
    }

    @AfterEach
    void stop() throws IOException {
        flink.close();
        kafka.close();
    }

    private CountersOptions options(String... more) {
        return optionsOf("--input-topic=" + topic, more);
    }

    private CountersOptions optionsOf(String input, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                input,
                                "--emit-every=20ms",
                                "--checkpoint-interval=200ms"));
        arguments.addAll(List.of(more));
        return CountersOptions.parse(arguments);
    }

    private RunningJob start(CountersOptions options, @Nullable String savepoint)
            throws IOException {
        options.prepare(savepoint != null);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        CountersJob.define(env, options);
        return savepoint == null ? flink.submit(env, topic) : flink.submit(env, topic, savepoint);
    }

    private Map<String, Long> run(String... more) throws Exception {
        List<String> bounded = new ArrayList<>(List.of(more));
        bounded.add("--bounded");
        bounded.add("--parallelism=1");
        CountersOptions options = options(bounded.toArray(String[]::new));
        start(options, null).awaitFinished(LIMIT);
        return Topics.counters(kafka, options.outputTopic);
    }

    private void send(List<String> values) {
        send(values, 0);
    }

    private void send(List<String> values, int seed) {
        Random partitions = new Random(seed);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (String value : values) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        topic,
                                        partitions.nextInt(PARTITIONS),
                                        null,
                                        value.getBytes(UTF_8)));
            }
        }
    }

    private Map<String, Long> values() {
        try {
            return Topics.counters(kafka, "counters");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of operation {@code i}, and what it adds in {@code exact}. */
    private static String operation(int i, Random random, Map<String, Long> exact) {
        int page = (int) Math.abs(random.nextGaussian() * 8);
        int n = random.nextInt(9) - 2;
        exact.merge("/page/" + page, (long) n, Long::sum);
        return "{\"n\":" + n + ",\"page\":\"/page/" + page + "\",\"request\":\"r-" + i + "\"}";
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachOperationCountsOnceThroughAKilledTaskManagerAndARescale(boolean twoPhases)
            throws Exception {
        Random random = new Random(7);
        Map<String, Long> exact = new HashMap<>();
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < OPERATIONS; i++) {
            operations.add(operation(i, random, exact));
        }
        List<String> first = operations.subList(0, OPERATIONS / 2);
        List<String> second = operations.subList(OPERATIONS / 2, OPERATIONS);
        List<String> given =
                new ArrayList<>(
                        List.of(
                                "--counter=json:/page",
                                "--id=json:/request",
                                "--delta=json:/n",
                                "--acks-topic=acks"));
        if (twoPhases) {
            given.add("--two-phases");
        }
        String[] fields = given.toArray(String[]::new);

        send(first);
        CountersOptions two = options(fields);
        two.parallelism = 2;
        RunningJob job = start(two, null);
        job.awaitRunning(LIMIT);
        job.checkpoint();
        flink.replaceTaskManager(0);
        job.await("restored", LIMIT, () -> job.restored() > 0);
        job.awaitRunning(LIMIT);
        send(second.subList(0, 500));
        send(first, 1);
        job.await(
                "retries set aside",
                LIMIT,
                () -> Topics.readAll(kafka, "counters-duplicates").size() == first.size());
        String savepoint = job.stopWithSavepoint(false);

        CountersOptions four = options(fields);
        four.parallelism = 4;
        RunningJob rescaled = start(four, savepoint);
        rescaled.awaitRunning(LIMIT);
        send(second.subList(500, second.size()));
        send(second, 2);
        rescaled.await(
                "all retries set aside",
                LIMIT,
                () -> Topics.readAll(kafka, "counters-duplicates").size() >= OPERATIONS);
        rescaled.stopWithSavepoint(true);

        assertThat(values()).isEqualTo(exact);
        assertThat(Topics.readAll(kafka, "counters-duplicates"))
                .extracting(record -> new String(record.value(), UTF_8))
                .containsExactlyInAnyOrderElementsOf(operations);
        assertThat(Topics.readAll(kafka, "counters-dead-letters")).isEmpty();
        assertThat(Topics.readAll(kafka, "counters-late")).isEmpty();
        assertThat(Topics.readAll(kafka, "acks"))
                .as("each operation is acknowledged when it counts, and when it is repeated")
                .extracting(record -> new String(record.key(), UTF_8))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 2 * OPERATIONS)
                                .mapToObj(i -> "\"r-" + i / 2 + "\"")
                                .toList());
        assertThat(Topics.readAll(kafka, "acks"))
                .extracting(record -> new String(record.value(), UTF_8))
                .contains(acknowledgement(operations.get(0)));
    }

    private static String acknowledgement(String operation) {
        return operation.replaceFirst(
                "\\{.*\"page\":(\".*\"),\"request\":(\".*\")}", "{\"id\":$2,\"counter\":$1}");
    }

    @Test
    void withoutAFilterEachRetryCounts() throws Exception {
        Map<String, Long> exact = new HashMap<>();
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            operations.add(operation(i, new Random(i), exact));
        }
        send(operations);
        send(operations);
        exact.replaceAll((page, n) -> 2 * n);

        assertThat(
                        run(
                                "--counter=json:/page",
                                "--id=json:/request",
                                "--delta=json:/n",
                                "--no-filter"))
                .isEqualTo(exact);
    }

    @Test
    void theSummaryTellsWhatWasCountedAndWhatWasNot() throws Exception {
        Map<String, Long> exact = new HashMap<>();
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            operations.add(operation(i, new Random(i), exact));
        }
        send(operations);
        send(operations.subList(0, 40));

        assertThat(run("--counter=json:/page", "--id=json:/request", "--delta=json:/n"))
                .isEqualTo(exact);
        JobSummary summary = options("--counter=json:/page", "--id=json:/request").outcome();
        assertThat(summary.decided())
                .extracting(count -> count.of(flink.metrics()::total) + " " + count.text())
                .containsExactly("100 counted", "40 duplicates (topic)", "0 late (topic)");
        assertThat(summary.covered().of(flink.metrics()::total)).isEqualTo(1.0);
    }

    @Test
    void whatCannotBeCountedIsADeadLetterWithItsReason() throws Exception {
        Map<String, String> reasons = new TreeMap<>();
        reasons.put("{\"p\":\"a\",\"r\":1,\"n\":1.5}", "fractional-delta");
        reasons.put("{\"p\":\"a\",\"r\":2,\"n\":1e300}", "delta-too-large");
        reasons.put("{\"p\":\"a\",\"r\":3,\"n\":-9007199254740993}", "delta-too-large");
        reasons.put("{\"p\":\"a\",\"r\":4}", "no-delta");
        reasons.put("{\"p\":\"a\",\"r\":5,\"n\":null}", "no-delta");
        reasons.put("{\"p\":\"a\",\"r\":6,\"n\":\"many\"}", "no-delta");
        reasons.put("{\"p\":{},\"r\":7,\"n\":1}", "no-counter");
        reasons.put("{\"p\":\"" + "x".repeat(1001) + "\",\"r\":8,\"n\":1}", "counter-too-long");
        reasons.put("{\"p\":\"a\",\"n\":1}", "no-id");
        reasons.put("{\"p\":\"a\",\"r\":9,\"n\":1", "not-json");
        send(List.copyOf(reasons.keySet()));
        send(
                List.of(
                        "{\"p\":\"a\",\"r\":10,\"n\":2.0}",
                        "{\"p\":\"a\",\"r\":11,\"n\":\"-7\"}",
                        "{\"p\":\"b\",\"r\":11,\"n\":9007199254740992}",
                        "{\"p\":7,\"r\":12,\"n\":1e3}",
                        "{\"p\":\"7\",\"r\":13,\"n\":1}"));

        assertThat(run("--counter=json:/p", "--id=json:/r", "--delta=json:/n"))
                .isEqualTo(Map.of("a", -5L, "b", 9007199254740992L, "7", 1001L));
        Map<String, String> letters = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> letter :
                Topics.readAll(kafka, "counters-dead-letters")) {
            letters.put(
                    new String(letter.value(), UTF_8),
                    Topics.header(letter, DeadLetterSchema.REASON));
        }
        assertThat(letters).isEqualTo(reasons);
    }

    @Test
    void namesOfSeveralFieldsAreArraysAndThoseOfBytesAreTheirBytes() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < 6; i++) {
                String value = i % 2 == 0 ? "{\"page\":\"a\\\"\"}" : "{\"title\":\"b\"}";
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(topic, 0, new byte[] {(byte) 0xff, 1}, utf8(value));
                record.headers().add("site", utf8("é")).add("request", utf8("r" + i / 2 + i % 2));
                var unused = producer.send(record);
            }
        }

        assertThat(run("--counter=header:site,json:/page|json:/title", "--id=header:request"))
                .isEqualTo(Map.of("[\"é\",\"a\\\"\"]", 3L, "[\"é\",\"b\"]", 3L));
        run("--counter=key", "--id=header:request", "--output-topic=keys", "--group=keys");
        assertThat(Topics.readAll(kafka, "keys"))
                .extracting(ConsumerRecord::key)
                .containsOnly(new byte[] {(byte) 0xff, 1});
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void valuesInAvroHaveARegisteredSchemaAndAreReadWithIt() throws Exception {
        Schema operation =
                SchemaBuilder.record("Operation")
                        .fields()
                        .requiredString("page")
                        .requiredLong("request")
                        .requiredLong("n")
                        .endRecord();
        long large = 9_007_199_254_740_990L;
        try (FakeRegistry registry = FakeRegistry.start()) {
            registry.put(7, operation.toString());
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
                for (int i = 0; i < 60; i++) {
                    GenericRecord record = new GenericData.Record(operation);
                    int request = i % 30;
                    record.put("page", "/page/" + request % 3);
                    record.put("request", (long) request);
                    record.put("n", request % 3 == 2 ? large : request);
                    ByteArrayOutputStream avro = new ByteArrayOutputStream();
                    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(avro, null);
                    new GenericDatumWriter<GenericRecord>(operation).write(record, encoder);
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(
                                            topic,
                                            0,
                                            (long) i,
                                            null,
                                            FakeRegistry.framed(7, avro.toByteArray())));
                }
            }
            Map<String, Long> exact =
                    Map.of("/page/0", 135L, "/page/1", 145L, "/page/2", 10 * large);
            CountersOptions options =
                    options(
                            "--counter=avro:/page",
                            "--id=avro:/request",
                            "--delta=avro:/n",
                            "--output-format=avro",
                            "--schema-registry=" + registry.url(),
                            "--bounded",
                            "--parallelism=2");
            start(options, null).awaitFinished(LIMIT);

            Map<String, Long> values = new HashMap<>();
            for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, "counters")) {
                GenericRecord value = registry.decoded(record.value());
                assertThat(value.getSchema().getFullName())
                        .isEqualTo("io.sluice.counters.CounterValue");
                assertThat((double) value.get("expectedUndercount")).isNotNegative();
                assertThat((long) value.get("timestamp")).isBetween(0L, 60L);
                values.put(new String(record.key(), UTF_8), (long) value.get("value"));
            }
            assertThat(values).isEqualTo(exact);
            SchemaRegistry asked = SchemaRegistry.at(registry.url(), Map.of());
            assertThat(topic(asked).top(1, why -> {}))
                    .singleElement()
                    .satisfies(
                            counter -> {
                                assertThat(counter.name()).isEqualTo("/page/2");
                                assertThat(counter.value()).isEqualTo(10 * large);
                            });
            assertThat(topic(asked).get(Set.of("/page/1")).get("/page/1").value()).isEqualTo(145);
            assertThatIOException()
                    .isThrownBy(() -> topic(null).get(Set.of("/page/1")))
                    .withMessageContaining("are in Avro: say with --schema-registry");
        }
    }

    private CounterTopic topic(@Nullable SchemaRegistry registry) {
        return new CounterTopic(
                Brokers.at(kafka.bootstrapServers()), "counters", registry, (read, all) -> {});
    }

    @Test
    void aRegistryThatRefusesTheSchemaOfValuesIsToldBeforeTheStart() throws Exception {
        send(List.of("{\"p\":\"a\",\"r\":1}"));
        try (FakeRegistry registry = FakeRegistry.start()) {
            CountersOptions options =
                    options(
                            "--counter=json:/p",
                            "--id=json:/r",
                            "--output-format=avro",
                            "--schema-registry=" + registry.url());
            assertThat(options.prepare(false)).isEmpty();
            assertThat(registry.requests()).contains("/subjects/counters-value/versions");
            registry.refuseSchemas();
            assertThatIOException()
                    .isThrownBy(() -> options.prepare(false))
                    .withMessageContaining("refuses the schema");
        }
    }

    @Test
    void recordsWithoutAValueMayBeDropped() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            var unused = producer.send(new ProducerRecord<>(topic, utf8("k"), utf8("{\"p\":1}")));
            unused = producer.send(new ProducerRecord<>(topic, utf8("k"), null));
        }

        assertThat(run("--counter=json:/p", "--id=key", "--tombstones=drop"))
                .isEqualTo(Map.of("1", 1L));
        assertThat(Topics.readAll(kafka, "counters-dead-letters")).isEmpty();
        assertThat(flink.metrics().total(MessageEnds.SPLIT, SplitMessages.DROPPED_TOMBSTONES))
                .isEqualTo(1);
    }

    @Test
    void stateOfAnotherCounterOrDeltaIsRefusedNamingBoth() throws Exception {
        send(List.of("{\"p\":\"a\",\"q\":\"b\",\"r\":1,\"n\":5}"));
        RunningJob job =
                start(options("--counter=json:/p", "--id=json:/r", "--parallelism=1"), null);
        job.await("counted", LIMIT, () -> values().equals(Map.of("a", 1L)));
        String savepoint = job.stopWithSavepoint(false);

        assertRefused(
                savepoint,
                "the state was made with --counter json:/p, and now it is json:/q",
                "--counter=json:/q",
                "--id=json:/r");
        assertRefused(
                savepoint,
                "the state was made with --delta 1, and now it is json:/n",
                "--counter=json:/p",
                "--id=json:/r",
                "--delta=json:/n");
    }

    private void assertRefused(String savepoint, String message, String... fields)
            throws IOException {
        RunningJob job = start(options(fields), savepoint);
        assertThatIOException()
                .isThrownBy(() -> job.awaitFinished(LIMIT))
                .withMessageContaining(message);
    }

    @Test
    void aTopicInWhichNothingCanBeCountedIsToldBeforeTheStart() throws Exception {
        send(List.of("{\"page\":\"a\",\"request\":1}"));

        assertThat(options().prepare(false))
                .singleElement()
                .asString()
                .contains("none of the first 1 records of the input is a packet record (too-short)")
                .contains("dead letters. Say with --counter, --id and --delta where");
        assertThat(options("--counter=json:/p", "--id=json:/request").prepare(false))
                .singleElement()
                .asString()
                .contains("has the counter json:/p, the id json:/request (no-counter)");
        assertThat(options("--counter=json:/page", "--id=json:/request").prepare(false)).isEmpty();
    }

    @Test
    void aTopicOfValuesThatIsNotCompactedIsToldBeforeTheStart() throws Exception {
        send(List.of("{\"page\":\"a\",\"request\":1}"));
        kafka.createTopics(1, Map.of("cleanup.policy", "delete"), "plain");

        assertThat(
                        options(
                                        "--counter=json:/page",
                                        "--id=json:/request",
                                        "--output-topic=plain")
                                .prepare(false))
                .singleElement()
                .asString()
                .contains("topic 'plain' is not compacted");
    }

    @Test
    void operationsOfATopicThatIsMadeWhileTheJobRunsCountToo() throws Exception {
        send(List.of("{\"p\":\"a\",\"r\":1}"));
        RunningJob job =
                start(
                        optionsOf(
                                "--input-topic-pattern=" + topic + ".*",
                                "--counter=json:/p",
                                "--id=json:/r",
                                "--discovery-interval=100ms"),
                        null);
        job.await("the first", LIMIT, () -> values().equals(Map.of("a", 1L)));
        kafka.createTopics(1, topic + "-later");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (String value : List.of("{\"p\":\"a\",\"r\":1}", "{\"p\":\"a\",\"r\":2}")) {
                producer.send(
                                new ProducerRecord<>(
                                        topic + "-later", 0, null, value.getBytes(UTF_8)))
                        .get();
            }
        }
        job.await("the second", LIMIT, () -> values().equals(Map.of("a", 2L)));
        job.cancel();
    }
}
