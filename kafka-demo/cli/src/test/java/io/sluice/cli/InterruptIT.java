/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A job of the command that is interrupted or killed, and the run that continues it. */
class InterruptIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int SIGTERM = 143;
    private static final String WITHIN = "--within=1 d";

    @TempDir private static Path brokerFolder;
    @TempDir private Path folder;

    private static EmbeddedKafka kafka;

    private final List<Process> processes = new ArrayList<>();
    private String topic;
    private Path temporary;
    private int runs;

    @BeforeAll
    static void startBroker() throws IOException {
        kafka = EmbeddedKafka.start(brokerFolder);
    }

    @AfterAll
    static void stopBroker() throws IOException {
        kafka.close();
    }

    @BeforeEach
    void prepare(TestInfo test) throws IOException {
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(2, topic);
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void anInterruptedJobCommitsWhatItReadAndLeavesNoFiles() throws Exception {
        send(0, 500);
        send(0, 500);
        // No checkpoint is due: only the end of the job commits.
        Process job = start(WITHIN, "--parallelism=1", "--checkpoint-interval=10 min");
        awaitRead(1000);

        assertThat(interrupt(job)).isEqualTo(SIGTERM);

        assertThat(ids()).containsExactlyInAnyOrderElementsOf(expected(500));
        assertThat(output()).contains("500 records written to topic '" + topic + "-deduplicated'");
        assertThat(filesIn(temporary)).isEmpty();
        assertThat(log())
                .contains("switched from state CREATED to RUNNING")
                .contains("reached terminal state FINISHED")
                .doesNotContain("Not updating last stable offset")
                .doesNotContain("Name collision");
    }

    @Test
    void anInterruptDuringTheStartIsNoFailure() throws Exception {
        send(0, 500);
        start(WITHIN, "--parallelism=1");
        Path log = folder.resolve("sluice.log");
        await("started a cluster", () -> Files.exists(log) && log().contains("MiniCluster"));

        assertThat(interrupt(processes.get(0))).isEqualTo(SIGTERM);

        assertThat(Files.readString(folder.resolve("err1")))
                .isEqualToIgnoringNewLines("sluice: interrupted before the job had started");
        assertThat(filesIn(temporary)).isEmpty();
    }

    @Test
    void theNextRunWithTheSameStateContinuesAnInterruptedOne() throws Exception {
        Path state = folder.resolve("state");
        send(0, 500);
        Process first =
                start(
                        WITHIN,
                        "--parallelism=1",
                        "--checkpoint-interval=10 min",
                        "--state-dir=" + state);
        awaitRead(500);
        assertThat(interrupt(first)).isEqualTo(SIGTERM);
        assertThat(log())
                .contains("switched from state CREATED to RUNNING")
                .contains("reached terminal state FINISHED");
        Path savepoint = onlyFileIn(state.resolve("savepoints"));
        assertThat(Sluice.run("inspect", savepoint.toString())).isZero();
        assertThat(Sluice.run("inspect", "--json", savepoint.toString())).isZero();
        assertThat(Sluice.run("verify", savepoint.toString())).isZero();
        assertThat(Sluice.run("diff", savepoint.toString(), savepoint.toString())).isZero();
        send(0, 600);

        Process second =
                start(
                        WITHIN,
                        "--parallelism=2",
                        "--checkpoint-interval=10 min",
                        "--state-dir=" + state);
        awaitRead(600);
        assertThat(interrupt(second)).isEqualTo(SIGTERM);

        assertThat(output()).contains("continuing from file:");
        assertThat(ids()).containsExactlyInAnyOrderElementsOf(expected(600));
        assertThat(filesIn(temporary)).isEmpty();
    }

    @Test
    void theStateOfAnotherJobIsRefusedWithTheFolderToChange() throws Exception {
        Path state = folder.resolve("state");
        send(0, 500);
        Process first =
                start(
                        WITHIN,
                        "--parallelism=1",
                        "--checkpoint-interval=10 min",
                        "--state-dir=" + state);
        awaitRead(500);
        assertThat(interrupt(first)).isEqualTo(SIGTERM);

        Process other = start("--forever", "--parallelism=1", "--state-dir=" + state);
        assertThat(other.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).isEqualTo(2);
        assertThat(Files.readString(folder.resolve("err" + runs)).lines())
                .singleElement()
                .asString()
                .contains("the job does not start from file:", "or another --state-dir");

        // The state is still there for the job that it belongs to.
        send(0, 600);
        Process right =
                start(
                        WITHIN,
                        "--parallelism=1",
                        "--checkpoint-interval=10 min",
                        "--state-dir=" + state);
        awaitRead(600);
        assertThat(interrupt(right)).isEqualTo(SIGTERM);
        assertThat(ids()).containsExactlyInAnyOrderElementsOf(expected(600));
    }

    @Test
    void theNextRunWithTheSameStateContinuesAKilledOne() throws Exception {
        Path state = folder.resolve("state");
        send(0, 500);
        Process first =
                start(
                        WITHIN,
                        "--parallelism=1",
                        "--checkpoint-interval=200 ms",
                        "--state-dir=" + state);
        awaitRead(500);
        await("committed", () -> ids().size() == 500);
        first.destroyForcibly().waitFor();
        send(0, 600);

        Process second =
                start(
                        WITHIN,
                        "--parallelism=1",
                        "--checkpoint-interval=200 ms",
                        "--state-dir=" + state);
        await("read on", () -> output().contains("waiting for more"));
        await("committed", () -> ids().size() >= 600);
        assertThat(interrupt(second)).isEqualTo(SIGTERM);

        assertThat(ids()).containsExactlyInAnyOrderElementsOf(expected(600));
    }

    @Test
    void anInterruptWhileTheStateIsRestoredLosesNothing() throws Exception {
        String interval = "--checkpoint-interval=200 ms";
        String state = "--state-dir=" + folder.resolve("state");
        send(0, 500);
        Process first = start(WITHIN, "--parallelism=1", interval, state);
        awaitRead(500);
        await("committed", () -> ids().size() == 500);
        first.destroyForcibly().waitFor();
        Files.delete(folder.resolve("sluice.log"));

        Process second = start(WITHIN, "--parallelism=1", interval, state);
        Path log = folder.resolve("sluice.log");
        await("begun", () -> Files.exists(log) && log().contains("Starting job "));
        assertThat(interrupt(second)).isEqualTo(SIGTERM);
        // Where it was by then decides whether there is a line.
        assertThat(Files.readString(folder.resolve("err2")).lines())
                .hasSizeLessThanOrEqualTo(1)
                .allMatch(
                        line ->
                                line.equals("sluice: interrupted before the job had started")
                                        || line.endsWith(
                                                ": the next run continues from the last"
                                                        + " checkpoint"));
        send(0, 600);

        Process third = start(WITHIN, "--parallelism=1", interval, state);
        await("committed", () -> ids().size() >= 600);
        assertThat(interrupt(third)).isEqualTo(SIGTERM);

        assertThat(output()).contains("continuing from file:");
        assertThat(ids()).containsExactlyInAnyOrderElementsOf(expected(600));
    }

    private static List<String> expected(int ids) {
        return IntStream.range(0, ids).mapToObj(String::valueOf).toList();
    }

    private void send(int from, int to) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int id = from; id < to; id++) {
                byte[] key = Integer.toString(id).getBytes(UTF_8);
                var unused = producer.send(new ProducerRecord<>(topic, key, key));
            }
            producer.flush();
        }
    }

    private List<String> ids() {
        return Topics.readAll(kafka, topic + "-deduplicated").stream()
                .map(record -> new String(record.key(), UTF_8))
                .toList();
    }

    private Process start(String... more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Djava.io.tmpdir=" + temporary);
        command.add("-Dsluice.log=" + folder.resolve("sluice.log"));
        command.addAll(
                List.of(
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED"));
        command.add("-cp");
        command.add(classPathOfTheCommand());
        command.add(Sluice.class.getName());
        command.addAll(
                List.of(
                        "job",
                        "dedup",
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=" + topic));
        command.addAll(List.of(more));
        runs++;
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(folder.resolve("out" + runs).toFile())
                        .redirectError(folder.resolve("err" + runs).toFile())
                        .start();
        processes.add(process);
        process.getOutputStream().close();
        return process;
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("sluice.log"));
    }

    /** As in the script: without the tests, whose logging is another. */
    private static String classPathOfTheCommand() throws IOException {
        return "target/classes"
                + File.pathSeparator
                + Files.readString(Path.of("target/classpath.txt"));
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("out" + runs));
    }

    private void awaitRead(int records) throws Exception {
        String line = "%,d records read; waiting for more".formatted(records);
        await("read everything", () -> output().contains(line));
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            Process last = processes.get(processes.size() - 1);
            if (!last.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError(
                        "the job has not "
                                + what
                                + "\n"
                                + output()
                                + Files.readString(folder.resolve("err" + runs)));
            }
            last.waitFor(100, TimeUnit.MILLISECONDS);
        }
    }

    private static int interrupt(Process process) throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static Path onlyFileIn(Path parent) throws IOException {
        List<String> names = filesIn(parent);
        assertThat(names).hasSize(1);
        return parent.resolve(names.get(0));
    }

    private static List<String> filesIn(Path parent) throws IOException {
        try (Stream<Path> files = Files.list(parent)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
