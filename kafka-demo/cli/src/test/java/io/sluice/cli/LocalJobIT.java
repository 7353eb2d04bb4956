/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.Packets;
import io.sluice.job.Topics;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.kafka.Brokers;
import io.sluice.record.OperationBytes;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job in this process prints at its end, and while its broker is away. */
class LocalJobIT {
    private static final int PACKETS = 100_000;

    @TempDir private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @Test
    void theEndOfABoundedCountersJobSaysWhatWasLateAndWhy() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(1, "packets");
            send(kafka, OperationBytes.of(-1, Instant.parse("2056-01-01T00:00:00Z")));
            Packets.send(kafka, "packets", 1, PACKETS, Duration.ofMillis(10));
            send(kafka, new byte[] {1, 2, 3});
            send(kafka, new byte[0]);
            for (int i = 0; i < 5; i++) {
                send(kafka, OperationBytes.of(PACKETS + i, Packets.START));
            }
            CountersOptions options =
                    CountersOptions.parse(
                            "--bootstrap-servers=" + kafka.bootstrapServers(),
                            "--bounded",
                            "--parallelism=1",
                            "--within=1 s");

            int exit =
                    LocalJob.run(
                            "counters",
                            options,
                            new LocalArguments(),
                            env -> {
                                // The watermark is far ahead when the late ones come.
                                env.getConfig().setAutoWatermarkInterval(1);
                                CountersJob.define(env, options);
                            },
                            new PrintWriter(out),
                            new PrintWriter(errors));

            assertThat(exit).isZero();
            assertThat(errors.toString().lines())
                    .satisfiesExactlyInAnyOrder(
                            line -> assertThat(line).contains("1 records", "--max-ahead (1 h)"),
                            line -> assertThat(line).contains("2 records could not be read"),
                            line ->
                                    assertThat(line)
                                            .contains(
                                                    "5 records were late",
                                                    "--within (1 s)",
                                                    "topic 'counters-late'"));
            assertThat(out.toString())
                    .contains(
                            "100,008 records read",
                            "5 records written to topic 'counters-late'",
                            "2 records written to topic 'counters-dead-letters'");
            assertThat(Topics.sum(kafka, "counters")).isEqualTo(PACKETS + 1);
        }
    }

    @Test
    void theEndOfABoundedFlowsJobSaysHowManyFlowsItWrote() throws Exception {
        Path capture = folder.resolve("flows.pcap");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            String servers = "--bootstrap-servers=" + kafka.bootstrapServers();
            assertThat(
                            Sluice.run(
                                    "generate",
                                    capture.toString(),
                                    "--model=flows",
                                    "--flows=2000",
                                    "--duration=60 s"))
                    .isZero();
            assertThat(
                            Sluice.run(
                                    "replay",
                                    capture.toString(),
                                    servers,
                                    "--retries=0",
                                    "--partitions=2"))
                    .isZero();
            FlowsOptions options = FlowsOptions.parse(servers, "--bounded", "--parallelism=1");

            int exit =
                    LocalJob.run(
                            "flows",
                            options,
                            new LocalArguments(),
                            env -> FlowsJob.define(env, options),
                            new PrintWriter(out),
                            new PrintWriter(errors));

            assertThat(exit).isZero();
            int written = Topics.readAll(kafka, "flows").size();
            assertThat(written).isPositive();
            assertThat(out.toString())
                    .contains("%,d records written to topic 'flows' (flows)".formatted(written));
            assertThat(errors.toString()).as("open flows are written too").isEmpty();
        }
    }

    @Test
    void theEndNamesTheFirstTextThatIsNoTime() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(1, "packets");
            for (String time : List.of("2025-04-25 09:44:25Z", "2025-04-25 09:44:25", "soon")) {
                send(kafka, time.getBytes(UTF_8));
            }
            int exit =
                    dedup(
                            "--bootstrap-servers=" + kafka.bootstrapServers(),
                            "--id=value",
                            "--time=value");

            assertThat(exit).isZero();
            assertThat(errors.toString())
                    .contains(
                            "2 records have no time in 'value' that could be read; the first:"
                                    + " '2025-04-25 09:44:25' has no zone: say --time-zone");
        }
    }

    @Test
    void theEndOfABoundedDedupJobReportsFirstsDuplicatesLateOnesAndTheWindow() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(1, "packets");
            long start = Packets.START.toEpochMilli();
            List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
            for (int minute = 0; minute < 600; minute++) {
                records.add(at(start + 60_000L * minute, "minute " + minute));
            }
            records.add(at(start + 60_000L * 599, "minute 599"));
            records.add(at(start + 60_000L * 598, "minute 598"));
            records.add(
                    new ProducerRecord<>(
                            "packets", 0, start + 60_000L * 599, bytes("minute 599"), bytes("2")));
            records.add(at(start, "hours late"));
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
                for (ProducerRecord<byte[], byte[]> record : records) {
                    var unused = producer.send(record);
                }
                producer.flush();
            }

            int exit =
                    dedup("--bootstrap-servers=" + kafka.bootstrapServers(), "--on-conflict=count");

            assertThat(exit).isZero();
            assertThat(out.toString().lines().map(String::strip))
                    .containsSubsequence(
                            "604 records read",
                            "600 firsts",
                            "3 duplicates (drop)",
                            "1 conflicts among the duplicates (count)",
                            "1 late (forward)",
                            "0 with a time too far ahead (--max-ahead)",
                            "100.0 % of the window remembered at the end",
                            "601 records written to topic 'packets-deduplicated' (output)");
            assertThat(errors.toString())
                    .contains("1 records were older", "--within (1 h)", "--time processing");
        }
    }

    @Test
    void aDedupJobBelievesTimesAsFarAheadAsTheOptionSays() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(1, "packets");
            long inFiveHours = System.currentTimeMillis() + 5 * 3_600_000L;
            send(kafka, Long.toString(inFiveHours).getBytes(UTF_8));
            for (String ahead : List.of("1 h", "1 d")) {
                out.getBuffer().setLength(0);
                int exit =
                        dedup(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                "--id=value",
                                "--time=value",
                                "--max-ahead=" + ahead,
                                "--output-topic=within-" + ahead.charAt(2));
                assertThat(exit).isZero();
                assertThat(out.toString().lines().map(String::strip))
                        .contains(
                                (ahead.equals("1 h") ? 1 : 0)
                                        + " with a time too far ahead (--max-ahead)");
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> at(long time, String key) {
        return new ProducerRecord<>("packets", 0, time, bytes(key), new byte[] {1});
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private int dedup(String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bounded",
                                "--parallelism=1",
                                "--input-topic=packets",
                                "--within=1 h"));
        arguments.addAll(List.of(more));
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        return LocalJob.run(
                "dedup",
                options,
                new LocalArguments(),
                env -> DedupJob.define(env, options),
                new PrintWriter(out),
                new PrintWriter(errors));
    }

    @Test
    void aBrokerThatIsGoneIsNoticed() throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.start(folder);
        try (BrokerWatch watch = new BrokerWatch(Brokers.at(kafka.bootstrapServers()))) {
            assertThat(watch.ask()).isTrue();
            kafka.close();
            assertThat(watch.ask()).isFalse();
        } finally {
            kafka.close();
        }
    }

    private static void send(EmbeddedKafka kafka, byte[] value) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            producer.send(new ProducerRecord<>("packets", value)).get();
        }
    }
}
