/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ClusterOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster inside this process: one JobManager and TaskManagers that can be lost and
 * replaced while jobs run. Checkpoints, savepoints and all temporary files lie in its own directory
 * below the given one, and {@link #close()} removes them.
 *
 * <p>Jobs restart from the last checkpoint immediately and as often as needed, unless they set
 * their own restart strategy. Thread-safe.
 */
@Experimental
public final class LocalFlink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalFlink.class);

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(64);

    /** Two for the receiver, one for the sender, and one for what else a task has. */
    private static final long BUFFERS_PER_CHANNEL = 4;

    private final Path directory;
    private final MiniCluster cluster;
    private final LocalMetrics metrics;
    private final String metricsName;
    private final boolean keepsState;
    private int startedTaskManagers;
    private boolean closed;

    private LocalFlink(
            Path directory,
            MiniCluster cluster,
            LocalMetrics metrics,
            String metricsName,
            boolean keepsState,
            int startedTaskManagers) {
        this.directory = directory;
        this.cluster = cluster;
        this.metrics = metrics;
        this.metricsName = metricsName;
        this.keepsState = keepsState;
        this.startedTaskManagers = startedTaskManagers;
    }

    /**
     * Starts a cluster: about one second.
     *
     * @param parent an existing directory with room for checkpoints
     * @param taskManagers how many, at least 1; with one, data is exchanged in memory, with more,
     *     through loopback sockets
     * @param slots task slots of each, at least 1
     */
    public static LocalFlink start(Path parent, int taskManagers, int slots) throws IOException {
        return start(parent, taskManagers, slots, Optional.empty());
    }

    /**
     * Like {@link #start(Path, int, int)}.
     *
     * @param state where checkpoints and savepoints outlive the cluster, if they do; a checkpoint
     *     goes when the job ends by itself or with a savepoint, and stays if it fails or is
     *     cancelled
     */
    public static LocalFlink start(
            Path parent, int taskManagers, int slots, Optional<StateFolder> state)
            throws IOException {
        return start(parent, taskManagers, slots, state, new Configuration());
    }

    /** Like {@link #start(Path, int, int)}, with settings of the cluster that replace its own. */
    public static LocalFlink start(Path parent, int taskManagers, int slots, Configuration settings)
            throws IOException {
        return start(parent, taskManagers, slots, Optional.empty(), settings);
    }

    private static LocalFlink start(
            Path parent,
            int taskManagers,
            int slots,
            Optional<StateFolder> state,
            Configuration settings)
            throws IOException {
        Path directory = Files.createTempDirectory(parent, "flink-");
        String metricsName = UUID.randomUUID().toString();
        Configuration configuration = configuration(directory, slots, state, metricsName);
        configuration.addAll(settings);
        LocalMetrics metrics = LocalMetrics.register(metricsName);
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(taskManagers)
                                .setNumSlotsPerTaskManager(slots)
                                .withRandomPorts()
                                .build());
        try {
            cluster.start();
        } catch (Exception e) {
            LocalMetrics.unregister(metricsName);
            Directories.deleteRecursively(directory);
            throw new IOException("the local Flink cluster did not start: " + e.getMessage(), e);
        }
        return new LocalFlink(
                directory, cluster, metrics, metricsName, state.isPresent(), taskManagers);
    }

    private static Configuration configuration(
            Path directory, int slots, Optional<StateFolder> state, String metricsName)
            throws IOException {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                made(state.map(StateFolder::checkpoints).orElse(directory.resolve("checkpoints"))));
        configuration.set(
                CheckpointingOptions.SAVEPOINT_DIRECTORY,
                made(state.map(StateFolder::savepoints).orElse(directory.resolve("savepoints"))));
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        Path temporary = Files.createDirectory(temporary(directory));
        configuration.set(CoreOptions.TMP_DIRS, temporary.toString());
        configuration.set(ClusterOptions.PROCESS_WORKING_DIR_BASE, temporary.toString());
        configuration.set(WebOptions.TMP_DIR, temporary.toString());
        configuration.set(WebOptions.UPLOAD_DIR, temporary.toString());
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        // The network buffers of each TaskManager are in this JVM's direct memory.
        MemorySize network = networkMemory(slots);
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network);
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network);
        // Reports need every checkpoint of a run, not just the last ten.
        configuration.set(WebOptions.CHECKPOINTS_HISTORY_SIZE, 10_000);
        configuration.setString(
                reporterOption(MetricOptions.REPORTER_FACTORY_CLASS.key()),
                LocalMetricsFactory.class.getName());
        configuration.setString(reporterOption(LocalMetricsFactory.NAME), metricsName);
        return configuration;
    }

    /** What one exchange of all subtasks with all others takes, if that is more than usual. */
    private static MemorySize networkMemory(int slots) {
        long buffer = TaskManagerOptions.MEMORY_SEGMENT_SIZE.defaultValue().getBytes();
        MemorySize exchange = new MemorySize(BUFFERS_PER_CHANNEL * slots * slots * buffer);
        return exchange.compareTo(NETWORK_MEMORY) > 0 ? exchange : NETWORK_MEMORY;
    }

    private static String reporterOption(String key) {
        return "metrics.reporter.local." + key;
    }

    private static String made(Path directory) throws IOException {
        URI uri = Files.createDirectories(directory).toUri();
        return uri.toString();
    }

    /** Starts the job that {@code environment} describes, without state. */
    public RunningJob submit(StreamExecutionEnvironment environment, String name)
            throws IOException {
        return submit(environment, name, SavepointRestoreSettings.none());
    }

    /**
     * Starts the job that {@code environment} describes from a savepoint; all state of the
     * savepoint must find its operator.
     */
    public RunningJob submit(StreamExecutionEnvironment environment, String name, String savepoint)
            throws IOException {
        return submit(environment, name, SavepointRestoreSettings.forPath(savepoint, false));
    }

    /**
     * Starts the job that {@code environment} describes from {@code newest}, if there is one; what
     * it holds belongs to the job from then on, and goes when newer checkpoints have replaced it.
     */
    public RunningJob resume(
            StreamExecutionEnvironment environment, String name, Optional<String> newest)
            throws IOException {
        return submit(
                environment,
                name,
                newest.map(
                                path ->
                                        SavepointRestoreSettings.forPath(
                                                path, false, RecoveryClaimMode.CLAIM))
                        .orElse(SavepointRestoreSettings.none()));
    }

    private RunningJob submit(
            StreamExecutionEnvironment environment, String name, SavepointRestoreSettings restore)
            throws IOException {
        if (keepsState) {
            // An option of the job: that of the cluster has no effect on a job graph.
            environment
                    .getCheckpointConfig()
                    .setExternalizedCheckpointRetention(
                            ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        }
        StreamGraph stream = environment.getStreamGraph();
        stream.setJobName(name);
        JobGraph graph = stream.getJobGraph();
        graph.setSavepointRestoreSettings(restore);
        try {
            cluster.submitJob(graph).get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("job '" + name + "' was not accepted: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while job '" + name + "' was submitted", e);
        }
        LOG.info("Job '{}' is {}", name, graph.getJobID());
        return new RunningJob(cluster, graph.getJobID(), name);
    }

    /** Starts one more TaskManager with the same number of slots, and returns its index. */
    public synchronized int addTaskManager() throws IOException {
        try {
            cluster.startTaskManager();
        } catch (Exception e) {
            throw new IOException("no TaskManager could be added: " + e.getMessage(), e);
        }
        return startedTaskManagers++;
    }

    /**
     * Ends a TaskManager with all its tasks, and starts another in its place, as a cluster does
     * when a machine is lost. Jobs that had tasks there fail and restart from their last completed
     * checkpoint.
     *
     * @return the index of the new TaskManager
     */
    public synchronized int replaceTaskManager(int index) throws IOException {
        try {
            cluster.terminateTaskManager(index).get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while TaskManager " + index + " was ended", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("TaskManager " + index + " did not end: " + e.getMessage(), e);
        }
        return addTaskManager();
    }

    /** Where the web interface is, for a browser on this machine. */
    public String webAddress() throws IOException {
        try {
            return cluster.getRestAddress()
                    .get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    .toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for Flink's web interface", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("Flink's web interface did not start: " + e.getMessage(), e);
        }
    }

    /** Where tasks have their files. */
    public Path temporaryFiles() {
        return temporary(directory);
    }

    private static Path temporary(Path directory) {
        return directory.resolve("tmp");
    }

    /** The metrics of all tasks that run now. */
    public LocalMetrics metrics() {
        return metrics;
    }

    /**
     * Cancels what runs, stops the cluster and removes its files. Calling it again does nothing.
     */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            cluster.close();
        } catch (Exception e) {
            throw new IOException("the local Flink cluster did not stop: " + e.getMessage(), e);
        } finally {
            LocalMetrics.unregister(metricsName);
            Directories.deleteRecursively(directory);
        }
    }
}
