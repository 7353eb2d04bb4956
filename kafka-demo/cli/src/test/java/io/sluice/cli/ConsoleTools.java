/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.tools.ConsoleProducer;
import org.apache.kafka.tools.consumer.ConsoleConsumer;

/**
 * Kafka's own console producer and consumer, each in a process of its own. The lines of both have a
 * key, a tabulator and a value.
 */
final class ConsoleTools implements AutoCloseable {
    private static final long SECONDS_AT_MOST = 120;

    private final Path folder;
    private final String servers;
    private final List<Process> processes = new ArrayList<>();

    /**
     * @param folder for what the processes write
     */
    ConsoleTools(Path folder, String servers) {
        this.folder = folder;
        this.servers = servers;
    }

    /** A console producer that waits for lines. */
    static final class Producer {
        private final Process process;
        private final Path errors;
        private final BufferedWriter input;

        private Producer(Process process, Path errors) {
            this.process = process;
            this.errors = errors;
            this.input = process.outputWriter(UTF_8);
        }

        /** Hands lines over, which are sent within a second. */
        void send(List<String> lines) throws IOException {
            for (String line : lines) {
                input.write(line);
                input.write('\n');
            }
            input.flush();
        }

        /** Waits until all lines were sent. */
        void finish() throws Exception {
            input.close();
            assertThat(process.waitFor(SECONDS_AT_MOST, TimeUnit.SECONDS))
                    .as(Files.readString(errors))
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        }
    }

    /** A console consumer that reads what is committed, from the beginning of a topic. */
    static final class Consumer {
        private final Process process;
        private final Path output;
        private final Path errors;

        private Consumer(Process process, Path output, Path errors) {
            this.process = process;
            this.output = output;
            this.errors = errors;
        }

        /** Returns the lines that it has printed so far. */
        List<String> lines() {
            try {
                assertThat(process.isAlive()).as(Files.readString(errors)).isTrue();
                String text = Files.readString(output);
                return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Returns its lines when it has printed as many as a topic has records. */
        List<String> lines(int records) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_AT_MOST);
            List<String> lines = lines();
            while (lines.size() < records) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(
                            "the console consumer printed " + lines.size() + " of " + records);
                }
                process.waitFor(50, TimeUnit.MILLISECONDS);
                lines = lines();
            }
            return lines;
        }
    }

    /** Starts a console producer. */
    Producer producer(String topic) throws IOException {
        Path errors = folder.resolve("producer-" + processes.size() + ".errors");
        return new Producer(
                start(
                        new ProcessBuilder(
                                        command(
                                                ConsoleProducer.class,
                                                topic,
                                                "--reader-property",
                                                "parse.key=true"))
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .redirectError(errors.toFile())),
                errors);
    }

    /** Sends lines with a console producer. */
    void send(String topic, List<String> lines) throws Exception {
        Producer producer = producer(topic);
        producer.send(lines);
        producer.finish();
    }

    /** Starts a console consumer of a topic that exists. */
    Consumer consumer(String topic) throws IOException {
        Path output = folder.resolve("consumer-" + processes.size());
        Path errors = folder.resolve("consumer-" + processes.size() + ".errors");
        return new Consumer(
                start(
                        new ProcessBuilder(
                                        command(
                                                ConsoleConsumer.class,
                                                topic,
                                                "--from-beginning",
                                                "--isolation-level",
                                                "read_committed",
                                                "--formatter-property",
                                                "print.key=true"))
                                .redirectOutput(output.toFile())
                                .redirectError(errors.toFile())),
                output,
                errors);
    }

    private List<String> command(Class<?> tool, String topic, String... more) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-Dsluice.log=" + folder.resolve("tool.log"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                tool.getName(),
                                "--bootstrap-server",
                                servers,
                                "--topic",
                                topic));
        command.addAll(List.of(more));
        return command;
    }

    private Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    /** Ends the processes that still run. */
    @Override
    public void close() {
        processes.forEach(Process::destroy);
    }
}
