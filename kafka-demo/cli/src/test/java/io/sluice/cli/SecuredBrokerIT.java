/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.kafka.SecuredKafka;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs and the replay against a broker with TLS, SCRAM and ACLs. */
class SecuredBrokerIT {
    @TempDir private static Path folder;

    private static SecuredKafka kafka;

    private record Run(int exit, String errors) {}

    @BeforeAll
    static void start() throws Exception {
        kafka = SecuredKafka.start(folder);
        try (Admin admin = kafka.admin()) {
            admin.createTopics(List.of(new NewTopic("in", 1, (short) 1))).all().get();
        }
        Properties settings = kafka.internal().producer();
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < 20; i++) {
                producer.send(new ProducerRecord<>("in", "k" + i % 10, "v" + i)).get();
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        kafka.close();
    }

    private static Run sluice(String... arguments) {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(errors, true, UTF_8));
        try {
            return new Run(Sluice.run(arguments), errors.toString(UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    private static Run dedup(Path config, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "job",
                                "dedup",
                                "--bootstrap-servers=" + kafka.servers(),
                                "--input-topic=in",
                                "--within=1 h",
                                "--parallelism=1",
                                "--bounded",
                                "--command-config=" + config));
        arguments.addAll(List.of(more));
        return sluice(arguments.toArray(String[]::new));
    }

    private static void assertRefused(Run run, String... parts) {
        assertThat(run.errors()).contains(parts).doesNotContain("secret");
        assertThat(run.errors().strip().lines()).hasSize(1);
        assertThat(run.exit()).isEqualTo(2);
    }

    private static Path config(String user) throws IOException {
        return kafka.clientConfig(user, SecuredKafka.password(user), "broker");
    }

    private static long committed(String topic) {
        Properties settings = kafka.internal().consumer();
        settings.put("isolation.level", "read_committed");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long records = 0;
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (records < 10 && System.nanoTime() < deadline) {
                records += consumer.poll(Duration.ofMillis(200)).count();
            }
            return records;
        }
    }

    @Test
    void aJobAndAReplayWorkWithTheRightLogin() throws Exception {
        assertThat(dedup(config(SecuredKafka.ADMIN)).exit()).isZero();
        assertThat(committed("in-deduplicated")).isEqualTo(10);

        assertRefused(dedup(config(SecuredKafka.ADMIN)), "'in-deduplicated'", "--append");
        assertThat(dedup(config(SecuredKafka.ADMIN), "--append").exit()).isZero();

        Path capture = folder.resolve("some.pcap");
        LoadGenerator.write(LoadOptions.builder(200).seed(1).build(), capture);
        Run replay =
                sluice(
                        "replay",
                        capture.toString(),
                        "--topic=secured-packets",
                        "--bootstrap-servers=" + kafka.servers(),
                        "--command-config=" + config(SecuredKafka.ADMIN));
        assertThat(replay.exit()).as(replay.errors()).isZero();
    }

    @Test
    void aJobWorksWithATokenInsteadOfAPassword() throws Exception {
        Run run =
                dedup(
                        kafka.tokenConfig(SecuredKafka.ADMIN),
                        "--output-topic=by-token",
                        "--dead-letter-topic=by-token-dead");

        assertThat(run.errors()).isEmpty();
        assertThat(run.exit()).isZero();
        assertThat(committed("by-token")).isEqualTo(10);
    }

    @Test
    void theFileMayNameTheBrokers() throws Exception {
        Path file = config(SecuredKafka.ADMIN);
        Files.writeString(
                file, Files.readString(file) + "bootstrap.servers=" + kafka.servers() + "\n");
        assertThat(
                        sluice(
                                        "job",
                                        "dedup",
                                        "--command-config=" + file,
                                        "--input-topic=in",
                                        "--output-topic=named",
                                        "--forever",
                                        "--parallelism=1",
                                        "--bounded")
                                .exit())
                .isZero();
        assertThat(committed("named")).isEqualTo(10);
    }

    @Test
    void aWrongPasswordIsRefusedInOneLine() throws Exception {
        assertRefused(
                dedup(kafka.clientConfig(SecuredKafka.ADMIN, "guessed-secret", "broker")),
                "refuses the login",
                "sasl.jaas.config",
                kafka.servers());
    }

    @Test
    void aForeignCertificateIsRefusedInOneLine() throws Exception {
        assertRefused(
                dedup(
                        kafka.clientConfig(
                                SecuredKafka.ADMIN,
                                SecuredKafka.password(SecuredKafka.ADMIN),
                                "foreign")),
                "no TLS connection",
                "ssl.truststore.location");
    }

    @Test
    void noWordOfAMalformedLoginIsQuoted() throws Exception {
        assertRefused(
                dedup(kafka.clientConfig(SecuredKafka.ADMIN, "to\"p-secret", "broker")),
                "sasl.jaas.config is malformed");
    }

    @Test
    void aMissingTruststoreIsNamed() throws Exception {
        assertRefused(
                dedup(kafka.clientConfig(SecuredKafka.ADMIN, "x-secret", "absent")),
                "absent.p12",
                "--command-config");
    }

    @Test
    void aClientWithoutTlsIsToldThatItMayBeMissing() throws Exception {
        Path impatient = folder.resolve("impatient.properties");
        Files.writeString(impatient, "request.timeout.ms=1000\ndefault.api.timeout.ms=2000\n");
        assertRefused(dedup(impatient), "security.protocol", kafka.servers());
    }

    @Test
    void missingRightsAreNamedOneByOne() throws Exception {
        assertRefused(dedup(config(SecuredKafka.USER)), "'in'", "does not allow");
        allow(ResourceType.TOPIC, "in", AclOperation.DESCRIBE);
        assertRefused(dedup(config(SecuredKafka.USER)), "read from topic 'in'", "READ");
        allow(ResourceType.TOPIC, "in", AclOperation.READ);
        allow(ResourceType.TOPIC, "in", AclOperation.DESCRIBE_CONFIGS);
        allow(ResourceType.TOPIC, "mine", AclOperation.CREATE);
        allow(ResourceType.TOPIC, "mine", AclOperation.WRITE);
        allow(ResourceType.TOPIC, "mine", AclOperation.DESCRIBE_CONFIGS);
        allow(ResourceType.GROUP, "sluice-dedup-mine", AclOperation.READ);
        assertRefused(
                dedup(config(SecuredKafka.USER), "--output-topic=mine"),
                "transactions whose name begins with 'sluice-dedup-mine/mine'");
        allow(ResourceType.TRANSACTIONAL_ID, "sluice-dedup-mine/", AclOperation.WRITE);
        allow(ResourceType.TRANSACTIONAL_ID, "sluice-dedup-mine/", AclOperation.DESCRIBE);
        Run run = dedup(config(SecuredKafka.USER), "--output-topic=mine");
        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(committed("mine")).isEqualTo(10);
    }

    private static void allow(ResourceType type, String prefix, AclOperation operation)
            throws Exception {
        try (Admin admin = kafka.admin()) {
            admin.createAcls(
                            List.of(
                                    new AclBinding(
                                            new ResourcePattern(type, prefix, PatternType.PREFIXED),
                                            new AccessControlEntry(
                                                    "User:" + SecuredKafka.USER,
                                                    "*",
                                                    operation,
                                                    AclPermissionType.ALLOW))))
                    .all()
                    .get();
        }
    }
}
