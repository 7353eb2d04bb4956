/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import io.sluice.flink.testkit.process.Await;
import io.sluice.flink.testkit.process.ChildProcess;
import io.sluice.flink.testkit.process.Ports;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/**
 * A Flink distribution with {@code conf}, {@code lib}, {@code opt} and {@code plugins}, made of the
 * jars that Maven copied, and its processes: JobManager, TaskManager, SQL client, command line.
 * They are started as the scripts in {@code bin} start them, which are in no Maven artifact.
 */
public final class Distribution implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(6);

    /** What Flink's {@code config.yaml} has for Java 17, as far as SQL needs it. */
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

    private static final Pattern OPT = Pattern.compile("flink-(sql-client|sql-gateway|python)-");

    private final Path home;
    private final List<ChildProcess> cluster = new ArrayList<>();
    private ChildProcess taskManager;
    private int taskManagers;
    private int commands;

    private Distribution(Path home) {
        this.home = home;
    }

    /**
     * Assembles it.
     *
     * @param inLib put into {@code lib} besides Flink's own jars
     */
    public static Distribution assemble(Path home, List<Path> inLib) throws IOException {
        Distribution distribution = new Distribution(home);
        for (String folder : List.of("conf", "lib", "opt", "plugins", "log", "tmp")) {
            Files.createDirectories(home.resolve(folder));
        }
        try (Stream<Path> jars = Files.list(OneJar.target().resolve("distribution"))) {
            for (Path jar : jars.map(Path::toAbsolutePath).toList()) {
                String name = jar.getFileName().toString();
                String folder = OPT.matcher(name).lookingAt() ? "opt" : "lib";
                Files.createSymbolicLink(home.resolve(folder).resolve(name), jar);
            }
        }
        for (Path jar : inLib) {
            Files.copy(jar, home.resolve("lib").resolve(jar.getFileName()));
        }
        distribution.configure();
        return distribution;
    }

    private void configure() throws IOException {
        int[] ports = Ports.free(3);
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("jobmanager.rpc.address", "127.0.0.1");
        options.put("jobmanager.rpc.port", ports[0]);
        options.put("jobmanager.bind-host", "127.0.0.1");
        options.put("taskmanager.host", "127.0.0.1");
        options.put("taskmanager.bind-host", "127.0.0.1");
        options.put("taskmanager.numberOfTaskSlots", 2);
        options.put("taskmanager.memory.process.size", "1200m");
        options.put("rest.address", "127.0.0.1");
        options.put("rest.bind-address", "127.0.0.1");
        options.put("rest.port", ports[1]);
        options.put("blob.server.port", ports[2]);
        options.put("parallelism.default", 2);
        options.put("restart-strategy.type", "fixed-delay");
        options.put("restart-strategy.fixed-delay.attempts", 1000);
        options.put("restart-strategy.fixed-delay.delay", "200 ms");
        // A TaskManager that is killed is missed soon, and a slow one is not given up.
        options.put("heartbeat.interval", 1000);
        options.put("heartbeat.timeout", 50_000);
        options.put("io.tmp.dirs", home.resolve("tmp"));
        options.put("execution.checkpointing.savepoint-dir", home.resolve("savepoints").toUri());
        options.put("execution.checkpointing.dir", home.resolve("checkpoints").toUri());
        Files.writeString(
                conf().resolve("config.yaml"),
                options.entrySet().stream()
                        .map(option -> option.getKey() + ": " + option.getValue() + '\n')
                        .collect(Collectors.joining()));
        Files.writeString(
                conf().resolve("log4j.properties"),
                """
                rootLogger.level = INFO
                rootLogger.appenderRef.console.ref = console
                appender.console.name = console
                appender.console.type = CONSOLE
                appender.console.layout.type = PatternLayout
                appender.console.layout.pattern = %d %-5p %c - %m%n
                """);
    }

    /** Starts a JobManager and a TaskManager. */
    public void startCluster() throws Exception {
        cluster.add(
                start(
                        "jobmanager",
                        List.of("-Xmx512m"),
                        classPath("lib"),
                        "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                        List.of("--configDir", conf().toString())));
        startTaskManager();
    }

    private void startTaskManager() throws Exception {
        Configuration configuration = GlobalConfiguration.loadConfiguration(conf().toString());
        TaskExecutorProcessSpec memory =
                TaskExecutorProcessUtils.processSpecFromConfig(configuration);
        List<String> arguments = new ArrayList<>(List.of("--configDir", conf().toString()));
        arguments.addAll(words(TaskExecutorProcessUtils.generateDynamicConfigsStr(memory)));
        taskManager =
                start(
                        "taskmanager-" + taskManagers++,
                        words(ProcessMemoryUtils.generateJvmParametersStr(memory)),
                        classPath("lib"),
                        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                        arguments);
        cluster.add(taskManager);
        until("registration", () -> taskManager.output().contains("Successful registration at"));
    }

    /** Kills the TaskManager as {@code kill -9} does, and starts another one. */
    public void replaceTaskManager() throws Exception {
        cluster.remove(taskManager);
        taskManager.close();
        startTaskManager();
    }

    /**
     * Runs statements in the SQL client.
     *
     * @return what it printed
     */
    public String sql(List<Path> jars, String statements) throws Exception {
        Path script = home.resolve("script-" + commands + ".sql");
        Files.writeString(script, statements);
        List<String> arguments = new ArrayList<>(List.of("-f", script.toString()));
        for (Path jar : jars) {
            arguments.addAll(List.of("-j", jar.toString()));
        }
        return command(
                "sql-client",
                classPath("lib") + File.pathSeparator + classPath("opt"),
                "org.apache.flink.table.client.SqlClient",
                arguments);
    }

    /** Runs {@code flink}. */
    public String flink(String... arguments) throws Exception {
        return command(
                "flink",
                classPath("lib"),
                "org.apache.flink.client.cli.CliFrontend",
                List.of(arguments));
    }

    private String command(String name, String classPath, String mainClass, List<String> arguments)
            throws Exception {
        return start(name + '-' + commands++, List.of("-Xmx512m"), classPath, mainClass, arguments)
                .awaitSuccess(LIMIT);
    }

    /** What tables of the connector 'print' have printed. */
    public String printed() throws IOException {
        return taskManager.output();
    }

    public void until(String what, Await.Question<Boolean> condition) throws Exception {
        try {
            Await.until(
                    what,
                    LIMIT,
                    () -> {
                        for (ChildProcess process : cluster) {
                            if (!process.isAlive()) {
                                throw new AssertionError(
                                        "ended before: " + what + '\n' + process.logTail());
                            }
                        }
                        return condition.ask();
                    });
        } catch (IOException e) {
            throw new AssertionError(e.getMessage() + '\n' + taskManager.logTail(), e);
        }
    }

    private ChildProcess start(
            String name,
            List<String> options,
            String classPath,
            String mainClass,
            List<String> arguments)
            throws IOException {
        List<String> all = new ArrayList<>(options);
        all.addAll(OPENS);
        all.add("-Dlog4j.configurationFile=" + conf().resolve("log4j.properties").toUri());
        return ChildProcess.start(
                new ChildProcess.Program(
                        name,
                        home.resolve("log"),
                        Map.of(
                                "FLINK_CONF_DIR", conf().toString(),
                                "FLINK_LIB_DIR", home.resolve("lib").toString(),
                                "FLINK_OPT_DIR", home.resolve("opt").toString(),
                                "FLINK_PLUGINS_DIR", home.resolve("plugins").toString()),
                        all,
                        classPath,
                        mainClass,
                        arguments));
    }

    private Path conf() {
        return home.resolve("conf");
    }

    private String classPath(String folder) {
        return home.resolve(folder).resolve("*").toString();
    }

    private static List<String> words(String options) {
        return Arrays.stream(options.strip().split("\\s+")).toList();
    }

    @Override
    public void close() {
        cluster.forEach(ChildProcess::close);
    }
}
