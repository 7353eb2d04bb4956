/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.BenchReport;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Both jobs on one cluster in this process, until it is enough. */
final class SoakRun {
    static final int MANAGED_MEGABYTES = 512;

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration RESTART_DELAY = Duration.ofSeconds(1);

    private final BenchReport report;
    private final SoakPlan plan;
    private final Path directory;
    private final Map<SoakJob, RunningJob> running = new EnumMap<>(SoakJob.class);
    private final Map<SoakJob, Integer> failures = new EnumMap<>(SoakJob.class);
    private long start;

    SoakRun(BenchReport report, SoakPlan plan, Path directory) {
        this.report = report;
        this.plan = plan;
        this.directory = directory;
    }

    void run() throws Exception {
        SoakStage.reset();
        Configuration configuration = new Configuration();
        configuration.set(
                TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(MANAGED_MEGABYTES));
        int slots = SoakJob.PARALLELISM * SoakJob.values().length;
        try (LocalFlink flink = LocalFlink.start(directory, 1, slots, configuration)) {
            for (SoakJob job : SoakJob.values()) {
                running.put(job, flink.submit(pipeline(job), job.id()));
                failures.put(job, 0);
            }
            start = System.nanoTime();
            SoakSampler sampler = new SoakSampler(flink, running, directory, plan.timeToLive());
            soak(sampler);
            for (SoakJob job : SoakJob.values()) {
                running.get(job).stopWithSavepoint(false);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            report.add("soak.seed", (double) plan.seed(), "seed", "", "");
            report.add("soak.minutes", seconds / 60, "min", "", "");
            for (SoakJob job : SoakJob.values()) {
                judge(job, seconds, (double) sampler.checkpoints(job));
            }
            report.add("soak.ids", (double) ids(), "ids", "", "both jobs");
            double windows = (double) SoakStage.of(SoakJob.WINDOW).position();
            windows /= SoakJob.RECORDS_PER_WINDOW;
            report.add("soak.windows", windows, "windows", "", "of event time that have passed");
            double lifetimes = seconds / plan.timeToLive().toSeconds();
            report.add("soak.lifetimes", lifetimes, "lifetimes", "", "of flags that have passed");
            report.check(
                    "nothing is forgotten early",
                    sampler.forgotten() == 0 && sampler.overflows() == 0,
                    "metrics forgotten %.0f, overflows %.0f",
                    sampler.forgotten(),
                    sampler.overflows());
            sampler.samples().judge(report);
        }
    }

    private void judge(SoakJob job, double seconds, double checkpoints) {
        SoakStage stage = SoakStage.of(job);
        String prefix = "soak." + job.id() + '.';
        long emitted = stage.position();
        int failed = failures.get(job);
        report.add(prefix + "ids", (double) emitted, "ids", "", "each counted once, replays aside");
        report.add(prefix + "rate", emitted / seconds, "ids/s", "", "mean");
        report.add(prefix + "checkpoints", checkpoints, "checkpoints", "", "completed");
        report.add(prefix + "failures", (double) failed, "failures", "", "");
        SoakCounts.check(report, job, job.ids(plan.seed(), plan), emitted, stage.tally());
        report.check(
                job.id() + ": failed on purpose alone",
                stage.restarts() == failed,
                "%d failures, %d restarts",
                failed,
                stage.restarts());
    }

    /** Samples, and lets the jobs fail in turns, until length and ids are reached and each did. */
    private void soak(SoakSampler sampler) throws Exception {
        long failAt = plan.failures().toNanos();
        Deque<SoakJob> turns = new ArrayDeque<>(List.of(SoakJob.values()));
        long told = 0;
        while (true) {
            Thread.sleep(plan.samples().toMillis());
            for (SoakJob job : SoakJob.values()) {
                if (running.get(job).hasEnded()) {
                    running.get(job).awaitFinished(LIMIT);
                    throw new IllegalStateException("job " + job.id() + " has ended");
                }
            }
            sampler.sample(System.nanoTime() - start);
            report.table("soak.csv", sampler.samples().table());
            long passed = System.nanoTime() - start;
            if (passed / plan.samples().toNanos() / 6 > told) {
                told = passed / plan.samples().toNanos() / 6;
                report.progress(
                        "[%5.1f min] %,d ids; window %,d, state %,d",
                        passed / 60e9,
                        ids(),
                        SoakStage.of(SoakJob.WINDOW).position(),
                        SoakStage.of(SoakJob.STATE).position());
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

    private StreamExecutionEnvironment pipeline(SoakJob job) throws IOException {
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
        Path checkpoints = Files.createDirectories(SoakSampler.checkpoints(directory, job));
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        job.build(env, job.ids(plan.seed(), plan), plan);
        return env;
    }
}
