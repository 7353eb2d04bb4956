/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Criterion;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.JobTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic that is full when the job begins: what passes is judged by the records' own times. */
class DedupOwnTimesIT {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long WINDOW = Duration.ofMinutes(1).toMillis();
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final int RECORDS = 2_000;
    private static final int RUNS = 5;
    private static final int MANY_RUNS = 200;

    /** All times are before the wall clock, but for those that are years ahead. */
    private static final long START = System.currentTimeMillis() - Duration.ofHours(20).toMillis();

    @TempDir static Path folder;

    private static EmbeddedKafka kafka;
    private static LocalFlink flink;

    @BeforeAll
    static void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
        flink = LocalFlink.start(folder, 1, 2);
    }

    @AfterAll
    static void stop() throws IOException {
        flink.close();
        kafka.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--on-late=forward", "--verify"})
    void anyTopicIsJudgedByItsOwnTimes(String engine) throws Exception {
        judge(0, RUNS, engine);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--on-late=forward", "--verify"})
    @Tag("long")
    void manyTopicsAreJudgedByTheirOwnTimes(String engine) throws Exception {
        judge(RUNS, MANY_RUNS, engine);
    }

    /** Ten hours: a hundred sensors report once an hour, and other ids come between. */
    @ParameterizedTest
    @ValueSource(strings = {"--on-late=forward", "--verify"})
    void ofABacklogOfHoursNoReportThatIsNewAgainIsMissing(String engine) throws Exception {
        List<Occurrence> records = new ArrayList<>();
        int sensors = 100;
        int hours = 10;
        int between = 20;
        for (int hour = 0; hour < hours; hour++) {
            for (int sensor = 0; sensor < sensors; sensor++) {
                long time = START + HOUR * hour + HOUR * sensor / sensors;
                records.add(new Occurrence(records.size(), 0, sensor, time));
                for (int i = 0; i < between; i++) {
                    long id = (long) sensors + records.size();
                    records.add(new Occurrence(records.size(), 0, id, time + 1_000L * i));
                }
            }
        }
        String topic = "backlog" + engine.replace('=', '-');
        send(topic, List.of(records));

        BitSet passed =
                run(
                        topic,
                        Duration.ofMinutes(10),
                        Duration.ofMinutes(1),
                        "--parallelism=2",
                        engine);

        assertThat(passed.cardinality()).isEqualTo(records.size());
    }

    /** One partition is read to its end, half a day ahead, before the other begins. */
    @ParameterizedTest
    @ValueSource(strings = {"--on-late=forward", "--verify"})
    void ofTwoPartitionsWithEqualIdsEachPassesOnce(String engine) throws Exception {
        int ids = 30_000;
        List<List<Occurrence>> partitions = List.of(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < ids; i++) {
            long time = START + 12 * HOUR * i / ids;
            partitions.get(0).add(new Occurrence(i, 0, i, time));
            partitions.get(1).add(new Occurrence(ids + i, 1, i, time));
        }
        String topic = "equal" + engine.replace('=', '-');
        send(topic, partitions);

        BitSet passed =
                run(
                        topic,
                        Duration.ofHours(1),
                        Duration.ZERO,
                        "--parallelism=2",
                        "--max-drift=off",
                        engine);

        assertThat(passed.cardinality()).isEqualTo(ids);
    }

    /** Topics from one number to another, with partitions that are held together and not. */
    private static void judge(int from, int to, String engine) throws Exception {
        boolean exact = engine.equals("--verify");
        Criterion criterion = exact ? Criterion.exact(WINDOW) : Criterion.ofFilters(WINDOW);
        for (int i = from; i < to; i++) {
            long seed = Seeds.seed(i);
            Topics topics = Topics.random(new SplittableRandom(seed), WINDOW, START, RECORDS);
            String topic = "own-times-" + (exact ? "exact-" : "") + i;
            try {
                send(topic, topics.partitions());
                BitSet passed =
                        run(
                                topic,
                                Duration.ofMillis(WINDOW),
                                Duration.ofMillis(topics.outOfOrderness()),
                                "--parallelism=" + (1 + i % 2),
                                "--max-drift=" + (i % 3 == 0 ? "off" : i % 3 + " min"),
                                engine);
                criterion.judge(topics.arrivals(), passed).require();
            } catch (AssertionError e) {
                throw new AssertionError(Seeds.describe(seed), e);
            }
        }
    }

    /** The time is a header: a broker refuses timestamps that are years ahead. */
    private static void send(String topic, List<List<Occurrence>> partitions) throws Exception {
        kafka.createTopics(partitions.size(), topic);
        List<Future<?>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = io.sluice.job.Topics.producer(kafka)) {
            for (List<Occurrence> partition : partitions) {
                for (Occurrence record : partition) {
                    byte[] id = bytes(record.id());
                    byte[] number = bytes(record.number());
                    var message = new ProducerRecord<>(topic, record.partition(), id, number);
                    message.headers().add("time", bytes(record.time()));
                    sent.add(producer.send(message));
                }
            }
        }
        for (Future<?> future : sent) {
            future.get();
        }
    }

    private static byte[] bytes(long number) {
        return String.valueOf(number).getBytes(UTF_8);
    }

    /** The numbers of the records that passed. */
    private static BitSet run(
            String topic, Duration within, Duration outOfOrderness, String... more)
            throws Exception {
        List<String> arguments = new ArrayList<>();
        arguments.add("--bootstrap-servers=" + kafka.bootstrapServers());
        arguments.add("--input-topic=" + topic);
        arguments.add("--bounded");
        arguments.add("--within=" + within.toMillis() + " ms");
        arguments.add("--fpp=1e-9");
        arguments.add("--out-of-orderness=" + outOfOrderness.toMillis() + " ms");
        arguments.add("--time=header:time");
        arguments.addAll(List.of(more));
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);
        flink.submit(env, topic).awaitFinished(LIMIT);
        BitSet passed = new BitSet();
        for (ConsumerRecord<byte[], byte[]> record :
                io.sluice.job.Topics.readAll(kafka, options.outputTopic())) {
            passed.set(Integer.parseInt(new String(record.value(), UTF_8)));
        }
        return passed;
    }
}
