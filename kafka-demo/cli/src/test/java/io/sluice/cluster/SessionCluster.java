/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import io.sluice.flink.testkit.process.Await;
import io.sluice.flink.testkit.process.ChildProcess;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import org.apache.flink.client.cli.CliFrontend;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.jobmanager.JobManagerProcessSpec;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/**
 * A Flink session cluster on the loopback interface: one JVM for the JobManager and one for each
 * TaskManager, as {@code bin/jobmanager.sh} and {@code bin/taskmanager.sh} would start them. The
 * configuration directory is used as it is; addresses, ports and directories, which must differ on
 * one machine, are given on the command lines.
 *
 * <p>All processes are gone after {@link #close()}. Logs, checkpoints and savepoints stay in the
 * work directory.
 */
final class SessionCluster implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final Duration CLI_LIMIT = Duration.ofSeconds(60);

    private final Path work;
    private final Path configDirectory;
    private final Map<String, String> overrides;
    private final Configuration configuration;
    private final ClusterRest rest;
    private final String restAddress;
    private final Map<String, ChildProcess> taskManagers = new LinkedHashMap<>();
    private ChildProcess jobManager;
    private int commands;

    private SessionCluster(Path work, Path configDirectory) throws IOException {
        this.work = work;
        this.configDirectory = configDirectory;
        int[] ports = Ports.free(3);
        overrides = new LinkedHashMap<>();
        overrides.put("jobmanager.rpc.address", Ports.HOST);
        overrides.put("jobmanager.rpc.port", Integer.toString(ports[0]));
        overrides.put("jobmanager.bind-host", Ports.HOST);
        overrides.put("taskmanager.host", Ports.HOST);
        overrides.put("taskmanager.bind-host", Ports.HOST);
        overrides.put("rest.address", Ports.HOST);
        overrides.put("rest.bind-address", Ports.HOST);
        overrides.put("rest.port", Integer.toString(ports[1]));
        overrides.put("blob.server.port", Integer.toString(ports[2]));
        overrides.put("io.tmp.dirs", directory("tmp"));
        overrides.put("execution.checkpointing.dir", uri("checkpoints"));
        overrides.put("execution.checkpointing.savepoint-dir", uri("savepoints"));
        configuration =
                GlobalConfiguration.loadConfiguration(
                        configDirectory.toString(), Configuration.fromMap(overrides));
        rest = new ClusterRest(Ports.HOST, ports[1]);
        restAddress = Ports.HOST + ":" + ports[1];
    }

    /**
     * Starts a JobManager and {@code taskManagers} TaskManagers named {@code tm-1}, {@code tm-2}
     * and so on, and waits until all are registered.
     *
     * @param work an existing directory for logs and state
     * @param configDirectory what a user would give as {@code FLINK_CONF_DIR}
     */
    static SessionCluster start(Path work, Path configDirectory, int taskManagers)
            throws Exception {
        SessionCluster cluster = new SessionCluster(work, configDirectory);
        try {
            cluster.startJobManager();
            for (int i = 1; i <= taskManagers; i++) {
                cluster.launchTaskManager("tm-" + i);
            }
            cluster.awaitTaskManagers();
            return cluster;
        } catch (Exception | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    ClusterRest rest() {
        return rest;
    }

    /** Starts one more TaskManager and waits until it is registered. */
    void startTaskManager(String id) throws Exception {
        launchTaskManager(id);
        awaitTaskManagers();
    }

    /** {@code kill -9}. The JobManager has to detect it by itself. */
    void killTaskManager(String id) throws InterruptedException {
        ChildProcess process = taskManagers.remove(id);
        if (process == null) {
            throw new IllegalArgumentException(id + " is none of " + taskManagers.keySet());
        }
        process.kill();
    }

    /**
     * Runs {@code flink} with {@code arguments} in a separate JVM.
     *
     * @param action such as {@code run} or {@code stop}
     * @return what it printed
     * @throws IOException if its exit code is not 0
     */
    String flink(String action, String... arguments) throws IOException, InterruptedException {
        commands++;
        List<String> command = new ArrayList<>(List.of(action, "-m", restAddress));
        overrides.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of(arguments));
        List<String> options = new ArrayList<>(List.of("-Xmx256m"));
        options.addAll(commonJvmOptions("log4j-cli.properties"));
        return start(
                        "flink-" + commands + "-" + action,
                        options,
                        CliFrontend.class.getName(),
                        command)
                .awaitSuccess(CLI_LIMIT);
    }

    private void startJobManager() throws Exception {
        JobManagerProcessSpec memory = JobManagerProcessUtils.processSpecFromConfig(configuration);
        List<String> options =
                words(JobManagerProcessUtils.generateJvmParametersStr(memory, configuration));
        options.addAll(commonJvmOptions("log4j-console.properties"));
        List<String> arguments =
                new ArrayList<>(List.of("--configDir", configDirectory.toString()));
        addOverrides(arguments);
        arguments.addAll(words(JobManagerProcessUtils.generateDynamicConfigsStr(memory)));
        jobManager =
                start(
                        "jobmanager",
                        options,
                        StandaloneSessionClusterEntrypoint.class.getName(),
                        arguments);
        Await.until(
                "the JobManager's REST interface",
                TO_START,
                () -> {
                    requireAlive(jobManager);
                    return rest.isUp();
                });
    }

    private void launchTaskManager(String id) throws IOException {
        TaskExecutorProcessSpec memory =
                TaskExecutorProcessUtils.processSpecFromConfig(configuration);
        List<String> options = words(ProcessMemoryUtils.generateJvmParametersStr(memory));
        options.addAll(commonJvmOptions("log4j-console.properties"));
        List<String> arguments =
                new ArrayList<>(List.of("--configDir", configDirectory.toString()));
        addOverrides(arguments);
        arguments.add("-D");
        arguments.add("taskmanager.resource-id=" + id);
        arguments.addAll(words(TaskExecutorProcessUtils.generateDynamicConfigsStr(memory)));
        taskManagers.put(id, start(id, options, TaskManagerRunner.class.getName(), arguments));
    }

    private void awaitTaskManagers() throws Exception {
        Await.until(
                "registration of " + taskManagers.keySet(),
                TO_START,
                () -> {
                    for (ChildProcess process : taskManagers.values()) {
                        requireAlive(process);
                    }
                    return rest.taskManagers().containsAll(taskManagers.keySet());
                });
    }

    private static void requireAlive(ChildProcess process) throws IOException {
        if (!process.isAlive()) {
            throw new AssertionError(process + " ended at its start\n" + process.logTail());
        }
    }

    private ChildProcess start(
            String name, List<String> jvmOptions, String mainClass, List<String> arguments)
            throws IOException {
        return ChildProcess.start(
                new ChildProcess.Program(
                        name,
                        work,
                        Map.of("FLINK_CONF_DIR", configDirectory.toString()),
                        jvmOptions,
                        FlinkClassPath.asArgument(),
                        mainClass,
                        arguments));
    }

    private List<String> commonJvmOptions(String log4j) {
        List<String> options = words(configuration.get(CoreOptions.FLINK_JVM_OPTIONS));
        options.add("-Dlog4j.configurationFile=" + configDirectory.resolve(log4j).toUri());
        return options;
    }

    private void addOverrides(List<String> arguments) {
        overrides.forEach(
                (key, value) -> {
                    arguments.add("-D");
                    arguments.add(key + "=" + value);
                });
    }

    private static List<String> words(String options) {
        List<String> words = new ArrayList<>();
        StringTokenizer tokens = new StringTokenizer(options);
        while (tokens.hasMoreTokens()) {
            words.add(tokens.nextToken());
        }
        return words;
    }

    private String directory(String name) throws IOException {
        return Files.createDirectories(work.resolve(name)).toString();
    }

    private String uri(String name) throws IOException {
        return Files.createDirectories(work.resolve(name)).toUri().toString();
    }

    /** The last lines that each process logged, for error messages. */
    String logTails() throws IOException {
        StringBuilder tails = new StringBuilder();
        if (jobManager != null) {
            tails.append(jobManager.logTail());
        }
        for (ChildProcess process : taskManagers.values()) {
            tails.append(process.logTail());
        }
        return tails.toString();
    }

    @Override
    public void close() {
        taskManagers.values().forEach(ChildProcess::close);
        if (jobManager != null) {
            jobManager.close();
        }
    }
}
