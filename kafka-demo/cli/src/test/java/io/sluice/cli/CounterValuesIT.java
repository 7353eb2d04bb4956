/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.Topics;
import io.sluice.job.counters.CounterTopic;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.kafka.Brokers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code counters get} and {@code counters top} on a topic of counters. */
class CounterValuesIT {
    private static final int COUNTERS = 300;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir private Path folder;

    private EmbeddedKafka kafka;

    private final Map<String, Long> exact = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
        kafka.createTopics(3, Map.of("cleanup.policy", "compact"), "counters");
    }

    @AfterEach
    void stop() throws IOException {
        kafka.close();
    }

    private void close() {
        try {
            kafka.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Run(int exit, String out, String errors) {}

    private Run counters(String... more) {
        List<String> arguments = new ArrayList<>(List.of("counters"));
        arguments.addAll(List.of(more));
        arguments.add("--bootstrap-servers=" + kafka.bootstrapServers());
        return run(arguments);
    }

    private static Run run(List<String> arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        try {
            int exit = Sluice.run(arguments.toArray(String[]::new));
            return new Run(
                    exit,
                    printed.toString(StandardCharsets.UTF_8),
                    errors.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    /** Writes the value that the counter has then, or deletes it. */
    private void write(
            KafkaProducer<byte[], byte[]> producer, String counter, @Nullable Long value) {
        writeAt(producer, System.currentTimeMillis(), counter, value);
    }

    private void writeAt(
            KafkaProducer<byte[], byte[]> producer,
            long time,
            String counter,
            @Nullable Long value) {
        String json =
                "{\"value\":" + value + ",\"expectedUndercount\":0.5,\"timestamp\":1520000000123}";
        var unused =
                producer.send(
                        new ProducerRecord<>(
                                "counters",
                                null,
                                time,
                                counter.getBytes(UTF_8),
                                value == null ? null : json.getBytes(UTF_8)));
        if (value == null) {
            exact.remove(counter);
        } else {
            exact.put(counter, value);
        }
    }

    private void grow(int seed, int updates) {
        Random random = new Random(seed);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < updates; i++) {
                String counter = "/página/" + random.nextInt(COUNTERS);
                write(producer, counter, exact.getOrDefault(counter, 0L) + random.nextInt(50));
            }
        }
    }

    private void assertTop(int most, Run run) throws IOException {
        assertThat(run.exit()).as(run.errors()).isZero();
        List<String> shown = new ArrayList<>();
        JsonNode result = new ObjectMapper().readTree(run.out());
        assertThat(result.path("version").asInt()).isEqualTo(1);
        assertThat(result.path("topic").asText()).isEqualTo("counters");
        for (JsonNode counter : result.path("counters")) {
            shown.add(counter.path("counter").asText() + "=" + counter.path("value").asLong());
        }
        assertThat(shown)
                .isEqualTo(
                        exact.entrySet().stream()
                                .sorted(
                                        Map.Entry.<String, Long>comparingByValue()
                                                .reversed()
                                                .thenComparing(
                                                        Comparator.comparing(Map.Entry::getKey)))
                                .limit(most)
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .toList());
    }

    @Test
    void theLargestAreThoseOfSortingAll() throws Exception {
        grow(1, 5_000);

        Run ten = counters("top", "10", "--json");
        assertTop(10, ten);
        assertThat(ten.errors()).as("read once").isEmpty();
        assertTop(2 * COUNTERS, counters("top", Integer.toString(2 * COUNTERS), "--json"));
    }

    @Test
    void theLargestAreRightWhenValuesGoDownOrAreDeleted() throws Exception {
        grow(2, 5_000);
        List<String> largest =
                exact.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(8)
                        .map(Map.Entry::getKey)
                        .toList();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            largest.subList(0, 4).forEach(counter -> write(producer, counter, 0L));
            largest.subList(4, 8).forEach(counter -> write(producer, counter, null));
        }

        Run run = counters("top", "5", "--json");

        assertTop(5, run);
        assertThat(run.errors()).contains("the value of a counter went down");
    }

    @Test
    void theLargestAreRightWhenPartitionsWereAdded() throws Exception {
        grow(3, 2_000);
        try (Admin admin = kafka.admin()) {
            admin.createPartitions(Map.of("counters", NewPartitions.increaseTo(7))).all().get();
        }
        grow(4, 2_000);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            new ArrayList<>(exact.keySet()).forEach(each -> write(producer, each, 1L));
        }

        assertTop(5, counters("top", "5", "--json"));
        Run get = counters("get", "/página/7");
        assertThat(get.out()).startsWith("/página/7\t1\t");
    }

    @Test
    void aCounterIsReadByItsNameAndAMissingOneIsTold() throws Exception {
        grow(5, 2_000);

        Run run = counters("get", "/página/7", "none");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.out())
                .isEqualTo(
                        "/página/7\t"
                                + exact.get("/página/7")
                                + "\t(expected to miss 0.500)\t2018-03-02T14:13:20.123Z\n");
        assertThat(run.errors()).isEqualTo("sluice: topic 'counters' has no counter 'none'\n");
        assertThat(counters("get", "/página/7").exit()).isZero();
    }

    /** The next writer of a counter may be a machine whose clock is behind. */
    @Test
    void theLastValueOfAPartitionCountsWhateverTheClockOfItsWriter() throws Exception {
        long now = System.currentTimeMillis();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            writeAt(producer, now, "a", 1L);
            writeAt(producer, now - 5_000, "a", 2L);
            writeAt(producer, now, "b", 9L);
            writeAt(producer, now - 5_000, "b", 3L);
            writeAt(producer, now, "c", 1L);
            writeAt(producer, now - 5_000, "c", null);
        }

        Run get = counters("get", "a", "b", "c", "--json");
        assertThat(get.errors()).contains("no counter 'c'");
        assertThat(new ObjectMapper().readTree(get.out()).path("counters"))
                .extracting(counter -> counter.path("value").asLong())
                .containsExactly(2L, 3L);
        assertTop(3, counters("top", "3", "--json"));
    }

    @Test
    void aNameThatIsMadeToLookLikeAnotherCounterIsOneLine() throws Exception {
        String name = "a\t9\nb\u001b[2J\u202e";
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            write(producer, name, 1L);
        }
        assertThat(counters("top", "5").out())
                .startsWith("a\\u0009" + "9\\u000ab\\u001b[2J\\u202e\t1\t")
                .hasLineCount(1);
        assertTop(5, counters("top", "5", "--json"));
    }

    @Test
    void aBrokerThatGoesAwayMeanwhileEndsTheReading() throws Exception {
        String padding = " ".repeat(200_000);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < 100; i++) {
                writeAt(producer, i, "a" + padding.substring(i), 1L);
            }
        }
        AtomicBoolean isAway = new AtomicBoolean();
        CounterTopic topic =
                new CounterTopic(
                        Brokers.at(kafka.bootstrapServers()),
                        "counters",
                        null,
                        (read, all) -> {
                            if (isAway.compareAndSet(false, true)) {
                                close();
                            }
                        });
        assertThatIOException()
                .isThrownBy(() -> topic.get(Set.of("a")))
                .withMessageContaining(kafka.bootstrapServers());
    }

    @Test
    void aSavepointHasTheCountersOfTheTopic() throws Exception {
        kafka.createTopics(2, "views");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < 600; i++) {
                String page = "/página/" + i % 7;
                String json = "{\"p\":\"" + page + "\",\"r\":" + i + ",\"n\":" + i % 5 + "}";
                var unused = producer.send(new ProducerRecord<>("views", json.getBytes(UTF_8)));
                exact.merge(page, (long) i % 5, Long::sum);
            }
        }
        CountersOptions options =
                CountersOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=views",
                        "--counter=json:/p",
                        "--id=json:/r",
                        "--delta=json:/n",
                        "--fpp=1e-8",
                        "--emit-every=20ms",
                        "--checkpoint-interval=200ms",
                        "--parallelism=2");
        assertThat(options.prepare(false)).isEmpty();
        try (LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            CountersJob.define(env, options);
            RunningJob job = flink.submit(env, "views");
            job.await("counted", LIMIT, () -> values().equals(exact));
            assertHolds(job.stopWithSavepoint(false));
        }
    }

    private void assertHolds(String savepoint) throws IOException {
        Run top = run(List.of("counters", "top", "100", "--checkpoint", savepoint, "--json"));
        assertThat(top.exit()).as(top.errors()).isZero();
        JsonNode result = new ObjectMapper().readTree(top.out());
        assertThat(result.path("checkpoint").asText()).isEqualTo(savepoint);
        Map<String, Long> held = new HashMap<>();
        for (JsonNode counter : result.path("counters")) {
            held.put(counter.path("counter").asText(), counter.path("value").asLong());
        }
        assertThat(held).isEqualTo(exact);
        assertThat(run(List.of("counters", "top", "2", "--checkpoint", savepoint)).out())
                .as("the same, and in the same order, as on the topic")
                .isEqualTo(counters("top", "2").out().replaceAll("\t[^\t]*Z", ""));
        Run get = run(List.of("counters", "get", "/página/3", "/none", "--checkpoint", savepoint));
        assertThat(get.exit()).isEqualTo(1);
        assertThat(get.out()).startsWith("/página/3\t" + exact.get("/página/3") + "\t(");
        assertThat(get.errors()).contains("has no counter '/none'");

        assertThat(counters("top", "2", "--checkpoint", savepoint).errors())
                .contains("--bootstrap-servers has no effect with --checkpoint");
        assertThat(counters("top", "2", "--uid=a").errors())
                .contains("--uid has no effect without --checkpoint");
        Run other =
                run(List.of("counters", "top", "2", "--checkpoint", savepoint, "--uid=records"));
        assertThat(other.errors()).contains("operator 'records'", "has no counters");
        Run none = run(List.of("counters", "top", "2", "--checkpoint", savepoint, "--uid=no"));
        assertThat(none.errors()).contains("has no operator 'no', but", "counters");
    }

    private Map<String, Long> values() {
        try {
            return Topics.counters(kafka, "counters");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aTopicOfOtherRecordsIsRefused() throws Exception {
        kafka.createTopics(1, "orders");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            var unused =
                    producer.send(
                            new ProducerRecord<>(
                                    "orders", "k".getBytes(UTF_8), "{\"id\":1}".getBytes(UTF_8)));
        }

        assertThat(counters("top", "3", "--topic=orders").errors())
                .contains(
                        "offset 0 of partition 0 of topic 'orders' is not the value of a counter");
        assertThat(counters("top", "3", "--topic=nothing").errors()).contains("'nothing'");
        assertThat(counters("top", "0").errors()).contains("N must be at least 1, but is 0");
    }
}
