/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.run.FolderSize;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.process.Await;
import io.sluice.flink.testkit.process.ChildProcess;
import io.sluice.flink.testkit.process.ChildProcess.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/**
 * The application of the module {@code kafka-streams}, in a process of its own: its RocksDB has the
 * names of Flink's classes.
 */
final class StreamsProgram implements CopyingProgram {
    private static final Duration LIMIT = Duration.ofHours(3);
    private static final Duration TO_STOP = Duration.ofMinutes(10);
    private static final String OUTPUT = OrdersTopic.NAME + "-streams";

    /** Application id, and with it the consumer group. */
    private static final String APPLICATION = "streams";

    private static final String CHANGELOG = APPLICATION + "-seen-changelog";
    private static final String MAIN_CLASS = "io.sluice.streams.StreamsMain";
    private static final Path MODULE = Path.of("verification", "kafka-streams");

    /** As this JVM has it: a child is otherwise compiled for a life of minutes. */
    private static final List<String> LONG_LIVED =
            List.of("-XX:TieredStopAtLevel=4", "-XX:-UseSerialGC", "-XX:+UseG1GC");

    private final EmbeddedKafka kafka;
    private final Path directory;
    private final Path state;
    private final String classPath;
    private int starts;
    private ChildProcess process;

    private StreamsProgram(EmbeddedKafka kafka, Path directory) throws IOException {
        this.kafka = kafka;
        this.directory = directory;
        state = directory.resolve("state");
        classPath = classPath(Path.of(System.getProperty("sluice.home", "../..")));
    }

    private static String classPath(Path home) throws IOException {
        Path target = home.resolve(MODULE).resolve("target").toAbsolutePath().normalize();
        Path libraries = target.resolve("classpath.txt");
        Path classes = target.resolve("classes");
        if (!Files.exists(libraries) || !Files.isDirectory(classes)) {
            throw new IOException(
                    target + " has no classes: run './mvnw -Dquick -pl " + MODULE + " package'");
        }
        return classes + File.pathSeparator + Files.readString(libraries).strip();
    }

    /** Creates its output topic; does not start it. */
    static StreamsProgram create(EmbeddedKafka kafka, Path directory) throws IOException {
        kafka.createTopics(DedupEndToEnd.PARTITIONS_OF_OUTPUT, OUTPUT);
        // Of its own, because logs are continued.
        return new StreamsProgram(kafka, Files.createTempDirectory(directory, "streams-"));
    }

    @Override
    public String id() {
        return "streams";
    }

    @Override
    public String title() {
        return "Kafka Streams, exactly_once_v2, a persistent window store of a day";
    }

    @Override
    public String output() {
        return OUTPUT;
    }

    @Override
    public Started start() throws IOException, InterruptedException {
        starts++;
        process =
                ChildProcess.start(
                        new Program(
                                APPLICATION + "-" + starts,
                                directory,
                                Map.of(),
                                LONG_LIVED,
                                classPath,
                                MAIN_CLASS,
                                arguments()));
        // A state directory that was wiped is restored before it runs.
        Await.until(
                "Kafka Streams running",
                LIMIT,
                () -> entered("RUNNING").isPresent() || !process.isAlive());
        requireAlive();
        return new Started(entered("CREATED").orElseThrow(), entered("RUNNING").orElseThrow());
    }

    private List<String> arguments() {
        return List.of(
                APPLICATION,
                kafka.bootstrapServers(),
                OrdersTopic.NAME,
                OUTPUT,
                OrdersTopic.JSON_POINTER,
                DedupEndToEnd.WINDOW.toString(),
                Duration.ofMillis(DedupEndToEnd.CHECKPOINT_MILLIS).toString(),
                Integer.toString(DedupEndToEnd.PARALLELISM),
                state.toString());
    }

    /** When the process says that it first entered a state. */
    private Optional<Long> entered(String name) throws IOException {
        return process.output()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .findFirst()
                .map(line -> Long.parseLong(line.substring(name.length() + 1)));
    }

    @Override
    public void requireAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("Kafka Streams has ended\n" + process.logTail());
        }
    }

    @Override
    public void stop() throws IOException, InterruptedException {
        process.stop(TO_STOP);
    }

    /** Ends it without a chance to close its store. */
    void kill() throws InterruptedException {
        process.kill();
    }

    /** Removes the state directory of a program that does not run. */
    void wipe() throws IOException {
        Directories.deleteRecursively(state);
    }

    long stateBytes() {
        return FolderSize.of(state).bytes();
    }

    /** Bytes of the changelog topic on the broker. */
    long changelogBytes() throws IOException, InterruptedException {
        try (Admin admin = kafka.admin()) {
            int broker = admin.describeCluster().nodes().get().iterator().next().id();
            return admin
                    .describeLogDirs(List.of(broker))
                    .allDescriptions()
                    .get()
                    .get(broker)
                    .values()
                    .stream()
                    .flatMap(folder -> folder.replicaInfos().entrySet().stream())
                    .filter(replica -> replica.getKey().topic().equals(CHANGELOG))
                    .mapToLong(replica -> replica.getValue().size())
                    .sum();
        } catch (ExecutionException e) {
            throw new IOException("the broker does not say how large " + CHANGELOG + " is", e);
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.close();
        }
        Directories.deleteRecursively(directory);
    }
}
