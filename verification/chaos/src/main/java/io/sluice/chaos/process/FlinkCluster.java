/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import io.sluice.flink.testkit.process.Await;
import io.sluice.flink.testkit.process.ChildProcess;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.test.TestingServer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/**
 * A session cluster of Flink: a JobManager, which recovers its jobs when it is started again, and
 * TaskManagers. Jobs are submitted with Flink's own command line.
 */
public final class FlinkCluster implements AutoCloseable {
    public static final int TASK_MANAGERS = 3;

    /** The machine may be busy with other things. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /**
     * What a job says before it is submitted; the machine may be too busy for an answer in time.
     */
    private static final String NO_BROKER = "no Kafka broker answers";

    private static final int ATTEMPTS = 5;

    private static final Pattern SUBMITTED = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final Pattern INSERTED = Pattern.compile("Job ID: ([0-9a-f]{32})");

    private final FlinkHome home;
    private final TestingServer zooKeeper;
    private final FlinkRest rest;
    private final Jars jars;
    private final Clocks clocks;
    private final ChildProcess[] taskManagers = new ChildProcess[TASK_MANAGERS];
    private final Map<String, Integer> ended = new TreeMap<>();
    private ChildProcess jobManager;
    private int commands;

    /**
     * Makes its folders.
     *
     * @param work folder for everything
     * @param disk folder for checkpoints, savepoints and the files of tasks
     * @param slots of a TaskManager
     * @param clocks of the JobManager and the TaskManagers
     */
    public FlinkCluster(Path work, Path disk, Jars jars, int slots, Clocks clocks)
            throws IOException, InterruptedException {
        this.jars = jars;
        this.clocks = clocks;
        zooKeeper = zooKeeper();
        home = new FlinkHome(work, disk, slots, Ports.HOST + ":" + zooKeeper.getPort());
        rest = new FlinkRest(home.restPort());
    }

    /** Starts a ZooKeeper in this process, which no fault meets. */
    private static TestingServer zooKeeper() throws IOException {
        try {
            return new TestingServer();
        } catch (Exception e) {
            throw new IOException("no ZooKeeper starts", e);
        }
    }

    /** Starts all processes, and waits until they know each other. */
    public void start() throws IOException, InterruptedException {
        startJobManager();
        for (int i = 0; i < TASK_MANAGERS; i++) {
            startTaskManager(i);
        }
        awaitTaskManagers();
    }

    public FlinkRest rest() {
        return rest;
    }

    public ChildProcess jobManager() {
        return jobManager;
    }

    /** One of the TaskManagers, counted from 0. */
    public ChildProcess taskManager(int number) {
        return taskManagers[number];
    }

    /** Starts the JobManager, and waits until it answers. */
    public void startJobManager() throws IOException, InterruptedException {
        launchJobManager();
        Await.until(
                "the JobManager's REST interface",
                LIMIT,
                () -> {
                    if (!jobManager.isAlive()) {
                        String tail = jobManager.logTail();
                        launchJobManager();
                        throw new IOException("the JobManager ended at its start\n" + tail);
                    }
                    return rest.isUp();
                });
    }

    private void launchJobManager() throws IOException {
        home.deleteUnrecoverableResults();
        String name = "jobmanager";
        jobManager =
                ChildProcess.start(
                        home.program(
                                        name,
                                        List.of("-Xmx512m"),
                                        "org.apache.flink.runtime.entrypoint"
                                                + ".StandaloneSessionClusterEntrypoint",
                                        List.of("--configDir", home.conf().toString()))
                                .with(clocks.environment(name)));
    }

    /** Starts a TaskManager; it registers by itself. */
    public void startTaskManager(int number) throws IOException {
        Configuration configuration = GlobalConfiguration.loadConfiguration(home.conf().toString());
        TaskExecutorProcessSpec memory =
                TaskExecutorProcessUtils.processSpecFromConfig(configuration);
        List<String> arguments = new ArrayList<>(List.of("--configDir", home.conf().toString()));
        arguments.addAll(words(TaskExecutorProcessUtils.generateDynamicConfigsStr(memory)));
        String name = "taskmanager-" + (number + 1);
        taskManagers[number] =
                ChildProcess.start(
                        home.program(
                                        name,
                                        words(ProcessMemoryUtils.generateJvmParametersStr(memory)),
                                        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                                        arguments)
                                .with(clocks.environment(name)));
    }

    private void awaitTaskManagers() throws IOException, InterruptedException {
        Await.until(
                "registration of the TaskManagers",
                LIMIT,
                () -> {
                    startWhatEnded();
                    return rest.taskManagers() == TASK_MANAGERS;
                });
    }

