/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas of streams of records of any kind. */
class ReconciledMessagesIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long START = 1_700_000_400_000L;
    private static final long WINDOW = Duration.ofMinutes(10).toMillis();
    private static final int PARTITIONS = 3;

    /** Of event time in each partition, which begins where the one before ends. */
    private static final long SPAN = Duration.ofHours(1).toMillis();

    private static final int ORDERS = 1_500;

    @TempDir private Path folder;

    private EmbeddedKafka kafka;
    private LocalFlink flink;

    @BeforeEach
    void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
        flink = LocalFlink.start(folder, 1, 4);
        kafka.createTopics(PARTITIONS, "east", "west");
    }

    @AfterEach
    void stop() throws IOException {
        flink.close();
        kafka.close();
    }

    private ReconcileOptions options(String replica, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                "--input-topic=" + replica,
                                "--replica=" + replica,
                                "--peer=" + (replica.equals("east") ? "west" : "east"),
                                "--window=10min",
                                "--groups=4",
                                "--retry-after=2s",
                                "--write-elements",
                                "--checkpoint-interval=200ms"));
        arguments.addAll(List.of(more));
        return ReconcileOptions.parse(arguments);
    }

    private RunningJob start(ReconcileOptions options, @Nullable String savepoint)
            throws IOException {
        options.prepare(savepoint != null);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        ReconcileJob.define(env, options);
        return savepoint == null
                ? flink.submit(env, options.replica())
                : flink.submit(env, options.replica(), savepoint);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }

    private JsonNode json(ConsumerRecord<byte[], byte[]> record) {
        try {
            return JSON.readTree(record.value());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> read(String replica, String what) {
        return Topics.readAll(kafka, "reconcile-" + replica + "-" + what);
    }

    /** Elements of all windows that a side says both agreed on. */
    private long agreed(String replica) {
        return read(replica, "reports").stream()
                .map(this::json)
                .filter(report -> report.path("outcome").asText().equals("AGREED"))
                .mapToLong(report -> report.path("elementsAfter").asLong())
                .sum();
    }

    private static String name(long window, JsonNode id) {
        return window + " " + id;
    }

    /** Copies by window and id, as a side has them. */
    private Map<String, Long> elements(String replica) {
        Map<String, Long> elements = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : read(replica, "elements")) {
            JsonNode element = json(record);
            assertThat(record.key()).isEqualTo(utf8(element.path("id").toString()));
            assertThat(
                            elements.put(
                                    name(element.path("window").asLong(), element.path("id")),
                                    element.path("copies").asLong()))
                    .as("each element is told once")
                    .isNull();
        }
        return elements;
    }

    /** What a side got, and what corrections added to it. */
    private Map<String, Long> corrected(String replica, Map<String, Long> got) {
        Map<String, Long> corrected = new TreeMap<>(got);
        for (ConsumerRecord<byte[], byte[]> record : read(replica, "corrections")) {
            JsonNode correction = json(record);
            corrected.merge(
                    name(correction.path("window").asLong(), correction.path("id")),
                    correction.path("after").asLong() - correction.path("before").asLong(),
                    Long::sum);
        }
        return corrected;
    }

    /** Sends orders with losses and repetitions, and returns the copies of each that arrived. */
    private Map<String, Long> send(String replica, int seed) {
        Random random = new Random(seed);
        Map<String, Long> got = new TreeMap<>();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < ORDERS; i++) {
                long at = START + (long) i * PARTITIONS * SPAN / ORDERS;
                // Of two kinds of id, and one that names itself twice.
                String id = i % 3 == 0 ? Integer.toString(i / 2 * 2) : "\"order-" + i + "\"";
                int copies = i % 7;
                String order = "{\"n\":" + copies + ",\"id\":" + id + ",\"at\":" + at + "}";
                int times = random.nextInt(10) == 0 ? 0 : random.nextInt(10) == 0 ? 2 : 1;
                for (int time = 0; time < times; time++) {
                    int partition = (int) (i * (long) PARTITIONS / ORDERS);
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(replica, partition, null, utf8(order)));
                    if (copies > 0) {
                        got.merge(at / WINDOW * WINDOW + " " + id, (long) copies, Long::sum);
                    }
                }
            }
        }
        return got;
    }

    @Test
    void bothEndWithTheUnionWithPartitionsHoursApartThroughAKilledTaskManager() throws Exception {
        Map<String, Long> east = send("east", 1);
        Map<String, Long> west = send("west", 2);
        Map<String, Long> union = new TreeMap<>(east);
        west.forEach((name, copies) -> union.merge(name, copies, Math::max));
        assertThat(east).isNotEqualTo(union);
        assertThat(west).isNotEqualTo(union);

        String[] fields = {
            "--id=json:/id", "--multiplicity=json:/n", "--time=json:/at", "--bounded", "--ttl=1h"
        };
        ReconcileOptions first = options("east", fields);
        first.parallelism = 2;
        ReconcileOptions second = options("west", fields);
        second.parallelism = 2;
        RunningJob one = start(first, null);
        RunningJob other = start(second, null);
        one.await(
                "exchanging",
                LIMIT,
                () -> flink.metrics().total("Reconcile: reconcile", "sentBytes") > 0);
        // Else one that has none yet would begin anew.
        one.checkpoint();
        other.checkpoint();
        flink.replaceTaskManager(0);
        one.await("restored", LIMIT, () -> one.restored() > 0 && other.restored() > 0);
        one.await(
                "agreed",
                LIMIT,
                () -> agreed("east") == union.size() && agreed("west") == union.size());
        one.stopWithSavepoint(false);
        other.stopWithSavepoint(false);

        assertThat(elements("east")).isEqualTo(union);
        assertThat(elements("west")).isEqualTo(union);
        assertThat(corrected("east", east)).isEqualTo(union);
        assertThat(corrected("west", west)).isEqualTo(union);
        for (String replica : List.of("east", "west")) {
            assertThat(read(replica, "late")).isEmpty();
            assertThat(read(replica, "dead-letters")).isEmpty();
        }
    }

    @Test
    void whatCannotBeReadIsADeadLetterAndWhatIsLateIsThereAsItCame() throws Exception {
        Map<String, String> reasons = new TreeMap<>();
        reasons.put("{\"n\":1}", "no-id");
        reasons.put("{\"id\":null,\"n\":1}", "no-id");
        reasons.put("{\"id\":1}", "no-multiplicity");
        reasons.put("{\"id\":2,\"n\":-1}", "negative-multiplicity");
        reasons.put("{\"id\":3,\"n\":1e99}", "multiplicity-too-large");
        reasons.put("{\"id\":4,\"n\":0.5}", "fractional-multiplicity");
        reasons.put("{\"id\":5,\"n\":\"some\"}", "no-multiplicity");
        reasons.put("{\"id\":6,\"n\":1", "not-json");
        String late = "{\"id\":7,\"n\":1}";
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (String value : reasons.keySet()) {
                send(producer, START, value);
            }
            send(producer, START, "{\"id\":8,\"n\":0}");
            send(producer, START, "{\"id\":10,\"n\":1}");
            send(producer, START + 3 * WINDOW, "{\"id\":9,\"n\":2}");
        }
        RunningJob job =
                start(
                        options(
                                "east",
                                "--id=json:/id",
                                "--multiplicity=json:/n",
                                "--idleness=100ms",
                                "--ttl=1s",
                                "--parallelism=1"),
                        null);
        job.await("read", LIMIT, () -> read("east", "dead-letters").size() == reasons.size());
        job.await("closed", LIMIT, () -> !read("east", "reports").isEmpty());
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, START, late);
        }
        job.await("late", LIMIT, () -> !read("east", "late").isEmpty());
        assertThat(flink.metrics().total("Reconcile: reconcile", "noCopies")).isEqualTo(1);
        job.cancel();

        assertThat(read("east", "late"))
                .singleElement()
                .satisfies(
                        record -> {
                            assertThat(record.value()).isEqualTo(utf8(late));
                            assertThat(record.timestamp()).isEqualTo(START);
                        });
        Map<String, String> letters = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> letter : read("east", "dead-letters")) {
            letters.put(
                    new String(letter.value(), UTF_8),
                    Topics.header(letter, DeadLetterSchema.REASON));
        }
        assertThat(letters).isEqualTo(reasons);
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, long at, String value) {
        var unused = producer.send(new ProducerRecord<>("east", 0, at, null, utf8(value)));
    }

    @Test
    void idsAreToldAsTheyWereRead() throws Exception {
        Map<List<Byte>, String> told = new HashMap<>();
        byte[] bytes = {(byte) 0xff, 1};
        String longId = "x".repeat(200);
        for (byte[] id : List.of(bytes, utf8("é"), utf8(longId))) {
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
                var unused = producer.send(new ProducerRecord<>("east", 0, START, id, utf8("any")));
            }
        }
        String[] keys = {"--id=key", "--bounded", "--parallelism=1"};
        RunningJob one = start(options("east", keys), null);
        RunningJob other = start(options("west", keys), null);
        other.await("agreed", LIMIT, () -> agreed("west") == 3);
        one.stopWithSavepoint(false);
        other.stopWithSavepoint(false);

        for (ConsumerRecord<byte[], byte[]> correction : read("west", "corrections")) {
            List<Byte> key = new ArrayList<>();
            for (byte b : correction.key()) {
                key.add(b);
            }
            JsonNode value = json(correction);
            assertThat(value.path("before").asLong()).isZero();
            assertThat(value.path("after").asLong()).isEqualTo(1);
            told.put(key, value.path("id").asText());
        }
        assertThat(told)
                .hasSize(3)
                .containsEntry(List.of((byte) 0xff, (byte) 1), "\u00ff\u0001")
                .containsEntry(List.of((byte) 0xc3, (byte) 0xa9), "é")
                .containsValue("sha256:" + HexFormat.of().formatHex(sha256(utf8(longId))));
    }

    private static byte[] sha256(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    @Test
    void stateOfAnotherIdOrMultiplicityIsRefusedNamingBoth() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, START, "{\"id\":1,\"n\":1}");
        }
        RunningJob job = start(options("east", "--id=json:/id", "--parallelism=1"), null);
        job.await(
                "read", LIMIT, () -> flink.metrics().total("Reconcile: reconcile", "records") > 0);
        String savepoint = job.stopWithSavepoint(false);

        for (String[] other :
                new String[][] {
                    {"--id=json:/n", "--id json:/id, and now it is json:/n"},
                    {"--multiplicity=json:/n", "--id json:/id, and now it is key"},
                    {
                        "--id=json:/id --multiplicity=json:/n",
                        "--multiplicity 1, and now it is json:/n"
                    }
                }) {
            RunningJob refused = start(options("east", other[0].split(" ")), savepoint);
            assertThatIOException()
                    .isThrownBy(() -> refused.awaitFinished(LIMIT))
                    .withMessageContaining("the state was made with " + other[1]);
        }
    }

    @Test
    void aTopicInWhichNothingCanBeComparedIsToldBeforeTheStart() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, START, "{\"id\":1}");
        }
        assertThat(options("east").prepare(false))
                .singleElement()
                .asString()
                .contains("none of the first 1 records of the input is a packet record (too-short)")
                .contains("Say with --id and --multiplicity where other records have");
        assertThat(options("east", "--id=json:/id", "--multiplicity=json:/n").prepare(false))
                .singleElement()
                .asString()
                .contains("has the id json:/id and the multiplicity json:/n (no-multiplicity)");
        assertThat(options("east", "--id=json:/id").prepare(false)).isEmpty();
    }
}
