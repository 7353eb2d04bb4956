/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.JobTopics;
import io.sluice.job.Topics;
import io.sluice.job.message.CompactedTopics;
import io.sluice.job.message.FirstRecords;
import io.sluice.kafka.TopicLimits;
import io.sluice.message.FakeRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Topics of any records, each id once. */
class DedupJobIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** Times of records, a while ago. */
    private static final long START = System.currentTimeMillis() - 3_600_000;

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;
    private static LocalFlink flink;

    private String topic;

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

    @BeforeEach
    void topic(TestInfo test) throws IOException {
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(3, topic);
    }

    private record Sent(
            int partition,
            long time,
            @Nullable String key,
            @Nullable String value,
            List<String> headers) {}

    private static Sent sent(
            int partition, long time, String key, String value, String... headers) {
        return new Sent(partition, START + time, key, value, Arrays.asList(headers));
    }

    private void send(Sent... records) {
        send(topic, records);
    }

    private static void send(String topic, Sent... records) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (Sent sent : records) {
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(
                                topic,
                                sent.partition,
                                sent.time,
                                bytes(sent.key),
                                bytes(sent.value));
                for (int i = 0; i < sent.headers.size(); i += 2) {
                    record.headers().add(sent.headers.get(i), bytes(sent.headers.get(i + 1)));
                }
                var unused = producer.send(record);
            }
            producer.flush();
        }
    }

    @Nullable
    private static byte[] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private DedupOptions options(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--bootstrap-servers=" + kafka.bootstrapServers());
        arguments.add("--bounded");
        for (String ours : List.of("--parallelism=2", "--input-topic=" + topic)) {
            String name = ours.substring(0, ours.indexOf('='));
            if (Arrays.stream(more).noneMatch(argument -> argument.startsWith(name))) {
                arguments.add(ours);
            }
        }
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        return options;
    }

    private List<String> run(String... more) throws Exception {
        return run(Duration.ofMillis(1), more);
    }

    /** Runs the job; Flink asks for watermarks that often. */
    private List<String> run(Duration watermarks, String... more) throws Exception {
        DedupOptions options = options(more);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.getConfig().setAutoWatermarkInterval(watermarks.toMillis());
        DedupJob.define(env, options);
        flink.submit(env, topic).awaitFinished(LIMIT);
        return texts(options.outputTopic());
    }

    /** Each record as text, sorted. */
    private static List<String> texts(String topic) {
        List<String> texts = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, topic)) {
            StringBuilder text = new StringBuilder();
            text.append(record.partition())
                    .append('@')
                    .append(record.timestamp() - START)
                    .append(' ')
                    .append(text(record.key()))
                    .append('=')
                    .append(text(record.value()));
            record.headers()
                    .forEach(
                            h ->
                                    text.append(' ')
                                            .append(h.key())
                                            .append('=')
                                            .append(text(h.value())));
            texts.add(text.toString());
        }
        texts.sort(null);
        return texts;
    }

    private static String text(@Nullable byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, UTF_8);
    }

    @Test
    void recordsKeepBytesHeadersTimestampAndPartition() throws Exception {
        send(
                sent(0, 1, "a", "1", "x", "1", "x", "2"),
                sent(2, 2, "b", null),
                sent(0, 3, "a", "2"),
                sent(2, 4, "b", "3"),
                sent(2, 5, "", "4", "e", null));

        assertThat(run("--within=10 min"))
                .containsExactly("0@1 a=1 x=1 x=2", "2@2 b=null", "2@5 =4 e=null");
    }

    @Test
    void duplicatesMayPassWithAHeaderOrGoToATopicOfTheirOwn() throws Exception {
        send(sent(0, 1, "a", "1", "h", "v"), sent(0, 2, "a", "2", "h", "w"));

        assertThat(run("--within=10 min", "--on-duplicate=tag"))
                .containsExactly("0@1 a=1 h=v", "0@2 a=2 h=w sluice.duplicate=true");
        assertThat(run("--within=10 min", "--on-duplicate=topic", "--output-topic=split"))
                .containsExactly("0@1 a=1 h=v");
        assertThat(texts("split-duplicates")).containsExactly("0@2 a=2 h=w");
    }

    @Test
    void severalTopicsAreDeduplicatedTogetherByAnIdInJsonAndAHeader() throws Exception {
        kafka.createTopics(3, "second");
        send(
                sent(0, 1, null, "{\"o\":{\"id\":7}}", "t", "x"),
                sent(0, 2, null, "{\"o\":{\"id\":\"7\"}}", "t", "x"),
                sent(0, 3, null, "{\"o\":{\"id\":7}}", "t", "y"));
        send("second", sent(1, 4, "k", "{\"a\":[],\"o\":{\"id\":7.0}}", "t", "x"));

        assertThat(
                        run(
                                "--input-topic=" + topic + ",second",
                                "--id=json:/o/id",
                                "--id=header:t",
                                "--within=10 min",
                                "--out-of-orderness=1 min"))
                .hasSize(3);
    }

    @Test
    void afterTheWindowAnIdIsNewAgainByTheTimeInTheRecord() throws Exception {
        List<Sent> records = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            records.add(sent(0, 0, "a", "{\"t\":" + (START + 1000L * i) + "}"));
        }
        // Enough for event time to follow.
        for (int i = 0; i < 100_000; i++) {
            records.add(sent(0, 0, "p" + i, "{\"t\":" + (START + i) + "}"));
        }
        records.add(sent(0, 0, "a", "{\"t\":" + (START + 200_000) + "}"));
        send(records.toArray(Sent[]::new));

        List<String> output =
                run("--within=10 s", "--time=json:/t", "--out-of-orderness=0 s", "--on-late=topic");

        assertThat(output.stream().filter(text -> text.contains(" a=")))
                .containsExactly(
                        "0@0 a={\"t\":" + START + "}", "0@0 a={\"t\":" + (START + 200_000) + "}");
    }

    @Test
    void timesInSecondsOrMicrosecondsAreRefusedUnlessTheirUnitIsGiven() throws Exception {
        send(
                sent(0, 0, "a", "{\"t\":1732700000}"),
                sent(0, 0, "a", "{\"t\":\"1732707200\"}"),
                sent(1, 0, "b", "{\"t\":1732707200.5}"),
                sent(1, 0, "b", "{\"t\":1732707201}"));
        String[] seconds = {
            "--within=1 h",
            "--keep=last",
            "--time=json:/t",
            "--time-unit=s",
            "--output-topic=two-hours"
        };

        assertThatThrownBy(() -> FirstRecords.warnings(options("--within=1 h", "--time=json:/t")))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "times lie in January 1970 (the first: 1732700000), as if they were"
                            + " seconds: say --time-unit s, or --time-unit ms if they are right");
        FirstRecords.warnings(options(seconds));
        assertThat(run(seconds))
                .as("both of a, as two hours are between them")
                .containsExactly(
                        "0@0 a={\"t\":\"1732707200\"}",
                        "0@0 a={\"t\":1732700000}",
                        "1@0 b={\"t\":1732707201}");
        String[] millis = {
            "--within=1 h",
            "--keep=last",
            "--time=json:/t",
            "--time-unit=ms",
            "--output-topic=two-hours-of-ms"
        };
        FirstRecords.warnings(options(millis));
        assertThat(run(millis)).as("what is said is believed").hasSize(2);

        kafka.createTopics(1, "micros");
        send("micros", sent(0, 0, "a", "1732700000000000"));
        assertThatThrownBy(
                        () ->
                                FirstRecords.warnings(
                                        options(
                                                "--within=1 h",
                                                "--input-topic=micros",
                                                "--time=value")))
                .hasMessageContaining("times lie in ")
                .hasMessageContaining("say --time-unit us");
        FirstRecords.warnings(options("--within=1 h"));
    }

    @Test
    void aTopicInWhichNoRecordHasTheIdIsToldBeforeTheStart() throws Exception {
        assertThat(FirstRecords.warnings(options("--within=1 h"))).as("an empty topic").isEmpty();
        send(sent(0, 1, null, "{\"id\":1}"), sent(1, 2, null, "{\"id\":2}"));
        assertThat(FirstRecords.warnings(options("--within=1 h")))
                .singleElement()
                .asString()
                .startsWith(
                        "none of the first 2 records of the input has the id key (no-id): they are"
                            + " dealt with by --on-unreadable. Say with --id where the id is: ");
        assertThat(FirstRecords.warnings(options("--within=1 h", "--id=json:/id"))).isEmpty();
        send(sent(0, 3, "k", "{}"));
        assertThat(FirstRecords.warnings(options("--within=1 h"))).isEmpty();
    }

    @Test
    void aJobWhoseTopicWasEmptyAtItsStartEndsWhenAllTimesAreInAnotherUnit() throws Exception {
        send(sent(0, 0, "no number", "{\"t\":\"soon\"}"));
        for (int i = 0; i < 100; i++) {
            send(sent(0, 0, "k" + i, "{\"t\":" + (1732700000 + i) + "}"));
        }
        DedupOptions options = options("--within=1 h", "--time=json:/t", "--parallelism=1");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);

        assertThatThrownBy(() -> flink.submit(env, topic).awaitFinished(LIMIT))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("say --time-unit s");
    }

    @Test
    void timesWithASpaceAndWithoutAZoneAreRead() throws Exception {
        send(
                sent(0, 0, "a", "2025-04-25 09:44:25"),
                sent(0, 0, "a", "2025-04-25 09:44:25+0000"),
                sent(0, 0, "a", "2025-04-25 12:44:25+0200"),
                sent(0, 0, "a", "2025-04-25T12:44:26.5"));

        assertThat(run("--within=1 h", "--keep=last", "--time=value", "--time-zone=Europe/Berlin"))
                .as("of 07:44:25, then 09:44:25 and 10:44:25, then 10:44:26.5")
                .containsExactly(
                        "0@0 a=2025-04-25 09:44:25",
                        "0@0 a=2025-04-25 12:44:25+0200",
                        "0@0 a=2025-04-25T12:44:26.5");
    }

    @Test
    void eventTimeFollowsABacklogThatIsReadBeforeFlinkAsksForAWatermark() throws Exception {
        kafka.createTopics(1, "backlog");
        List<Sent> records = new ArrayList<>();
        for (int minute = 0; minute < 60; minute++) {
            records.add(sent(0, 60_000L * minute, "minute " + minute, "1"));
        }
        records.add(sent(0, 60_000, "hours late", "2"));
        send("backlog", records.toArray(Sent[]::new));

        assertThat(
                        run(
                                Duration.ofDays(1),
                                "--input-topic=backlog",
                                "--within=10 min",
                                "--on-late=topic"))
                .hasSize(60);
        assertThat(texts("backlog-deduplicated-late")).containsExactly("0@60000 hours late=2");
    }

    @Test
    void whatHasNoIdGoesToTheDeadLettersWithItsBytesAndTheReason() throws Exception {
        send(
                sent(1, 1, "k", "no json", "h", "v"),
                sent(0, 2, "k", "{\"id\":{}}"),
                sent(0, 3, "k", "{\"id\":1}"));

        assertThat(run("--within=10 min", "--id=json:/id")).containsExactly("0@3 k={\"id\":1}");
        List<ConsumerRecord<byte[], byte[]>> letters =
                Topics.readAll(kafka, topic + "-deduplicated-dead-letters");
        assertThat(letters).hasSize(2);
        for (ConsumerRecord<byte[], byte[]> letter : letters) {
            boolean first = text(letter.value()).equals("no json");
            assertThat(Topics.header(letter, DeadLetterSchema.REASON))
                    .isEqualTo(first ? "not-json" : "no-id");
            assertThat(Topics.header(letter, DeadLetterSchema.PARTITION))
                    .isEqualTo(first ? "1" : "0");
            assertThat(letter.headers().lastHeader("h") != null).isEqualTo(first);
        }
        assertThat(
                        run(
                                "--within=10 min",
                                "--id=json:/id",
                                "--on-unreadable=forward",
                                "--output-topic=forwarded"))
                .hasSize(3);
    }

    @Test
    void recordsThatTheOutputDoesNotTakeAreDeadLettersAndCompressibleOnesPass() throws Exception {
        String any = Long.toString(Long.MAX_VALUE);
        kafka.createTopics(3, Map.of("message.timestamp.after.max.ms", any), "large");
        kafka.createTopics(
                3,
                Map.of("max.message.bytes", "20000", "message.timestamp.after.max.ms", "3600000"),
                "small");
        byte[] noise = new byte[30_000];
        new Random(1).nextBytes(noise);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (ProducerRecord<byte[], byte[]> record :
                    List.of(
                            new ProducerRecord<>("large", 0, START, bytes("noise"), noise),
                            new ProducerRecord<>(
                                    "large", 0, START, bytes("flat"), new byte[30_000]),
                            new ProducerRecord<>(
                                    "large", 0, START + 40_000_000, bytes("future"), bytes("x")))) {
                var unused = producer.send(record);
            }
            producer.flush();
        }
        List<String> output = run("--input-topic=large", "--within=10 min", "--output-topic=small");

        assertThat(output).hasSize(1);
        assertThat(output.get(0)).startsWith("0@0 flat=");
        assertThat(Topics.readAll(kafka, "small-dead-letters"))
                .extracting(letter -> Topics.header(letter, DeadLetterSchema.REASON))
                .containsExactlyInAnyOrder("too-large", "bad-timestamp");
    }

    @Test
    void aCompactedOutputTakesNoRecordWithoutAKey() throws Exception {
        kafka.createTopics(3, Map.of("cleanup.policy", "compact"), "compacted");
        send(sent(0, 1, null, "a"), sent(0, 2, "k", "b"));

        assertThat(run("--within=1 h", "--id=value", "--output-topic=compacted"))
                .containsExactly("0@2 k=b");
        assertThat(Topics.readAll(kafka, "compacted-dead-letters"))
                .extracting(letter -> Topics.header(letter, DeadLetterSchema.REASON))
                .containsExactly("no-key");
    }

    @Test
    void aWarningNamesEachTopicThatWouldLoseRecordsBecauseItIsCompacted() throws Exception {
        kafka.createTopics(
                3,
                Map.of("cleanup.policy", "compact"),
                "upserts",
                "letters",
                "sums-of-upserts",
                "upserts-deduplicated");
        String[] outputs = {
            "--within=1 h",
            "--output-topic=upserts-deduplicated",
            "--dead-letter-topic=letters",
            "--summary-topic=sums-of-upserts"
        };

        assertThat(CompactedTopics.warnings(options(outputs)))
                .hasSize(2)
                .anyMatch(text -> text.contains("'upserts-deduplicated' is compacted"))
                .anyMatch(text -> text.contains("--dead-letter-topic"));
        List<String> alike = new ArrayList<>(List.of(outputs));
        alike.add("--input-topic=upserts");
        assertThat(CompactedTopics.warnings(options(alike.toArray(String[]::new))))
                .as("an output is compacted as its input is")
                .hasSize(2)
                .anyMatch(text -> text.contains("--dead-letter-topic"))
                .anyMatch(text -> text.contains("'upserts' is compacted, and a record without"));
        alike.remove("--summary-topic=sums-of-upserts");
        alike.add("--tombstones=forward");
        assertThat(CompactedTopics.warnings(options(alike.toArray(String[]::new))))
                .singleElement()
                .asString()
                .contains("--dead-letter-topic");
        assertThat(CompactedTopics.warnings(options("--within=1 h"))).isEmpty();
    }

    @Test
    void aJobThatIsToFailOnAnUnreadableRecordEnds() throws Exception {
        send(sent(0, 1, null, "a"));
        DedupOptions options = options("--within=1 h", "--on-unreadable=fail");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);

        assertThatThrownBy(() -> flink.submit(env, topic).awaitFinished(LIMIT))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("--on-unreadable");
    }

    @Test
    void aProducerOfSmallRequestsGetsNoRecordThatItRefuses() throws Exception {
        send(sent(0, 1, "a", "x".repeat(4000)), sent(0, 2, "b", "y"));

        assertThat(run("--within=1 h", "--kafka-property=max.request.size=2000"))
                .containsExactly("0@2 b=y");
    }

    @Test
    void idsOnDiskPassOnce() throws Exception {
        List<Sent> records = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            records.add(sent(i % 3, i, "k" + i % 100, "" + i));
        }
        send(records.toArray(Sent[]::new));

        assertThat(run("--forever", "--on-duplicate=topic")).hasSize(100);
        assertThat(run("--forever", "--fpp=1e-11", "--output-topic=least")).hasSize(100);
        assertThat(texts(topic + "-deduplicated-duplicates")).hasSize(200);
        assertThat(run("--within=1 d", "--time=processing", "--on-disk", "--output-topic=day"))
                .hasSize(100);
        assertThat(run("--within=1 d", "--on-disk", "--output-topic=event")).hasSize(100);
        assertThat(run("--within=300 d", "--output-topic=year")).hasSize(100);
    }

    @Test
    void anOutputTopicIsLikeTheInputAndNeedsItsPartitions() throws Exception {
        kafka.createTopics(2, Map.of("retention.ms", "-1"), "kept");
        DedupOptions options =
                DedupOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=kept",
                        "--within=1 h");
        JobTopics.prepare(options);
        try (var admin = kafka.admin()) {
            assertThat(TopicLimits.configFor(admin, List.of("kept-deduplicated")))
                    .containsEntry("retention.ms", "-1")
                    .containsEntry("cleanup.policy", "delete");
            assertThat(TopicLimits.configFor(admin, List.of(topic, "kept")))
                    .as("what keeps longest decides")
                    .containsEntry("retention.ms", "-1");
        }
        kafka.createTopics(1, "narrow");
        assertThatThrownBy(() -> options("--within=1 h", "--output-topic=narrow"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'narrow' has 1 partitions")
                .hasMessageContaining("--partitioning");
        send(sent(2, 1, "a", "1"));
        assertThat(run("--within=1 h", "--output-topic=narrow", "--partitioning=key"))
                .containsExactly("0@1 a=1");
    }

    @Test
    void duplicatesAcrossAVerifiedWindowAreDropped() throws Exception {
        send(sent(0, 1, "a", "1"), sent(1, 2, "a", "2"), sent(2, 3, "b", "3"));

        assertThat(run("--within=1 h", "--verify", "--out-of-orderness=1 min")).hasSize(2);
        assertThat(run("--within=1 h", "--time=processing", "--output-topic=arrival")).hasSize(2);
    }

    @Test
    void suppressedDuplicatesAreCountedByIdOnTheSummaryTopic() throws Exception {
        send(
                sent(0, 1, "a", "1"),
                sent(1, 2, "b", "2"),
                sent(0, 3, "a", "3"),
                sent(0, 4, "a", "4"),
                sent(2, 5, "c", "5"),
                sent(2, 6, "c", "6"));

        assertThat(run("--within=10 min", "--summary-topic=sums", "--out-of-orderness=1 min"))
                .hasSize(3);
        assertThat(summary("sums"))
                .containsExactly(summary("a", 2, 3, 4, 0, 1), summary("c", 1, 6, 6, 2, 1));
        run(
                "--within=10 min",
                "--time=processing",
                "--on-duplicate=topic",
                "--output-topic=by-arrival",
                "--summary-topic=sums-by-arrival");
        assertThat(texts("by-arrival-duplicates")).hasSize(3);
        assertThat(summary("sums-by-arrival"))
                .extracting(text -> text.substring(0, text.indexOf(",\"first\"")))
                .containsExactly(
                        "a {\"id\":\"a\",\"suppressed\":2", "c {\"id\":\"c\",\"suppressed\":1");
    }

    private static List<String> summary(String topic) {
        return Topics.readAll(kafka, topic).stream()
                .map(record -> text(record.key()) + ' ' + text(record.value()))
                .sorted()
                .toList();
    }

    private String summary(
            String id, int suppressed, long first, long last, int partition, long offset) {
        return String.format(
                "%s {\"id\":\"%s\",\"suppressed\":%d,\"first\":%d,\"last\":%d,"
                        + "\"topic\":\"%s\",\"partition\":%d,\"offset\":%d}",
                id, id, suppressed, START + first, START + last, topic, partition, offset);
    }

    @Test
    void theLastRecordOfEachIdPassesAndTheOthersAreDuplicates() throws Exception {
        send(
                sent(0, 1, "a", "1"),
                sent(0, 9, "a", "2"),
                sent(0, 5, "a", "3"),
                sent(1, 6, "b", "4", "h", "v"),
                sent(0, 700_000, "a", "5"));

        assertThat(
                        run(
                                "--within=10 min",
                                "--keep=last",
                                "--on-duplicate=topic",
                                "--summary-topic=last-sums"))
                .containsExactly("0@700000 a=5", "0@9 a=2", "1@6 b=4 h=v");
        assertThat(texts(topic + "-deduplicated-duplicates")).containsExactly("0@1 a=1", "0@5 a=3");
        assertThat(summary("last-sums")).containsExactly(summary("a", 2, 1, 5, 0, 0));
        assertThat(
                        run(
                                "--within=10 min",
                                "--keep=last",
                                "--time=processing",
                                "--output-topic=last-by-arrival"))
                .containsExactly("0@700000 a=5", "1@6 b=4 h=v");
    }

    @Test
    void asManyRecordsOfAnIdPassAsTheLimitSays() throws Exception {
        send(
                sent(0, 1, "a", "1"),
                sent(0, 2, "a", "2"),
                sent(0, 3, "b", "3"),
                sent(0, 4, "a", "4"),
                sent(0, 5, "a", "5"));

        assertThat(run("--within=10 min", "--limit=3", "--parallelism=1"))
                .containsExactly("0@1 a=1", "0@2 a=2", "0@3 b=3", "0@4 a=4");
    }

    @Test
    void duplicatesWithAnotherContentAreOnTheirTopic() throws Exception {
        send(
                sent(0, 1, "k1", "{\"amount\":100,\"sent\":1}", "h", "v"),
                sent(0, 2, "k1", "{\"sent\":2,\"amount\":1e2}"),
                sent(0, 3, "k1", "{\"amount\":250,\"sent\":3}", "h", "w"),
                sent(0, 4, "k2", "cut off {"),
                sent(0, 5, "k2", "cut off {"),
                sent(0, 6, "k2", null),
                sent(0, 7, "k3", null),
                sent(0, 8, "k3", null));
        String[] arguments = {
            "--within=10 min",
            "--parallelism=1",
            "--on-conflict=topic",
            "--content=json-without:/sent",
            "--on-duplicate=topic"
        };

        assertThat(run(arguments)).hasSize(3);
        assertThat(texts(topic + "-deduplicated-conflicts"))
                .containsExactly("0@3 k1={\"amount\":250,\"sent\":3} h=w", "0@6 k2=null");
        assertThat(texts(topic + "-deduplicated-duplicates")).hasSize(5);

        List<String> whole =
                run("--within=10 min", "--on-conflict=topic", "--output-topic=by-value");
        assertThat(whole).hasSize(3);
        assertThat(texts("by-value-conflicts"))
                .as("byte for byte the second differs too")
                .hasSize(3);
    }

    @Test
    void aContentThatNothingComparesIsRefused() {
        assertThatThrownBy(() -> options("--within=10 min", "--content=value"))
                .hasMessageContaining("--content has no effect without --on-conflict");
    }

    @Test
    void aDuplicateBeginsTheWindowAgainIfThatIsAskedFor() throws Exception {
        List<Sent> records = new ArrayList<>();
        // An id that comes every eight seconds, and enough others for event time to follow.
        for (int i = 0; i < 100_000; i++) {
            records.add(sent(0, i, i % 8000 == 0 && i < 50_000 ? "a" : "p" + i, ""));
        }
        records.add(sent(0, 200_000, "a", "again"));
        send(records.toArray(Sent[]::new));
        String[] fixed = {"--within=10 s", "--out-of-orderness=0 s", "--parallelism=1"};

        assertThat(run(fixed).stream().filter(text -> text.contains(" a=")).count())
                .as("more than the first and the last")
                .isGreaterThan(3);
        List<String> sliding = new ArrayList<>(List.of(fixed));
        sliding.add("--reset-on-duplicate");
        sliding.add("--output-topic=sliding");
        assertThat(
                        run(sliding.toArray(String[]::new)).stream()
                                .filter(text -> text.contains(" a=")))
                .containsExactly("0@0 a=", "0@200000 a=again");
    }

    @Test
    void anIdInAvroIsReadWithTheSchemaOfTheRegistry() throws Exception {
        byte[] first = {2, 'x', 6, 'i', 'd', '1'};
        byte[] again = {0, 6, 'i', 'd', '1', 0};
        try (FakeRegistry registry = FakeRegistry.start();
                KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            registry.put(7, order("{\"name\":\"n\",\"type\":\"string\"},", ""));
            registry.put(
                    8,
                    order(
                            "{\"name\":\"n\",\"type\":[\"null\",\"int\"]},",
                            ",{\"name\":\"m\",\"type\":\"boolean\"}"));
            List<byte[]> values =
                    List.of(
                            FakeRegistry.framed(7, first),
                            FakeRegistry.framed(8, again),
                            FakeRegistry.framed(9, again),
                            bytes("{}"));
            for (byte[] value : values) {
                var unused = producer.send(new ProducerRecord<>(topic, 0, START, null, value));
            }
            producer.flush();

            assertThat(
                            run(
                                    "--within=10 min",
                                    "--id=avro:/id",
                                    "--schema-registry=" + registry.url(),
                                    "--summary-topic=avro-sums"))
                    .hasSize(1);
        }
        assertThat(Topics.readAll(kafka, topic + "-deduplicated-dead-letters"))
                .extracting(letter -> Topics.header(letter, DeadLetterSchema.REASON))
                .containsExactlyInAnyOrder("unknown-schema", "not-avro");
        assertThat(summary("avro-sums"))
                .hasSize(1)
                .allMatch(text -> text.startsWith("\"id1\" {\"id\":\"id1\",\"suppressed\":1,"));
    }

    private static String order(String before, String after) {
        return "{\"type\":\"record\",\"name\":\"Order\",\"fields\":["
                + before
                + "{\"name\":\"id\",\"type\":\"string\"}"
                + after
                + "]}";
    }

    /** On a broker whose default is the time of arrival, too. */
    @Test
    void theTopicsThatAJobMakesSayThatRecordsKeepTheirTimes() throws Exception {
        DedupOptions options = options("--within=10 min");
        options.prepare(false);
        for (String made : List.of(options.outputTopic(), options.deadLetters())) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, made);
            try (var admin = kafka.admin()) {
                ConfigEntry type =
                        admin.describeConfigs(List.of(resource))
                                .all()
                                .get()
                                .get(resource)
                                .get("message.timestamp.type");
                assertThat(type.value()).as(made).isEqualTo("CreateTime");
                assertThat(type.source())
                        .as(made)
                        .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
            }
        }
    }

    @Test
    void aWarningNamesAnOutputThatReplacesTheTimesOfRecords() throws Exception {
        kafka.createTopics(
                3, Map.of("message.timestamp.type", "LogAppendTime"), topic + "-deduplicated");
        assertThat(options("--within=10 min").prepare(false))
                .filteredOn(warning -> warning.contains("time of their arrival"))
                .singleElement()
                .asString()
                .startsWith("topic '" + topic + "-deduplicated' gives records")
                .contains("message.timestamp.type");
    }

    @Test
    void aRegistryThatDoesNotAnswerFailsTheJobAndNoRecord() throws Exception {
        FakeRegistry registry = FakeRegistry.start();
        DedupOptions options =
                options("--within=10 min", "--id=avro:/id", "--schema-registry=" + registry.url());
        options.prepare(false);
        registry.close();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            var unused =
                    producer.send(
                            new ProducerRecord<>(
                                    topic, 0, START, null, FakeRegistry.framed(7, (byte) 0)));
        }
        Configuration once = new Configuration();
        once.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(once);
        DedupJob.define(env, options);

        assertThatThrownBy(() -> flink.submit(env, topic).awaitFinished(LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no schema registry answers at " + registry.url());
        assertThat(Topics.readAll(kafka, topic + "-deduplicated-dead-letters")).isEmpty();
    }
}
