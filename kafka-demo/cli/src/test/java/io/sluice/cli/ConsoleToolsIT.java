/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.tools.ConsoleProducer;
import org.apache.kafka.tools.consumer.ConsoleConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Kafka's own console producer sends is read by Kafka's own console consumer. */
class ConsoleToolsIT {
    private static final long SECONDS_AT_MOST = 120;
    private static final int ORDERS = 200;

    @TempDir private Path folder;

    @Test
    void theConsoleConsumerReadsEachOrderOfTheConsoleProducerOnce() throws Exception {
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            orders.add(
                    String.format(
                            Locale.ROOT, "customer-%d\t{\"order\":{\"id\":\"o-%d\"}}", i % 7, i));
        }
        List<String> sent = new ArrayList<>(orders);
        sent.addAll(orders.subList(50, 150));
        Path input = Files.write(folder.resolve("input"), sent);

        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(3, "orders");
            String servers = kafka.bootstrapServers();
            run(
                    ConsoleProducer.class,
                    input,
                    "--bootstrap-server",
                    servers,
                    "--topic",
                    "orders",
                    "--reader-property",
                    "parse.key=true");

            assertThat(
                            Sluice.run(
                                    "job",
                                    "dedup",
                                    "--bootstrap-servers=" + servers,
                                    "--input-topic=orders",
                                    "--id=json:/order/id",
                                    "--within=1 h",
                                    "--bounded"))
                    .isZero();

            List<String> received =
                    run(
                            ConsoleConsumer.class,
                            Files.createFile(folder.resolve("nothing")),
                            "--bootstrap-server",
                            servers,
                            "--topic",
                            "orders-deduplicated",
                            "--from-beginning",
                            "--isolation-level",
                            "read_committed",
                            "--formatter-property",
                            "print.key=true",
                            "--max-messages",
                            Integer.toString(ORDERS));
            assertThat(received).containsExactlyInAnyOrderElementsOf(orders);
            assertThat(Topics.readAll(kafka, "orders-deduplicated")).hasSize(ORDERS);
        }
    }

    @Test
    void theConsoleConsumerReadsWhatTheConsoleProducerSentCounted() throws Exception {
        Map<String, Long> exact = new TreeMap<>();
        List<String> views = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            String page = "/page/" + i * i % 13;
            exact.merge(page, (long) i, Long::sum);
            views.add("{\"page\":\"" + page + "\",\"request\":\"r-" + i + "\",\"n\":" + i + "}");
        }
        List<String> sent = new ArrayList<>(views);
        sent.addAll(views);
        Path input = Files.write(folder.resolve("input"), sent);

        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            kafka.createTopics(3, "views");
            String servers = kafka.bootstrapServers();
            run(ConsoleProducer.class, input, "--bootstrap-server", servers, "--topic", "views");

            assertThat(
                            Sluice.run(
                                    "job",
                                    "counters",
                                    "--bootstrap-servers=" + servers,
                                    "--input-topic=views",
                                    "--counter=json:/page",
                                    "--id=json:/request",
                                    "--delta=json:/n",
                                    "--bounded"))
                    .isZero();

            List<String> received =
                    run(
                            ConsoleConsumer.class,
                            Files.createFile(folder.resolve("nothing")),
                            "--bootstrap-server",
                            servers,
                            "--topic",
                            "counters",
                            "--from-beginning",
                            "--isolation-level",
                            "read_committed",
                            "--formatter-property",
                            "print.key=true",
                            "--max-messages",
                            Integer.toString(Topics.readAll(kafka, "counters").size()));
            Map<String, Long> counted = new TreeMap<>();
            for (String line : received) {
                String[] columns = line.split("\t", 2);
                counted.put(
                        columns[0], new ObjectMapper().readTree(columns[1]).path("value").asLong());
            }
            assertThat(counted).isEqualTo(exact);
        }
    }

    private List<String> run(Class<?> tool, Path input, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-Dsluice.log=" + folder.resolve("tool.log"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                tool.getName()));
        command.addAll(List.of(arguments));
        Path output = folder.resolve(tool.getSimpleName());
        Path errors = folder.resolve(tool.getSimpleName() + ".errors");
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(input.toFile())
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile())
                        .start();
        if (!process.waitFor(SECONDS_AT_MOST, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(tool + " runs still: " + read(errors));
        }
        assertThat(process.exitValue()).as(read(errors)).isZero();
        return Files.readAllLines(output);
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file);
    }
}
