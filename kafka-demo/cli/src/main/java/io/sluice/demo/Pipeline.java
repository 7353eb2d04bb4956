/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.flink.testkit.local.Checkpoint;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.JobTopics;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The steps of a run on broker and cluster:
 *
 * <ol>
 *   <li>Half of the records are sent; then the job starts and drains them: the throughput.
 *   <li>More are sent. While the job reads them, after a completed checkpoint, it loses a
 *       TaskManager; it restarts from that checkpoint.
 *   <li>More are sent. While the job reads them it is stopped with a savepoint.
 *   <li>It starts again from the savepoint with another parallelism, gets the rest, and is stopped
 *       when everything is read and committed.
 * </ol>
 */
final class Pipeline {
    static final String INPUT = "packets";
    static final String GROUP = "sluice-demo";

    /** The name that Flink gives the source in metrics. */
    static final String SOURCE = "Source: " + CountersJob.SOURCE;

    private static final double BACKLOG_SHARE = 0.5;
    private static final double FAILURE_SHARE = 0.7;
    private static final double RESCALE_SHARE = 0.85;

    /** Time limit for one step; a step that takes longer hangs. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final EmbeddedKafka kafka;
    private final LocalFlink flink;
    private final DemoOptions options;
    private final CountersOptions job;
    private final ReplayThread replay;
    private final Consumer<String> console;

    /** What happened, for the report. */
    record Outcome(
            Truth truth,
            long backlogRecords,
            double backlogSeconds,
            double replayRecordsPerSecond,
            long recovered,
            long repeatedRecords,
            List<Checkpoint> checkpoints) {}

    Pipeline(
            EmbeddedKafka kafka,
            LocalFlink flink,
            DemoOptions options,
            CountersOptions job,
            ReplayThread replay,
            Consumer<String> console) {
        this.kafka = kafka;
        this.flink = flink;
        this.options = options;
        this.job = job;
        this.replay = replay;
        this.console = console;
    }

    /** Runs all steps. */
    Outcome run(long operations, ProgressLog progress) throws IOException {
        long backlog = Math.max(1, (long) (operations * BACKLOG_SHARE));
        JobTopics.prepare(job);
        long replayStart = System.nanoTime();
        replay.start(backlog);
        replay.awaitMark(backlog, LIMIT);
        double replaySeconds = secondsSince(replayStart);
        console.accept(
                String.format(
                        "%,d records sent in %.1f s; the job starts with parallelism %d",
                        backlog, replaySeconds, options.parallelism()));

        UnreadClock unread = new UnreadClock(progress);
        RunningJob first = flink.submit(environment(options.parallelism()), "counters");
        await(first, "reading", unread::hasEnded);
        await(first, "through the backlog", () -> progress.total() >= backlog);
        double drainSeconds = secondsSince(unread.lastNanos);
        console.accept(
                String.format(
                        "backlog drained at %,.0f records/s, in a JVM that is still cold",
                        backlog / drainSeconds));
        loseTaskManager(first, (long) (operations * FAILURE_SHARE), progress);

        replay.openUpTo((long) (operations * RESCALE_SHARE));
        replay.awaitMark((long) (operations * RESCALE_SHARE), LIMIT);
        String savepoint = first.stopWithSavepoint(false);
        List<Checkpoint> checkpoints = new ArrayList<>(first.checkpoints());
        long recovered = first.restored();

        RunningJob second = restart(savepoint, progress);
        replay.open();
        Truth truth = replay.await(LIMIT);
        await(second, "through all records", this::allRead);
        second.stopWithSavepoint(true);
        checkpoints.addAll(second.checkpoints());
        return new Outcome(
                truth,
                backlog,
                drainSeconds,
                backlog / replaySeconds,
                recovered,
                Math.max(0, progress.total() - truth.summary().recordsOnTopic()),
                checkpoints);
    }

