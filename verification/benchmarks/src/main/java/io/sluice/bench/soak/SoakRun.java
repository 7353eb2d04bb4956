/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.BenchReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Both jobs on one cluster in this process, until it is enough. */
final class SoakRun {
    static final int MANAGED_MEGABYTES = 512;

    private static final long TIMEOUT_SECONDS = 600;
    private static final Duration RESTART_DELAY = Duration.ofSeconds(1);

    private final BenchReport report;
    private final SoakPlan plan;
    private final Path directory;
    private final Map<SoakJob, JobID> running = new EnumMap<>(SoakJob.class);
    private final Map<SoakJob, Integer> failures = new EnumMap<>(SoakJob.class);
    private long start;

    /** What is known when both jobs have ended. */
    record Result(
            double seconds,
            SoakSampler sampler,
            Map<SoakJob, Long> emitted,
            Map<SoakJob, long[]> tallies,
            Map<SoakJob, Integer> failures,
            Map<SoakJob, Integer> restarts) {}

    SoakRun(BenchReport report, SoakPlan plan, Path directory) {
        this.report = report;
        this.plan = plan;
        this.directory = directory;
    }

    Result run() throws Exception {
        SoakStage.reset();
        MiniCluster cluster = cluster();
        try {
            for (SoakJob job : SoakJob.values()) {
                running.put(job, submit(cluster, job));
                failures.put(job, 0);
            }
            start = System.nanoTime();
            SoakSampler sampler = new SoakSampler(cluster, running, directory, plan.timeToLive());
            soak(cluster, sampler);
            for (SoakJob job : SoakJob.values()) {
                SoakStage.of(job).stop();
            }
            Map<SoakJob, Long> emitted = new EnumMap<>(SoakJob.class);
            Map<SoakJob, long[]> tallies = new EnumMap<>(SoakJob.class);
            Map<SoakJob, Integer> restarts = new EnumMap<>(SoakJob.class);
            for (SoakJob job : SoakJob.values()) {
                JobResult result = await(cluster.requestJobResult(running.get(job)));
                result.toJobExecutionResult(SoakRun.class.getClassLoader());
                SoakStage stage = SoakStage.of(job);
                emitted.put(job, stage.emitted());
                tallies.put(job, stage.tally(SoakJob.PARALLELISM));
                restarts.put(job, stage.restarts());
            }
            return new Result(
                    (System.nanoTime() - start) / 1e9,
                    sampler,
                    emitted,
                    tallies,
                    failures,
                    restarts);
        } finally {
            cluster.close();
        }
    }

    /** Samples, and lets the jobs fail in turns, until length and ids are reached and each did. */
    private void soak(MiniCluster cluster, SoakSampler sampler) throws Exception {
        long failAt = plan.failures().toNanos();
        Deque<SoakJob> turns = new ArrayDeque<>(List.of(SoakJob.values()));
        long told = 0;
        while (true) {
            Thread.sleep(plan.samples().toMillis());
            for (SoakJob job : SoakJob.values()) {
                JobStatus status = await(cluster.getJobStatus(running.get(job)));
                if (status.isTerminalState()) {
                    await(cluster.requestJobResult(running.get(job)))
                            .toJobExecutionResult(SoakRun.class.getClassLoader());
                    throw new IllegalStateException("job " + job.id() + " has ended: " + status);
                }
            }
            sampler.sample(System.nanoTime() - start);
            report.table("soak.csv", sampler.samples().table());
            long passed = System.nanoTime() - start;
            if (passed / plan.samples().toNanos() / 6 > told) {
                told = passed / plan.samples().toNanos() / 6;
                tell(passed);
            }
            boolean enough = passed >= plan.length().toNanos() && ids() >= plan.ids();
            if (enough && !failures.containsValue(0) && isRestored()) {
                return;
            }
            // Without a checkpoint a job would begin anew.
            if (passed >= failAt && isRestored() && sampler.checkpoints(turns.element()) > 0) {
                SoakJob job = turns.remove();
                turns.add(job);
                SoakStage.of(job).fail();
                failures.merge(job, 1, Integer::sum);
                failAt += plan.failures().toNanos();
            }
        }
    }

    /** Whether each failure has been restored from. */
    private boolean isRestored() {
        return failures.entrySet().stream()
                .allMatch(entry -> SoakStage.of(entry.getKey()).restarts() >= entry.getValue());
    }

    private static long ids() {
        long ids = 0;
        for (SoakJob job : SoakJob.values()) {
            ids += SoakStage.of(job).position();
        }
        return ids;
    }

    private void tell(long nanos) {
        report.progress(
                "[%5.1f min] %,d ids; window %,d, state %,d",
                nanos / 60e9,
                ids(),
                SoakStage.of(SoakJob.WINDOW).position(),
                SoakStage.of(SoakJob.STATE).position());
    }

    private MiniCluster cluster() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                CoreOptions.TMP_DIRS,
                Files.createDirectories(SoakSampler.working(directory)).toString());
        configuration.set(
                TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(MANAGED_MEGABYTES));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
        SoakMetrics.configure(configuration);
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(
                                        SoakJob.PARALLELISM * SoakJob.values().length)
                                .withRandomPorts()
                                .build());
        cluster.start();
        return cluster;
    }

    private JobID submit(MiniCluster cluster, SoakJob job) throws Exception {
        Configuration configuration = new Configuration();
        job.configure(configuration, plan);
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, SoakJob.PARALLELISM);
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.MAX_PARALLELISM, 128);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, plan.checkpoints());
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                Files.createDirectories(SoakSampler.checkpoints(directory, job))
                        .toUri()
                        .toString());
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        job.build(env, job.ids(plan.seed(), plan), plan);
        return await(cluster.submitJob(env.getStreamGraph().getJobGraph())).getJobID();
    }

    static <T> T await(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