    /** Starts what has ended by itself: a process that lost its peers for too long gives up. */
    public void startWhatEnded() throws IOException, InterruptedException {
        if (!jobManager.isAlive()) {
            ended.merge(jobManager.name(), 1, Integer::sum);
            startJobManager();
        }
        for (int i = 0; i < TASK_MANAGERS; i++) {
            if (!taskManagers[i].isAlive()) {
                ended.merge(taskManagers[i].name(), 1, Integer::sum);
                startTaskManager(i);
            }
        }
    }

    /** How often {@link #startWhatEnded} had to start which process. */
    public Map<String, Integer> endedByThemselves() {
        return Collections.unmodifiableMap(ended);
    }

    /**
     * Submits a job with {@code flink run}.
     *
     * @param options of {@code flink run}
     * @return the job's id
     * @throws RefusedException with the log, if it was refused
     */
    public String run(String mainClass, List<String> options, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "run",
                                "-d",
                                // The client asks the address, not the files of the cluster.
                                "-Dhigh-availability.type=NONE",
                                "-m",
                                Ports.HOST + ":" + home.restPort(),
                                "-c",
                                mainClass));
        command.addAll(options);
        command.add(jars.jobs().toString());
        command.addAll(arguments);
        return client("flink-run", "org.apache.flink.client.cli.CliFrontend", command, SUBMITTED);
    }

    /**
     * Submits what a script of SQL inserts, with the SQL client.
     *
     * @return the job's id
     * @throws RefusedException with the log, if it was refused
     */
    public String sql(String script) throws IOException, InterruptedException {
        Path file = home.script(script, commands);
        return client(
                "sql-client",
                "org.apache.flink.table.client.SqlClient",
                List.of(
                        "-f",
                        file.toString(),
                        "-j",
                        jars.sql().toString(),
                        "-j",
                        jars.jobs().toString()),
                INSERTED);
    }

    private String client(String name, String mainClass, List<String> arguments, Pattern submitted)
            throws IOException, InterruptedException {
        Set<String> before = rest.jobs();
        for (int attempt = 1; ; attempt++) {
            commands++;
            ChildProcess client =
                    ChildProcess.start(
                            home.program(
                                    name + "-" + commands,
                                    List.of("-Xmx400m"),
                                    mainClass,
                                    arguments));
            int code = client.await(LIMIT);
            String output = client.output();
            Matcher id = submitted.matcher(output);
            if (code == 0 && id.find()) {
                return id.group(1);
            }
            // The answer may be lost, and the job run nevertheless: never start it twice.
            for (String job : rest.jobs()) {
                if (!before.contains(job) && !rest.status(job).equals("FAILED")) {
                    return job;
                }
            }
            if (!output.contains(NO_BROKER) || attempt == ATTEMPTS) {
                throw new RefusedException(
                        name + " ended with " + code + '\n' + client.logTail(), output);
            }
        }
    }

    /**
     * Stops a job with a savepoint.
     *
     * @param format {@code NATIVE} or {@code CANONICAL}
     * @return where the savepoint is
     */
    public String stop(String job, String format) throws IOException, InterruptedException {
        String request = rest.stop(job, home.savepoints(), format);
        String path = Await.value("a savepoint", LIMIT, () -> rest.savepoint(job, request));
        awaitEnd(job, "FINISHED");
        return path;
    }

    /** A job that did not start. */
    public static final class RefusedException extends IOException {
        private final String output;

        RefusedException(String message, String output) {
            super(message);
            this.output = output;
        }

        /** All that the client printed. */
        public String output() {
            return output;
        }
    }

    /** Cancels a job that fails again and again, or ended by itself. */
    public void endNow(String job) throws IOException, InterruptedException {
        Await.until(
                "the end of job " + job,
                LIMIT,
                () -> {
                    String status = rest.status(job);
                    if (status.equals("FAILED") || status.equals("CANCELED")) {
                        return true;
                    }
                    rest.cancel(job);
                    return false;
                });
    }

    /** Cancels a job; its checkpoints stay. */
    public void cancel(String job) throws IOException, InterruptedException {
        rest.cancel(job);
        awaitEnd(job, "CANCELED");
    }

    private void awaitEnd(String job, String status) throws IOException, InterruptedException {
        Await.until(
                "the end of job " + job + ", " + status,
                LIMIT,
                () -> rest.status(job).equals(status));
    }

    private static List<String> words(String options) {
        return Arrays.stream(options.strip().split("\\s+")).toList();
    }

    @Override
    public void close() {
        for (ChildProcess process : taskManagers) {
            if (process != null) {
                process.close();
            }
        }
        if (jobManager != null) {
            jobManager.close();
        }
        try {
            zooKeeper.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
