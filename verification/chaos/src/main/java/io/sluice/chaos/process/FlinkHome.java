/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.process.ChildProcess;
import io.sluice.flink.testkit.process.Ports;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the processes of Flink share: folders, configuration, class path. */
public final class FlinkHome {
    /**
     * The jars of this class path that a distribution has in {@code lib}, without versions: nothing
     * of Sluice and nothing of Kafka, which a job brings in its jar.
     */
    private static final Pattern IN_DISTRIBUTION =
            Pattern.compile(
                    "(flink-(?!connector-kafka)[a-z0-9-]+"
                            + "|frocksdbjni|kryo|reflectasm|objenesis|minlog|snakeyaml-engine"
                            + "|commons-(cli|collections|compress|io|lang3|math3|text)"
                            + "|RoaringBitmap|javassist|async-profiler|jsr305"
                            + "|log4j-(api|core|slf4j-impl)|slf4j-api)"
                            + "-[0-9].*\\.jar");

    /** What Flink reflects into on Java 17. */
    private static final List<String> OPENS =
            Stream.of(
                            "lang",
                            "util",
                            "util.concurrent",
                            "util.concurrent.atomic",
                            "time",
                            "net",
                            "nio",
                            "text")
                    .map(name -> "--add-opens=java.base/java." + name + "=ALL-UNNAMED")
                    .toList();

    private static final String CLUSTER = "chaos";

    private static final String LOG4J =
            """
            status = error
            rootLogger.level = INFO
            rootLogger.appenderRef.console.ref = console
            appender.console.name = console
            appender.console.type = CONSOLE
            appender.console.layout.type = PatternLayout
            appender.console.layout.pattern = %d{HH:mm:ss.SSS} %-5p %c{1} - %m%n
            logger.kafkaclients.name = org.apache.kafka
            logger.kafkaclients.level = WARN
            logger.kafka.name = kafka
            logger.kafka.level = WARN
            """;

    private final Path work;
    private final Path disk;
    private final int restPort;

    /**
     * Makes the folders and the configuration.
     *
     * @param disk folder for checkpoints, savepoints and the files of tasks
     * @param slots of a TaskManager
     * @param zooKeeper address of the ZooKeeper
     */
    FlinkHome(Path work, Path disk, int slots, String zooKeeper) throws IOException {
        this.work = work;
        this.disk = disk;
        int[] ports = Ports.free(2);
        restPort = ports[0];
        for (String folder : List.of("conf", "log", "tmp")) {
            Files.createDirectories(work.resolve(folder));
        }
        for (String folder : List.of("checkpoints", "savepoints", "tmp")) {
            Files.createDirectories(disk.resolve(folder));
        }
        Files.writeString(
                conf().resolve("config.yaml"),
                options(slots, ports[1], zooKeeper).entrySet().stream()
                        .map(option -> option.getKey() + ": " + option.getValue() + '\n')
                        .collect(Collectors.joining()));
        Files.writeString(conf().resolve("log4j.properties"), LOG4J);
    }

