/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.KafkaEnds;
import io.sluice.job.Topics;
import io.sluice.job.message.MessageSource;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How far apart in event time the partitions of a backlog are read. */
class DriftIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long HOUR = 3_600_000;
    private static final long START = System.currentTimeMillis() - 24 * HOUR;

    /** The records of a request, so that not all of a test's are fetched before one is held. */
    private static final String SMALL_POLLS = "--kafka-property=max.poll.records=25";

    private static final byte[] NO_VALUE = {};

    /** The value of a record whose time is wrong. */
    private static final byte[] WRONG = {1};

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;
    private static LocalFlink flink;

    @BeforeAll
    static void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
        flink = LocalFlink.start(folder, 1, 4);
    }

    @AfterAll
    static void stop() throws IOException {
        flink.close();
        kafka.close();
    }

    /** What was read of all partitions, in the order in which it came; of one job at a time. */
    private static final class Course {
        private static final Course NOW = new Course();

        private final long[] last = new long[8];
        private final long[] ends = new long[8];
        private long largest;
        private int messages;
        private final Set<String> keys = new HashSet<>();

        /**
         * @param newEnds of each partition; records up to there are awaited
         */
        synchronized void reset(long... newEnds) {
            for (int i = 0; i < newEnds.length; i++) {
                ends[i] = newEnds[i];
                last[i] = START;
            }
            for (int i = newEnds.length; i < ends.length; i++) {
                ends[i] = 0;
            }
            largest = 0;
            messages = 0;
            keys.clear();
        }

        synchronized void read(KafkaMessage message) {
            messages++;
            int partition = message.partition();
            keys.add(partition + new String(message.key(), US_ASCII));
            if (message.value().length > 0) {
                return;
            }
            last[partition] = message.time();
            for (int i = 0; i < last.length; i++) {
                if (i != partition && last[i] < ends[i]) {
                    largest = Math.max(largest, message.time() - last[i]);
                }
            }
        }

        synchronized long largest() {
            return largest;
        }

        synchronized int messages() {
            return messages;
        }

        synchronized int count() {
            return keys.size();
        }
    }

    /** Sees the records as the source emits them. */
    private static final class Watch extends ProcessFunction<KafkaMessage, KafkaMessage> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                KafkaMessage message, Context context, Collector<KafkaMessage> out) {
            Course.NOW.read(message);
        }
    }

    private static RunningJob submit(String topic, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--bootstrap-servers=" + kafka.bootstrapServers());
        arguments.add("--input-topic=" + topic);
        arguments.add("--within=1 h");
        arguments.add(SMALL_POLLS);
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        KafkaEnds.read(
                        env,
                        options,
                        KafkaEnds.consumer(options.brokers(), options.group()),
                        options.bounded,
                        new MessageSource(options.layout()),
                        lags -> KafkaEnds.eventTime(options, lags, (each, kafka) -> each.time()),
                        null,
                        DedupJob.SOURCE,
                        MessageTypeInfoFactory.TYPE)
                .process(new Watch(), MessageTypeInfoFactory.TYPE)
                .sinkTo(new DiscardingSink<>());
        return flink.submit(env, topic);
    }

    /** Records of a partition, evenly over {@code hours} from {@code from} on. */
    private static long send(String topic, int partition, int records, long from, double hours) {
        return send(topic, partition, records, from, hours, Integer.MAX_VALUE);
    }

    /** One record in so many is six hours ahead. */
    private static long send(
            String topic, int partition, int records, long from, double hours, int wrongIn) {
        long last = 0;
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < records; i++) {
                boolean isWrong = i % wrongIn == wrongIn - 1;
                last = from + (long) (hours * HOUR * i / (records - 1));
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        topic,
                                        partition,
                                        isWrong ? last + 6 * HOUR : last,
                                        Integer.toString(i).getBytes(US_ASCII),
                                        isWrong ? WRONG : NO_VALUE));
            }
            producer.flush();
        }
        return last;
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "4"})
    void partitionsOfABacklogAreReadNoFurtherApartThanTheDrift(int parallelism, TestInfo test)
            throws Exception {
        String topic = "backlog-" + parallelism;
        kafka.createTopics(2, topic);
        // As fast as the other one in records, this one is hours ahead in no time.
        long sparse = send(topic, 0, 10_000, START, 12);
        long dense = send(topic, 1, 100_000, START, 12);

        Course.NOW.reset(sparse, dense);
        submit(topic, "--bounded", "--parallelism=" + parallelism).awaitFinished(LIMIT);

        assertThat(Course.NOW.count()).isEqualTo(110_000);
        // A quarter of an hour, 200 records that were fetched already, of 4.3 seconds each, and a
        // few dozen before it is noticed.
        assertThat(Course.NOW.largest()).isBetween(HOUR / 8, HOUR * 2 / 3);

        Course.NOW.reset(sparse, dense);
        submit(topic, "--bounded", "--parallelism=" + parallelism, "--max-drift=off")
                .awaitFinished(LIMIT);

        assertThat(Course.NOW.count()).isEqualTo(110_000);
        assertThat(Course.NOW.largest()).as("otherwise").isGreaterThan(HOUR);
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "4"})
    void nothingWaitsForAPartitionThatEndsEarlyOrIsEmpty(int parallelism) throws Exception {
        String topic = "early-" + parallelism;
        kafka.createTopics(4, topic);
        long all = send(topic, 0, 20_000, START, 12);
        long early = send(topic, 1, 2_000, START, 1);
        long late = send(topic, 3, 20_000, START + 6 * HOUR, 6);

        Course.NOW.reset(all, early, 0, late);
        submit(topic, "--bounded", "--parallelism=" + parallelism).awaitFinished(LIMIT);

        assertThat(Course.NOW.count()).isEqualTo(42_000);

        Course.NOW.reset(all, early, 0, late);
        RunningJob forEver = submit(topic, "--parallelism=" + parallelism);
        forEver.await("at the end", LIMIT, () -> Course.NOW.count() == 42_000);
        // A partition that was silent has something new, and is not waited for again afterwards.
        Course.NOW.reset(0, 0, 0, 0);
        long unused = send(topic, 1, 100, START + 12 * HOUR, 1);
        long unusedToo = send(topic, 0, 1_000, START + 12 * HOUR, 10);
        forEver.await("at the new end", LIMIT, () -> Course.NOW.count() == 1_100);
        forEver.cancel();
    }

    /** The clock of a device is six hours ahead, and still not ahead of ours. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void someRecordsWithAWrongClockDoNotHoldTheirPartition(int parallelism) throws Exception {
        String topic = "wrong-clock-" + parallelism;
        kafka.createTopics(2, topic);
        int records = 50_000;
        send(topic, 0, records, START, 12, 50);
        send(topic, 1, records, START, 12);

        // Times that are ahead do not count.
        Course.NOW.reset(START + 12 * HOUR, START + 12 * HOUR);
        submit(topic, "--bounded", "--parallelism=" + parallelism).awaitFinished(LIMIT);

        assertThat(Course.NOW.count()).isEqualTo(2 * records);
        assertThat(Course.NOW.largest()).isLessThan(HOUR);
    }

    @Test
    void nothingWaitsLongForATopicThatWasDeleted() throws Exception {
        kafka.createTopics(1, "stays");
        kafka.createTopics(1, "quiet");
        kafka.createTopics(1, "goes");
        send("stays", 0, 10, START, 0.1);
        send("quiet", 0, 10, START, 0.1);
        send("goes", 0, 10, START, 0.01);
        Course.NOW.reset(0);
        RunningJob job = submit("stays,quiet,goes", "--parallelism=1");
        job.await("at the end", LIMIT, () -> Course.NOW.messages() == 30);

        try (Admin admin = kafka.admin()) {
            admin.deleteTopics(List.of("goes")).all().get();
        }
        for (int hour = 1; hour <= 5; hour++) {
            send("stays", 0, 1_000, START + hour * HOUR, 0.9);
        }

        job.await("at the new end", LIMIT, () -> Course.NOW.messages() == 5_030);
        job.cancel();
    }
}