    /**
     * The last time at which nothing had been read: a job may read all of a small backlog between
     * two checks.
     */
    private static final class UnreadClock {
        private final ProgressLog progress;
        private long lastNanos = System.nanoTime();

        UnreadClock(ProgressLog progress) {
            this.progress = progress;
        }

        boolean hasEnded() {
            long now = System.nanoTime();
            if (progress.total() > 0) {
                return true;
            }
            lastNanos = now;
            return false;
        }
    }

    private void loseTaskManager(RunningJob running, long mark, ProgressLog progress)
            throws IOException {
        // Sources may have read the backlog before the last task has started.
        running.awaitRunning(LIMIT);
        running.checkpoint();
        int completed = running.checkpoints().size();
        long before = progress.total();
        replay.openUpTo(mark);
        await(running, "reading on", () -> progress.total() > before);
        console.accept("taking away a TaskManager after " + completed + " completed checkpoints");
        progress.event("TaskManager lost");
        flink.replaceTaskManager(0);
        await(running, "restored", () -> running.restored() > 0);
        running.awaitRunning(LIMIT);
        progress.event("recovered");
        console.accept("the job recovered from its last checkpoint");
    }

    private RunningJob restart(String savepoint, ProgressLog progress) throws IOException {
        progress.event("savepoint");
        for (int i = options.parallelism(); i < options.rescaledParallelism(); i++) {
            flink.addTaskManager();
        }
        console.accept(
                "stopped with a savepoint; continuing from it with parallelism "
                        + options.rescaledParallelism());
        RunningJob restarted =
                flink.submit(
                        environment(options.rescaledParallelism()), "counters rescaled", savepoint);
        restarted.awaitRunning(LIMIT);
        progress.event("rescaled");
        return restarted;
    }

    private StreamExecutionEnvironment environment(int parallelism) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(parallelism);
        CountersJob.define(env, job);
        return env;
    }

    /** Waits for the job, but only while replay and broker are alive. */
    private void await(RunningJob running, String what, BooleanSupplier condition)
            throws IOException {
        try {
            running.await(
                    what,
                    LIMIT,
                    () -> {
                        replay.throwIfFailed();
                        Throwable broker = kafka.failed().getNow(null);
                        if (broker != null) {
                            throw new UncheckedIOException(new IOException(broker));
                        }
                        return condition.getAsBoolean();
                    });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Whether the source is at the end of every partition. The source reports it for partitions
     * that it has read from since it started; otherwise the group's committed offset tells.
     */
    private boolean allRead() {
        Map<String, Double> positions =
                flink.metrics().valuesBy(SOURCE, "currentOffset", "<partition>");
        try (Admin admin = kafka.admin()) {
            Map<TopicPartition, OffsetAndMetadata> committed =
                    admin.listConsumerGroupOffsets(GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            return ends(admin).entrySet().stream()
                    .allMatch(
                            end -> {
                                String partition = Integer.toString(end.getKey().partition());
                                OffsetAndMetadata offset = committed.get(end.getKey());
                                double read = positions.getOrDefault(partition, -1.0) + 1;
                                long known = offset == null ? 0 : offset.offset();
                                return Math.max(read, (double) known) >= end.getValue();
                            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted", e));
        } catch (ExecutionException | TimeoutException e) {
            throw new UncheckedIOException(
                    new IOException("the broker does not answer: " + e.getMessage(), e));
        }
    }

    private static Map<TopicPartition, Long> ends(Admin admin)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        admin.describeTopics(List.of(INPUT))
                .topicNameValues()
                .get(INPUT)
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .partitions()
                .forEach(
                        p ->
                                latest.put(
                                        new TopicPartition(INPUT, p.partition()),
                                        OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(latest)
                .all()
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .forEach((partition, info) -> ends.put(partition, info.offset()));
        return ends;
    }

    private static double secondsSince(long nanos) {
        return Math.max(1e-3, (System.nanoTime() - nanos) / 1e9);
    }
}
