/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.run.Progress;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Runs one trial, on its own cluster in this process and in its own directories. */
final class TrialRun {
    private static final Duration LIMIT = Duration.ofHours(1);

    private final Trial trial;
    private final Duration checkpointInterval;
    private final Path directory;

    private TrialRun(Trial trial, Duration checkpointInterval, Path directory) {
        this.trial = trial;
        this.checkpointInterval = checkpointInterval;
        this.directory = directory;
    }

    static TrialResult run(Trial trial, int round, Duration checkpointInterval) throws Exception {
        Path directory = Files.createTempDirectory("sluice-bench-backend");
        try {
            return new TrialRun(trial, checkpointInterval, directory).run(round);
        } finally {
            Directories.deleteRecursively(directory);
        }
    }

    private TrialResult run(int round) throws Exception {
        Progress progress = Progress.begin(trial.parallelism());
        List<Long> perSecond;
        CheckpointStatsSnapshot statistics;
        try (LocalFlink flink = cluster(trial.parallelism())) {
            RunningJob job = flink.submit(pipeline(trial.parallelism()), trial.toString());
            perSecond = awaitEnd(progress, job);
            job.checkpoint();
            if (trial.engine().takesFullCheckpoints()) {
                job.checkpoint(CheckpointType.FULL);
            }
            statistics = job.statistics();
            end(job);
        }
        String last = statistics.getHistory().getLatestCompletedCheckpoint().getExternalPath();
        int other = trial.parallelism() == 1 ? 2 : 1;
        List<CheckpointCost> costs = CheckpointCost.of(statistics);
        return new TrialResult(
                trial,
                round,
                trial.records() / progress.seconds(),
                progress.passed(),
                perSecond,
                costs,
                costs.get(costs.size() - (trial.engine().takesFullCheckpoints() ? 2 : 1)),
                costs.get(costs.size() - 1),
                trial.restores() ? restore(last, trial.parallelism()) : OptionalDouble.empty(),
                trial.restores() ? restore(last, other) : OptionalDouble.empty());
    }

    /** Seconds from the submission until the watermark has passed the restored operators. */
    private OptionalDouble restore(String checkpoint, int parallelism) throws Exception {
        try (LocalFlink flink = cluster(parallelism)) {
            Progress progress = Progress.begin(parallelism);
            long start = System.nanoTime();
            RunningJob job = flink.submit(pipeline(parallelism), trial.toString(), checkpoint);
            awaitEnd(progress, job);
            end(job);
            return OptionalDouble.of((progress.lastNanos() - start) / 1e9);
        }
    }

    private static void end(RunningJob job) throws IOException {
        job.cancel();
        job.await("cancelled", LIMIT, job::hasEnded);
    }

    private LocalFlink cluster(int slots) throws IOException {
        Configuration configuration = new Configuration();
        configuration.set(
                TaskManagerOptions.MANAGED_MEMORY_SIZE,
                MemorySize.ofMebiBytes(trial.engine().managedMegabytes()));
        return LocalFlink.start(directory, 1, slots, configuration);
    }

    private StreamExecutionEnvironment pipeline(int parallelism) {
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
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        TrialPipeline.build(env, trial);
        return env;
    }

    private List<Long> awaitEnd(Progress progress, RunningJob job) throws Exception {
        return progress.awaitEnd(
                () -> {
                    // For the first one after all records this may not be known yet: see Progress.
                    for (int i = 0; i < 2 && !trial.api().hasWatermarks(); i++) {
                        if (!progress.hasEnded()) {
                            job.checkpoint();
                        }
                    }
                    return progress;
                },
                job::hasEnded,
                LIMIT.toSeconds());
    }
}