    private Map<String, Object> options(int slots, int rpcPort, String zooKeeper) {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("jobmanager.rpc.address", Ports.HOST);
        options.put("jobmanager.rpc.port", rpcPort);
        options.put("jobmanager.bind-host", Ports.HOST);
        options.put("taskmanager.host", Ports.HOST);
        options.put("taskmanager.bind-host", Ports.HOST);
        options.put("rest.address", Ports.HOST);
        options.put("rest.bind-address", Ports.HOST);
        options.put("rest.port", restPort);
        options.put("high-availability.type", "zookeeper");
        options.put("high-availability.zookeeper.quorum", zooKeeper);
        // A JobManager that is killed leads for as long; of one that is stopped the session lives.
        options.put("high-availability.zookeeper.client.session-timeout", "30 s");
        options.put("high-availability.storageDir", work.resolve("ha").toUri());
        options.put("high-availability.cluster-id", CLUSTER);
        options.put("taskmanager.numberOfTaskSlots", slots);
        options.put("taskmanager.load-balance.mode", "SLOTS");
        options.put("taskmanager.memory.process.size", "1200m");
        options.put("taskmanager.memory.managed.fraction", "0.1");
        options.put("taskmanager.memory.jvm-overhead.min", "128m");
        options.put("taskmanager.memory.jvm-metaspace.size", "200m");
        options.put("io.tmp.dirs", disk.resolve("tmp"));
        // Jars would fill a small disk before anything else does.
        options.put("blob.storage.directory", work.resolve("tmp"));
        options.put("heartbeat.interval", "1 s");
        options.put("heartbeat.timeout", "8 s");
        options.put("heartbeat.rpc-failure-threshold", "2");
        options.put("pekko.ask.timeout", "20 s");
        options.put("pekko.startup-timeout", "2 min");
        options.put("restart-strategy.type", "fixed-delay");
        options.put("restart-strategy.fixed-delay.attempts", Integer.MAX_VALUE);
        options.put("restart-strategy.fixed-delay.delay", "1 s");
        options.put("slot.request.timeout", "30 s");
        options.put("execution.checkpointing.tolerable-failed-checkpoints", 1000);
        options.put("execution.checkpointing.timeout", "30 s");
        options.put("execution.checkpointing.num-retained", 3);
        options.put(
                "execution.checkpointing.externalized-checkpoint-retention",
                "RETAIN_ON_CANCELLATION");
        options.put("execution.checkpointing.dir", checkpoints());
        options.put("execution.checkpointing.savepoint-dir", savepoints());
        options.put("pipeline.max-parallelism", 128);
        return options;
    }

    /** Where checkpoints go: on the disk that can be made to fail. */
    private String checkpoints() {
        return "chaos://" + disk.resolve("checkpoints");
    }

    String savepoints() {
        return "chaos://" + disk.resolve("savepoints");
    }

    Path conf() {
        return work.resolve("conf");
    }

    Path log() {
        return work.resolve("log");
    }

    int restPort() {
        return restPort;
    }

    /** A file with a script for the SQL client. */
    Path script(String text, int number) throws IOException {
        return Files.writeString(conf().resolve("script-" + number + ".sql"), text);
    }

    /** The file that says how the disk of checkpoints behaves. */
    public static Path disk(Path work) {
        return work.resolve("disk");
    }

    /**
     * Deletes what an operator has to delete: Flink 2.3 writes results that keep the JobManager
     * from starting. That of a job that failed before it was initialized, as when its checkpoint
     * cannot be read, has no application.
     */
    void deleteUnrecoverableResults() throws IOException {
        Path results = work.resolve("ha").resolve("job-result-store").resolve(CLUSTER);
        if (!Files.isDirectory(results)) {
            return;
        }
        ObjectMapper mapper = new ObjectMapper();
        try (DirectoryStream<Path> dirty = Files.newDirectoryStream(results, "*_DIRTY.json")) {
            for (Path file : dirty) {
                if (!mapper.readTree(file.toFile()).path("result").has("application-id")) {
                    Files.delete(file);
                }
            }
        }
    }

    /** A program with Flink's class path, and the classes of this module for its disk. */
    ChildProcess.Program program(
            String name, List<String> jvmOptions, String mainClass, List<String> arguments) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(OPENS);
        options.add("-Dlog4j.configurationFile=" + conf().resolve("log4j.properties").toUri());
        options.add("-Dsluice.chaos.disk=" + disk(work));
        return new ChildProcess.Program(
                name,
                log(),
                // The SQL client asks for these folders, which need not have anything.
                Map.of(
                        "FLINK_CONF_DIR", conf().toString(),
                        "FLINK_LIB_DIR", conf().toString(),
                        "FLINK_OPT_DIR", conf().toString()),
                options,
                classPath(),
                Child.class.getName(),
                Child.arguments(mainClass, arguments));
    }

    private static String classPath() {
        List<String> all =
                Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
        String own = ownClasses();
        return Stream.concat(
                        Stream.of(own),
                        all.stream()
                                .filter(
                                        path ->
                                                IN_DISTRIBUTION
                                                        .matcher(
                                                                Path.of(path)
                                                                        .getFileName()
                                                                        .toString())
                                                        .matches()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Where the classes of this module are. */
    static String ownClasses() {
        try {
            return Path.of(
                            FlinkHome.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI())
                    .toString();
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
