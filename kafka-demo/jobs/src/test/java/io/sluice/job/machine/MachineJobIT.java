/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.flow.TcpFlags;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.Packets;
import io.sluice.job.Topics;
import io.sluice.job.machine.ExactLogins.Login;
import io.sluice.message.FakeRegistry;
import io.sluice.record.OperationBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.avro.generic.GenericRecord;
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

/** Machines of a topic in JSON. */
class MachineJobIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PARTITIONS = 3;
    private static final String[] FIELDS = {
        "--key=json:/user", "--event=json:/type", "--time=json:/at"
    };

    @TempDir private Path folder;

    private EmbeddedKafka kafka;
    private LocalFlink flink;
    private String topic;
    private Path machine;

    @BeforeEach
    void start(TestInfo test) throws IOException {
        kafka = EmbeddedKafka.start(folder);
        flink = LocalFlink.start(folder, 1, 4);
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(PARTITIONS, topic);
        machine = Files.writeString(folder.resolve("logins.yaml"), ExactLogins.MACHINE);
    }

    @AfterEach
    void stop() throws IOException {
        flink.close();
        kafka.close();
    }

    private MachineJobOptions options(String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                "--input-topic=" + topic,
                                "--machine=" + machine,
                                "--checkpoint-interval=200ms"));
        arguments.addAll(List.of(FIELDS));
        return MachineJobOptions.parse(MachineJobOptionsTest.with(arguments, more));
    }

    private RunningJob start(MachineJobOptions options, @Nullable String savepoint)
            throws IOException {
        options.prepare(savepoint != null);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        MachineJob.define(env, options);
        return savepoint == null ? flink.submit(env, topic) : flink.submit(env, topic, savepoint);
    }

    private MachineJobOptions run(String... more) throws Exception {
        List<String> bounded = new ArrayList<>(List.of(more));
        bounded.add("--bounded");
        bounded.add("--parallelism=1");
        MachineJobOptions options = options(bounded.toArray(String[]::new));
        start(options, null).awaitFinished(LIMIT);
        return options;
    }

    private static int partition(String user) {
        return Math.floorMod(user.hashCode(), PARTITIONS);
    }

    private void send(List<Login> logins) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (Login login : logins) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        topic,
                                        partition(login.user()),
                                        null,
                                        login.json().getBytes(UTF_8)));
            }
        }
    }

    private List<JsonNode> reports(String of, String kind) throws IOException {
        List<JsonNode> reports = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, of)) {
            JsonNode report = new ObjectMapper().readTree(record.value());
            assertThat(report.path("version").asInt()).isEqualTo(1);
            assertThat(report.path("machine").asText()).isEqualTo("logins");
            assertThat(report.path("id").asText()).isEqualTo(new String(record.key(), UTF_8));
            if (report.path("kind").asText().equals(kind)) {
                reports.add(report);
            }
        }
        return reports;
    }

    private int count(String of, String kind) {
        try {
            return reports(of, kind).size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> sorted(String of, String kind, Function<JsonNode, String> text)
            throws IOException {
        return reports(of, kind).stream().map(text).sorted().toList();
    }

    private static String event(JsonNode report) {
        return report.path("key").asText()
                + " "
                + report.path("event").asText()
                + " "
                + report.path("timestamp").asLong();
    }

    /** One user of each partition. */
    private static List<String> lastUsers() {
        List<String> users = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int user = 0;
            while (partition("last-" + user) != partition) {
                user++;
            }
            users.add("last-" + user);
        }
        return users;
    }

    @Test
    void eachReportIsThatOfCountingThroughAKilledTaskManagerAndARescale() throws Exception {
        ExactLogins exact = new ExactLogins(3_000);
        List<Login> logins = List.copyOf(exact.logins);
        List<Login> last = exact.end(lastUsers());
        assertThat(exact.finished).hasSizeGreaterThan(20);
        assertThat(exact.timedOut).hasSizeGreaterThan(20);
        String kinds = "--emit=first,finished,open";

        send(logins.subList(0, 1_000));
        MachineJobOptions two = options(kinds);
        two.parallelism = 2;
        RunningJob job = start(two, null);
        job.awaitRunning(LIMIT);
        job.checkpoint();
        flink.replaceTaskManager(0);
        job.await("restored", LIMIT, () -> job.restored() > 0);
        job.awaitRunning(LIMIT);
        send(logins.subList(1_000, 2_000));
        job.await("read on", LIMIT, () -> count("machines", "first") > 100);
        String savepoint = job.stopWithSavepoint(false);

        MachineJobOptions four = options(kinds);
        four.parallelism = 4;
        RunningJob rescaled = start(four, savepoint);
        rescaled.awaitRunning(LIMIT);
        send(logins.subList(2_000, 3_000));
        send(last);
        rescaled.await(
                "all timed out",
                LIMIT,
                () -> count("machines-alerts", "timed-out") >= exact.timedOut.size());
        rescaled.stopWithSavepoint(true);

        assertThat(sorted("machines", "first", MachineJobIT::event)).isEqualTo(exact.began);
        assertThat(
                        sorted(
                                "machines",
                                "finished",
                                its -> event(its) + " " + its.path("output").asText()))
                .isEqualTo(exact.finished);
        assertThat(
                        sorted(
                                "machines-alerts",
                                "illegal",
                                its -> event(its) + " " + its.path("state").asText()))
                .isEqualTo(exact.illegal);
        Map<String, String> keys = new HashMap<>();
        for (JsonNode first : reports("machines", "first")) {
            keys.put(first.path("id").asText(), first.path("key").asText());
        }
        assertThat(
                        sorted(
                                "machines-alerts",
                                "timed-out",
                                its ->
                                        keys.get(its.path("id").asText())
                                                + " "
                                                + its.path("state").asText()))
                .isEqualTo(exact.timedOut);
        assertThat(sorted("machines", "open", its -> keys.get(its.path("id").asText())))
                .containsExactlyInAnyOrderElementsOf(lastUsers());
        assertThat(Topics.readAll(kafka, "machines-dead-letters")).isEmpty();
    }

    @Test
    void connectionsOfPacketsAreFollowedByTheirFlags() throws Exception {
        Files.writeString(
                machine,
                """
                machine: logins
                initial: none
                timeToLive: 1 min
                states:
                  asked:
                  answered:
                  over: {terminal: true}
                transitions:
                  - {from: none, event: syn, to: asked}
                  - {from: asked, event: syn-ack, to: answered}
                  - {from: answered, event: other, to: answered}
                  - {from: answered, event: fin, to: over, output: closed}
                """);
        Map<String, List<String>> expected = new TreeMap<>();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int connection = 1; connection <= 60; connection++) {
                int partition = connection % PARTITIONS;
                Instant time = Packets.START.plusMillis(connection);
                List<byte[]> packets = new ArrayList<>();
                packets.add(OperationBytes.segment(connection, true, TcpFlags.SYN, time));
                String client = "10.0.0." + connection + ":50000";
                if (connection % 5 == 0) {
                    expected.computeIfAbsent("open", absent -> new ArrayList<>()).add(client);
                } else {
                    packets.add(
                            OperationBytes.segment(
                                    connection, false, TcpFlags.SYN | TcpFlags.ACK, time));
                    packets.add(OperationBytes.segment(connection, true, TcpFlags.ACK, time));
                    packets.add(
                            OperationBytes.segment(
                                    connection, false, TcpFlags.FIN | TcpFlags.ACK, time));
                    expected.computeIfAbsent("finished", absent -> new ArrayList<>()).add(client);
                }
                if (connection % 7 == 0) {
                    packets.add(OperationBytes.segment(connection, true, TcpFlags.RST, time));
                    expected.computeIfAbsent("illegal", absent -> new ArrayList<>()).add(client);
                }
                // One that is not a segment, and so not an event.
                packets.add(OperationBytes.of(connection, time));
                for (byte[] packet : packets) {
                    var unused =
                            producer.send(new ProducerRecord<>(topic, partition, null, packet));
                }
            }
            var unused = producer.send(new ProducerRecord<>(topic, new byte[] {1}));
        }
        MachineJobOptions options =
                MachineJobOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=" + topic,
                        "--format=packets",
                        "--machine=" + machine,
                        "--emit=first,finished,open",
                        "--bounded",
                        "--parallelism=2");
        start(options, null).awaitFinished(LIMIT);

        Map<String, String> clients = new HashMap<>();
        for (JsonNode first : reports("machines", "first")) {
            String key = first.path("key").asText();
            assertThat(key.split(" ", -1))
                    .as("both ends, in one order")
                    .hasSize(2)
                    .anyMatch(end -> end.endsWith(":443"));
            for (String end : key.split(" ", -1)) {
                if (end.endsWith(":50000")) {
                    clients.put(first.path("id").asText(), end);
                }
            }
        }
        for (String of : List.of("finished", "open", "illegal")) {
            assertThat(
                            reports(of.equals("illegal") ? "machines-alerts" : "machines", of)
                                    .stream()
                                    .map(its -> clients.get(its.path("id").asText())))
                    .as(of)
                    .containsExactlyInAnyOrderElementsOf(expected.get(of));
        }
        assertThat(Topics.readAll(kafka, "machines-dead-letters")).hasSize(1);
    }

    @Test
    void theSummaryTellsWhatBecameOfTheEvents() throws Exception {
        long at = 1_520_000_000_000L;
        send(
                List.of(
                        new Login("a", "failure", at),
                        new Login("a", "failure", at + 1),
                        new Login("a", "failure", at + 2),
                        new Login("a", "success", at + 3),
                        new Login("b", "success", at + 3),
                        new Login("b", "failure", at + 4)));

        MachineJobOptions options = run("--store=kbf");
        assertThat(options.outcome().decided())
                .extracting(count -> count.of(flink.metrics()::total) + " " + count.text())
                .containsExactly(
                        "6 events followed",
                        "1 of them illegal",
                        "2 machines began",
                        "1 machines finished",
                        "0 machines timed out",
                        "1 machines open at the end");
        assertThat(options.outcome().written())
                .containsEntry("machines", "machines")
                .containsEntry("alerts", "machines-alerts");
        assertThat(options.outcome().troubles())
                .filteredOn(
                        trouble -> flink.metrics().total(trouble.operator(), trouble.metric()) > 0)
                .singleElement()
                .asString()
                .contains("still open at the end, which only --store exact can list");
    }

    @Test
    void reportsInAvroHaveARegisteredSchemaAndAreReadWithIt() throws Exception {
        long at = 1_520_000_000_000L;
        send(
                List.of(
                        new Login("a", "failure", at),
                        new Login("a", "logout", at + 1),
                        new Login("a", "failure", at + 2),
                        new Login("a", "failure", at + 3),
                        new Login("a", "success", at + 4),
                        new Login("b", "failure", at + 5)));
        try (FakeRegistry registry = FakeRegistry.start()) {
            run("--output-format=avro", "--schema-registry=" + registry.url());

            List<GenericRecord> reports = new ArrayList<>();
            for (String of : List.of("machines-alerts", "machines")) {
                for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, of)) {
                    GenericRecord report = registry.decoded(record.value());
                    assertThat(report.getSchema().getFullName())
                            .isEqualTo("io.sluice.machines.MachineReport");
                    assertThat(report.get("id").toString())
                            .isEqualTo(new String(record.key(), UTF_8));
                    assertThat(report.get("machine").toString()).isEqualTo("logins");
                    assertThat(report.get("keyBytes")).isNull();
                    reports.add(report);
                }
            }
            assertThat(reports)
                    .extracting(
                            its ->
                                    its.get("kind")
                                            + " "
                                            + its.get("key")
                                            + " "
                                            + its.get("from")
                                            + " "
                                            + its.get("event")
                                            + " "
                                            + its.get("state")
                                            + " "
                                            + its.get("output"))
                    .containsExactlyInAnyOrder(
                            "illegal a failures 1 logout failures 1 null",
                            "finished a failures 3 success broken-in guessed",
                            "open null null null failures 1 null");
            assertThat(reports)
                    .filteredOn(its -> its.get("event") != null)
                    .extracting(its -> its.get("timestamp"))
                    .containsExactlyInAnyOrder(at + 1, at + 4);
            registry.refuseSchemas();
            MachineJobOptions refused =
                    options("--output-format=avro", "--schema-registry=" + registry.url());
            assertThatIOException()
                    .isThrownBy(() -> refused.prepare(true))
                    .withMessageContaining("refuses the schema");
        }
    }

    @Test
    void whatIsNoEventIsADeadLetterWithItsReason() throws Exception {
        Map<String, String> reasons = new TreeMap<>();
        reasons.put("{\"at\":1,\"type\":\"failure\"}", "no-machine");
        reasons.put("{\"at\":1,\"user\":\"a\"}", "no-event");
        reasons.put("{\"user\":\"a\",\"type\":\"failure\"}", "no-time");
        reasons.put("{\"at\":1,\"user\":\"a\",\"type\":\"failure\"", "not-json");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (String value : reasons.keySet()) {
                var unused = producer.send(new ProducerRecord<>(topic, value.getBytes(UTF_8)));
            }
        }
        send(List.of(new Login("a", "teleport", 1_520_000_000_000L)));

        run();
        Map<String, String> letters = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> letter :
                Topics.readAll(kafka, "machines-dead-letters")) {
            letters.put(
                    new String(letter.value(), UTF_8),
                    Topics.header(letter, DeadLetterSchema.REASON));
        }
        assertThat(letters).isEqualTo(reasons);
        assertThat(sorted("machines-alerts", "illegal", MachineJobIT::event))
                .containsExactly("a teleport 1520000000000");
    }

    @Test
    void lateEventsAreFollowedOrGoToTheirTopicAsTheyCame() throws Exception {
        kafka.createTopics(1, "one");
        long at = 1_520_000_000_000L;
        List<Login> logins = new ArrayList<>();
        // Event time follows the first records when the next request is answered.
        for (int i = 0; i < 5_000; i++) {
            logins.add(new Login("a" + i % 7, "failure", at + i));
        }
        Login late = new Login("late", "failure", at - 60_000);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (Login login : logins) {
                var unused =
                        producer.send(new ProducerRecord<>("one", login.json().getBytes(UTF_8)));
            }
            producer.flush();
            var unused = producer.send(new ProducerRecord<>("one", late.json().getBytes(UTF_8)));
        }

        MachineJobOptions options =
                run("--input-topic=one", "--late-topic=late", "--emit=first", "--group=late");
        assertThat(Topics.readAll(kafka, "late"))
                .extracting(record -> new String(record.value(), UTF_8))
                .containsExactly(late.json());
        assertThat(options.outcome().written()).containsEntry("late", "late");
        assertThat(reports("machines", "first")).hasSize(7);

        run("--input-topic=one", "--output-topic=all", "--emit=first", "--group=all");
        assertThat(reports("all", "first")).hasSize(8);
    }

    @Test
    void stateOfAnotherKeyEventOrMachineIsRefusedNamingBoth() throws Exception {
        send(List.of(new Login("a", "failure", 1_520_000_000_000L)));
        RunningJob job = start(options("--parallelism=1", "--emit=first"), null);
        job.await("followed", LIMIT, () -> count("machines", "first") == 1);
        String savepoint = job.stopWithSavepoint(false);

        assertRefused(
                savepoint,
                "the state was made with --key json:/user, and now it is json:/login",
                "--key=json:/login");
        assertRefused(
                savepoint,
                "the state was made with --event json:/type, and now it is json:/event",
                "--event=json:/event");
        Files.writeString(machine, ExactLogins.MACHINE.replace("machine: logins", "machine: ins"));
        assertRefused(savepoint, "the state was made with --machine logins, and now it is ins");
        Files.writeString(machine, ExactLogins.MACHINE.replace("failures 1", "failed"));
        RunningJob gone = start(options(), savepoint);
        gone.await(
                "refused by name",
                LIMIT,
                () -> gone.lastFailure().orElse("").contains("'failures 1'"));
        gone.cancel();

        RunningJob renamed = start(options("--renamed=failures 1=failed"), savepoint);
        send(
                List.of(
                        new Login("a", "failure", 1_520_000_001_000L),
                        new Login("a", "failure", 1_520_000_002_000L),
                        new Login("a", "success", 1_520_000_003_000L)));
        renamed.await("finished", LIMIT, () -> count("machines", "finished") == 1);
        renamed.stopWithSavepoint(false);
    }

    private void assertRefused(String savepoint, String message, String... fields)
            throws IOException {
        RunningJob job = start(options(fields), savepoint);
        assertThatIOException()
                .isThrownBy(() -> job.awaitFinished(LIMIT))
                .withMessageContaining(message);
    }

    @Test
    void aTopicWithoutEventsIsToldBeforeTheStart() throws Exception {
        send(List.of(new Login("a", "failure", 1_520_000_000_000L)));

        assertThat(options().prepare(false)).isEmpty();
        assertThat(options("--event=json:/event").prepare(false))
                .singleElement()
                .asString()
                .contains("has the key json:/user and the event json:/event (no-event)")
                .contains("Say with --key and --event where");
    }
}
