/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Runs one trial, on its own cluster in this process and in its own directories. */
final class TrialRun {
    private static final long TIMEOUT_SECONDS = 3600;
    private static final int MORE_CHECKPOINTS_THAN_ANY_TRIAL = 1000;

    private final Trial trial;
    private final Duration checkpointInterval;
    private final Path directory;

    private TrialRun(Trial trial, Duration checkpointInterval, Path directory) {
        this.trial = trial;
        this.checkpointInterval = checkpointInterval;
        this.directory = directory;
    }

    /** What the first job left: how fast it was, and a checkpoint to restore from. */
    private record Filled(TrialResult result, String checkpoint) {}

    static TrialResult run(Trial trial, int round, Duration checkpointInterval) throws Exception {
        Path directory = Files.createTempDirectory("sluice-bench-backend");
        try {
            TrialRun run = new TrialRun(trial, checkpointInterval, directory);
            Filled filled = run.fill(round);
            if (!trial.restores()) {
                return filled.result();
            }
            int other = trial.parallelism() == 1 ? 2 : 1;
            double restore = run.restore(filled.checkpoint(), trial.parallelism());
            double rescale = run.restore(filled.checkpoint(), other);
            TrialResult result = filled.result();
            return new TrialResult(
                    result.trial(),
                    result.round(),
                    result.recordsPerSecond(),
                    result.passed(),
                    result.perSecond(),
                    result.checkpoints(),
                    result.incremental(),
                    result.full(),
                    OptionalDouble.of(restore),
                    OptionalDouble.of(rescale));
        } finally {
            Directories.deleteRecursively(directory);
        }
    }

    private Filled fill(int round) throws Exception {
        MiniCluster cluster = cluster(trial.parallelism());
        try {
            Progress progress = Progress.begin(trial.parallelism());
            JobID job = submit(cluster, configuration(trial.parallelism()));
            List<Long> perSecond = awaitEnd(progress, cluster, job);
            await(cluster.triggerCheckpoint(job));
            if (trial.engine().takesFullCheckpoints()) {
                await(cluster.triggerCheckpoint(job, CheckpointType.FULL));
            }
            CheckpointStatsSnapshot stats =
                    await(cluster.getExecutionGraph(job)).getCheckpointStatsSnapshot();
            CompletedCheckpointStats last = stats.getHistory().getLatestCompletedCheckpoint();
            await(cluster.cancelJob(job));
            await(cluster.requestJobResult(job));
            List<CheckpointCost> costs = CheckpointCost.of(stats);
            boolean hasFull = trial.engine().takesFullCheckpoints();
            return new Filled(
                    new TrialResult(
                            trial,
                            round,
                            trial.records() / progress.seconds(),
                            progress.passed(),
                            perSecond,
                            costs,
                            costs.get(costs.size() - (hasFull ? 2 : 1)),
                            costs.get(costs.size() - 1),
                            OptionalDouble.empty(),
                            OptionalDouble.empty()),
                    last.getExternalPath());
        } finally {
            cluster.close();
        }
    }

    /** Seconds from the submission until the watermark has passed the restored operators. */
    private double restore(String checkpoint, int parallelism) throws Exception {
        MiniCluster cluster = cluster(parallelism);
        try {
            Configuration configuration = configuration(parallelism);
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, checkpoint);
            configuration.set(StateRecoveryOptions.RESTORE_MODE, RecoveryClaimMode.NO_CLAIM);
            Progress progress = Progress.begin(parallelism);
            long start = System.nanoTime();
            JobID job = submit(cluster, configuration);
            awaitEnd(progress, cluster, job);
            double seconds = (progress.lastNanos() - start) / 1e9;
            await(cluster.cancelJob(job));
            await(cluster.requestJobResult(job));
            return seconds;
        } finally {
            cluster.close();
        }
    }

    private MiniCluster cluster(int slots) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(CoreOptions.TMP_DIRS, directory.resolve("local").toString());
        configuration.set(
                TaskManagerOptions.MANAGED_MEMORY_SIZE,
                MemorySize.ofMebiBytes(trial.engine().managedMegabytes()));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
        configuration.set(WebOptions.CHECKPOINTS_HISTORY_SIZE, MORE_CHECKPOINTS_THAN_ANY_TRIAL);
        Files.createDirectories(directory.resolve("local"));
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(slots)
                                .withRandomPorts()
                                .build());
        cluster.start();
        return cluster;
    }

    private JobID submit(MiniCluster cluster, Configuration configuration) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        TrialPipeline.build(env, trial);
        return await(cluster.submitJob(env.getStreamGraph().getJobGraph())).getJobID();
    }

    private Configuration configuration(int parallelism) {
        Configuration configuration = new Configuration();
        trial.engine().configure(configuration, trial.records());
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.MAX_PARALLELISM, 128);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpointInterval);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        return configuration;
    }

    private List<Long> awaitEnd(Progress progress, MiniCluster cluster, JobID job)
            throws Exception {
        Callable<?> whenEmitted =
                () -> {
                    // For the first one after all records this may not be known yet: see Progress.
                    for (int i = 0; i < 2 && trial.api() == Trial.Api.SQL; i++) {
                        if (!progress.hasEnded()) {
                            await(cluster.triggerCheckpoint(job));
                        }
                    }
                    return progress;
                };
        return progress.awaitEnd(whenEmitted, () -> failed(cluster, job), TIMEOUT_SECONDS);
    }

    private static boolean failed(MiniCluster cluster, JobID job) {
        try {
            return await(cluster.getJobStatus(job)) == JobStatus.FAILED;
        } catch (Exception e) {
            throw new IllegalStateException("the status of job " + job + " is unknown", e);
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
