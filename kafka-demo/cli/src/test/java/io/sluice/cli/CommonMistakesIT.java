/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.Topics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes that everybody makes once: exit code 2 and one line that says what to do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommonMistakesIT {
    /** Stands for the broker in the lists below. */
    private static final String BROKER = "--bootstrap-servers=BROKER";

    @TempDir private static Path folder;

    private EmbeddedKafka kafka;

    @BeforeAll
    void start() throws IOException {
        kafka = EmbeddedKafka.start(Files.createDirectory(folder.resolve("kafka")));
        kafka.createTopics(3, "orders");
        kafka.createTopics(1, "narrow", "seconds");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            var unused =
                    producer.send(
                            new ProducerRecord<>(
                                    "seconds", 0, 1_732_700_000L, new byte[] {1}, new byte[] {2}));
            producer.flush();
        }
        Files.writeString(folder.resolve("notes.txt"), "no packets here\n".repeat(100));
        Files.writeString(folder.resolve("client.properties"), "group.id=mine\n");
        Files.writeString(folder.resolve("registry.properties"), "user.info=a:b\n");
        Files.createFile(folder.resolve("empty.pcap"));
        LoadGenerator.write(LoadOptions.builder(10).build(), folder.resolve("ten.pcap"));
    }

    @AfterAll
    void stop() throws IOException {
        kafka.close();
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake("", "a command is missing: see 'sluice --help'"),
                mistake("reply", "Unmatched argument at index 0: 'reply'; did you mean replay?"),
                mistake("job", "a job is missing: see 'sluice job --help'"),
                mistake(
                        "job dedup --input-topic=orders --within=1h",
                        "the brokers are missing: give --bootstrap-servers HOST:PORT"),
                mistake(
                        dedup("--bootstrap-servers=127.0.0.1:1 --within=1h"),
                        "no Kafka broker answers at 127.0.0.1:1: start it, or correct"
                                + " --bootstrap-servers"),
                mistake(
                        "job dedup --within=1h " + BROKER,
                        "give either --input-topic TOPIC or --input-topic-pattern REGEX, what to"
                                + " read"),
                mistake(
                        "job dedup --input-topic=odrers --within=1h " + BROKER,
                        "topic 'odrers' does not exist on BROKER: fill it first, or correct"
                                + " --input-topic"),
                mistake(dedup(BROKER), "--within", "--forever"),
                mistake(dedup("--within=1h --forever " + BROKER), "--within", "--forever"),
                mistake(dedup("--within=soon " + BROKER), "--within", "'soon'", "10 min"),
                mistake(dedup("--within=1h --id=order.id " + BROKER), "--id", "json:/"),
                mistake(dedup("--within=1h --fpp=1 " + BROKER), "--fpp"),
                mistake(dedup("--within=1h --wihtin=1h " + BROKER), "--wihtin", "--within"),
                mistake(
                        dedup("--within=1h --output-topic=orders " + BROKER),
                        "'orders' is used twice: give each its own"),
                mistake(
                        dedup("--within=1h --output-topic=narrow " + BROKER),
                        "topic 'narrow' has 1 partitions, but the input has 3",
                        "--partitioning key"),
                mistake(
                        dedup("--within=1h --id=avro:/id " + BROKER),
                        "a field in Avro needs --schema-registry URL"),
                mistake(
                        dedup("--within=1h --schema-registry=http://localhost:1 " + BROKER),
                        "--schema-registry has no effect without a field in Avro"),
                mistake(avro("--schema-registry=localhost:1"), "as in http://localhost:8081"),
                mistake(
                        avro("--schema-registry=http://127.0.0.1:1"),
                        "no schema registry answers at http://127.0.0.1:1: start it, or correct"
                                + " --schema-registry"),
                mistake(
                        avro(
                                "--schema-registry=http://127.0.0.1:1"
                                        + " --schema-registry-config=FOLDER/registry.properties"),
                        "user.info is not a property of a schema registry here",
                        "basic.auth.user.info"),
                mistake(
                        dedup("--forever --time=processing " + BROKER),
                        "--time has no effect with --forever: leave it out"),
                mistake(dedup("--forever --on-late=drop " + BROKER), "--on-late", "--forever"),
                mistake(
                        dedup("--within=1h --max-drift=soon " + BROKER),
                        "--max-drift",
                        "'soon'",
                        "10 min"),
                mistake(dedup("--within=1h --max-drift=0s " + BROKER), "--max-drift", "'off'"),
                mistake(
                        dedup("--within=1h --time=processing --max-drift=1min " + BROKER),
                        "--max-drift has no effect with --time processing: leave it out"),
                mistake(
                        dedup("--within=1h --time=processing --on-late=topic " + BROKER),
                        "--on-late has no effect with --time processing"),
                mistake(
                        dedup("--within=1h --time=json:/t --time-unit=sec " + BROKER),
                        "--time-unit",
                        "'sec' is not a unit: write s, ms, us or ns"),
                mistake(
                        dedup("--within=1h --time=json:/t --time-zone=Berlin " + BROKER),
                        "--time-zone",
                        "'Berlin' is not a time zone: write UTC, +02:00 or Europe/Berlin"),
                mistake(
                        dedup("--within=1h --time-zone=UTC " + BROKER),
                        "--time-zone has no effect where --time is not a field of a record"),
                mistake(
                        dedup("--within=1h --time=processing --time-unit=s " + BROKER),
                        "--time-unit has no effect with --time processing: leave it out"),
                mistake(
                        "job dedup --input-topic=seconds --within=1h " + BROKER,
                        "times lie in January 1970 (the first: 1732700000), as if they were"
                                + " seconds",
                        "--time-unit s, or --time-unit ms if they are right"),
                mistake(dedup("--forever --expecting=9 " + BROKER), "--expecting", "--forever"),
                mistake(dedup("--forever --keep=last " + BROKER), "--keep last", "--forever"),
                mistake(
                        dedup("--within=1h --keep=last --on-duplicate=tag " + BROKER),
                        "--on-duplicate tag",
                        "--keep last"),
                mistake(
                        dedup("--within=1h --keep=last --verify " + BROKER),
                        "--keep last and --verify exclude each other"),
                mistake(
                        dedup("--within=1h --keep=last --fpp=1e-3 " + BROKER),
                        "--fpp has no effect with --keep last"),
                mistake(dedup("--within=1h --keep=newest " + BROKER), "--keep", "newest"),
                mistake(
                        dedup("--within=1h --limit=65 " + BROKER),
                        "--limit must be at least 1 and at most 64, but is 65"),
                mistake(
                        dedup("--forever --limit=2 " + BROKER),
                        "--limit 2 and --forever exclude each other"),
                mistake(
                        dedup("--within=1h --limit=2 --reset-on-duplicate " + BROKER),
                        "--limit 2 and --reset-on-duplicate exclude each other"),
                mistake(
                        dedup("--within=1h --limit=2 --fpp=1e-12 " + BROKER),
                        "--limit 2 divides --fpp, which is 1.0E-12, so that must be at least"
                                + " 2.0E-12"),
                mistake(
                        dedup("--within=1h --verify --reset-on-duplicate " + BROKER),
                        "--reset-on-duplicate and --verify exclude each other"),
                mistake(
                        dedup("--within=1h --keep=last --reset-on-duplicate " + BROKER),
                        "--reset-on-duplicate and --keep last exclude each other"),
                mistake(
                        dedup("--forever --summary-topic=sums " + BROKER),
                        "--summary-topic counts the duplicates of a window",
                        "--forever",
                        "--within"),
                mistake(
                        dedup("--within=1h --summary-topic=sums --on-duplicate=tag " + BROKER),
                        "--summary-topic",
                        "--on-duplicate tag"),
                mistake(
                        dedup("--within=1h --command-config=FOLDER/none " + BROKER),
                        "--command-config: file FOLDER/none does not exist: correct the path"),
                mistake(
                        dedup("--within=1h --command-config=FOLDER/client.properties " + BROKER),
                        "--command-config FOLDER/client.properties sets group.id",
                        "leave it out"),
                mistake(
                        dedup("--within=1h --kafka-property=isolation.level=x " + BROKER),
                        "--kafka-property sets isolation.level"),
                mistake(
                        dedup("--within=1h --bounded --state-dir=FOLDER/state " + BROKER),
                        "--bounded",
                        "give either it or --state-dir"),
                mistake(
                        dedup("--within=1h --state-dir=FOLDER/notes.txt " + BROKER),
                        "--state-dir FOLDER/notes.txt is not a folder: name another"),
                mistake(
                        "demo --capture=FOLDER/none.pcap --out=FOLDER/out",
                        "FOLDER/none.pcap: no such file: check the path"),
                mistake(
                        "replay FOLDER/notes.txt " + BROKER,
                        "FOLDER/notes.txt",
                        "is not a packet capture"),
                mistake("flows", "Missing required parameter: 'CAPTURE'"),
                mistake("flows FOLDER/none.pcap", "FOLDER/none.pcap: no such file: check the path"),
                mistake("flows FOLDER/empty.pcap", "FOLDER/empty.pcap", "empty"),
                mistake("flows FOLDER/notes.txt", "FOLDER/notes.txt", "is not a packet capture"),
                mistake(
                        "flows FOLDER/ten.pcap --out=FOLDER/notes.txt",
                        "FOLDER/notes.txt is not a folder: give another one with --out"),
                mistake(
                        "flows FOLDER/ten.pcap --out=FOLDER/notes.txt/out",
                        "cannot write into FOLDER/notes.txt/out",
                        "--out"),
                mistake("flows FOLDER/ten.pcap --parallelism=0", "--parallelism", "from 1 to 64"),
                mistake("flows FOLDER/ten.pcap --parallelism=65", "--parallelism", "from 1 to 64"),
                mistake("flows FOLDER/ten.pcap --open-timeout=soon", "--open-timeout", "'soon'"),
                mistake(
                        "flows FOLDER/ten.pcap --max-future=400d",
                        "--max-future must be at least 0 ms and at most 366 d, but is 400 d: give"),
                mistake("flows FOLDER/ten.pcap --stoer=kbf", "--stoer", "--store"),
                mistake(
                        "generate --packets=0 FOLDER/x.pcap",
                        "--packets must be in [1, 1000000000000], not 0"),
                mistake("generate --ipv6=10 FOLDER/x.pcap", "--ipv6 must be in [0", "not 10"),
                mistake(
                        "replay FOLDER/notes.txt --retries=10 " + BROKER,
                        "--retries must be in [0, 1], not 10"),
                mistake("broker --port=70000", "--port must be at least 0 and at most 65535"),
                mistake("plan --within=1h", "--ids-per-second is missing: give it"),
                mistake(
                        "inspect FOLDER/none",
                        "FOLDER/none does not exist: give the directory of a checkpoint"),
                mistake(
                        "verify FOLDER/notes.txt",
                        "cannot be read as the metadata of a checkpoint"),
                mistake("bench", "the benchmarks are not in this class path"),
                mistake("chaos", "chaos is not in this class path"));
    }

    private static String dedup(String more) {
        return "job dedup --input-topic=orders " + more;
    }

    private static String avro(String more) {
        return dedup("--within=1h --id=key-avro:/id " + more + " " + BROKER);
    }

    private static Arguments mistake(String command, String... parts) {
        return arguments(command, List.of(parts));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsToldInOneLineWithTheFix(String command, List<String> parts) {
        String[] words =
                command.isEmpty()
                        ? new String[0]
                        : Arrays.stream(command.split(" ")).map(this::real).toArray(String[]::new);
        PrintStream before = System.err;
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        int exit;
        try {
            exit = Sluice.run(words);
        } finally {
            System.setErr(before);
        }
        String told = errors.toString(StandardCharsets.UTF_8);
        assertThat(exit).as(told).isEqualTo(2);
        assertThat(told.lines()).as(told).hasSize(1);
        assertThat(told).startsWith("sluice: ").doesNotContain("Exception");
        for (String part : parts) {
            assertThat(told).contains(real(part));
        }
    }

    private String real(String word) {
        return word.replace("FOLDER", folder.toString())
                .replace("BROKER", kafka.bootstrapServers());
    }
}
