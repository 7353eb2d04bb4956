/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.Topics;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machines of what Kafka's console producer sends, followed by a command that is killed. */
class KilledMachineJobIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int ORDERS = 300;
    private static final String MACHINE =
            """
            machine: orders
            initial: none
            timeToLive: 7 d
            states:
              ordered:
              paid:
              shipped: {terminal: true}
            transitions:
              - {from: none, event: order, to: ordered}
              - {from: ordered, event: pay, to: paid}
              - {from: paid, event: ship, to: shipped}
            """;

    @TempDir private Path folder;

    private EmbeddedKafka kafka;
    private ConsoleTools tools;
    private final List<Process> processes = new ArrayList<>();
    private int runs;

    @BeforeEach
    void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
        tools = new ConsoleTools(folder, kafka.bootstrapServers());
        // The second is there before the job is, so that it can be asked for.
        kafka.createTopics(1, "orders", "machines");
        Files.writeString(folder.resolve("orders.yaml"), MACHINE);
    }

    @AfterEach
    void stop() throws IOException {
        processes.forEach(Process::destroyForcibly);
        tools.close();
        kafka.close();
    }

    private static String event(int order, String type) {
        return "o-" + order + "\t{\"order\":\"o-" + order + "\",\"type\":\"" + type + "\"}";
    }

    @Test
    void eachReportIsWrittenOnceThroughAKillAndARestartFromItsCheckpoint() throws Exception {
        List<String> before = new ArrayList<>();
        List<String> after = new ArrayList<>();
        List<String> finished = new ArrayList<>();
        List<String> illegal = new ArrayList<>();
        // Each order is paid, every third one twice, and every fifth one is shipped before that.
        for (int order = 0; order < ORDERS; order++) {
            List<String> to = order % 2 == 0 ? before : after;
            before.add(event(order, "order"));
            if (order % 5 == 0) {
                before.add(event(order, "ship"));
                illegal.add("o-" + order + " ship ordered");
            }
            before.add(event(order, "pay"));
            if (order % 3 == 0) {
                to.add(event(order, "pay"));
                illegal.add("o-" + order + " pay paid");
            }
            to.add(event(order, "ship"));
            finished.add("o-" + order + " ship shipped");
        }

        tools.send("orders", before);
        Process first = job();
        await("committed", () -> reports("machines").size() == ORDERS / 2);
        first.destroyForcibly().waitFor();
        tools.send("orders", after);
        Process second = job();
        await("committed", () -> reports("machines").size() >= ORDERS);
        second.destroy();
        assertThat(second.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

        assertThat(output()).contains("continuing from file:", "machines finished");
        assertThat(reports("machines")).containsExactlyInAnyOrderElementsOf(finished);
        assertThat(reports("machines-alerts")).containsExactlyInAnyOrderElementsOf(illegal);
        assertThat(Topics.readAll(kafka, "machines-dead-letters")).isEmpty();
    }

    private List<String> reports(String topic) throws IOException {
        List<String> reports = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, topic)) {
            JsonNode report = new ObjectMapper().readTree(record.value());
            reports.add(
                    report.path("key").asText()
                            + " "
                            + report.path("event").asText()
                            + " "
                            + report.path("state").asText());
        }
        return reports;
    }

    private Process job() throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dsluice.log=" + folder.resolve("sluice.log"),
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-cp",
                        // As in the script: without the tests, whose logging is another.
                        "target/classes"
                                + File.pathSeparator
                                + Files.readString(Path.of("target/classpath.txt")),
                        Sluice.class.getName(),
                        "job",
                        "machine",
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=orders",
                        "--key=json:/order",
                        "--event=json:/type",
                        "--machine=" + folder.resolve("orders.yaml"),
                        "--parallelism=1",
                        "--checkpoint-interval=200 ms",
                        "--state-dir=" + folder.resolve("state"));
        runs++;
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("out" + runs).toFile())
                        .start();
        processes.add(process);
        return process;
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("out" + runs));
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            Process last = processes.get(processes.size() - 1);
            if (!last.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError("the job has not " + what + "\n" + output());
            }
            last.waitFor(100, TimeUnit.MILLISECONDS);
        }
    }
}
