/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.process.Await;
import io.sluice.kafka.Brokers;
import io.sluice.replay.Faults;
import io.sluice.replay.Pace;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayProgress;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The job jar, submitted as a user would, survives what clusters do to jobs, and still counts every
 * operation once: a TaskManager is killed with signal 9 right after a checkpoint, and the job is
 * stopped with a savepoint and continues from it at another parallelism; all the time a client
 * sends operations and retries.
 */
class SessionClusterIT {
    private static final long SEED = Long.getLong("test.seed", 20261101L);
    private static final long PACKETS = 120_000;
    private static final Duration CAPTURE = Duration.ofSeconds(15);
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final int PARTITIONS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final Pattern SUBMITTED = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed. Path: (\\S+)");

    private static Path work;
    private static EmbeddedKafka kafka;
    private static SessionCluster cluster;

    /**
     * The replay waits at these two points: the kill and the rescaling happen in the middle of it.
     */
    private final CountDownLatch checkpointed = new CountDownLatch(1);

    private final CountDownLatch rescaled = new CountDownLatch(1);

    @BeforeAll
    static void start() throws Exception {
        work = Path.of("target", "session-cluster").toAbsolutePath();
        Directories.deleteRecursively(work);
        Files.createDirectories(work);
        kafka = EmbeddedKafka.start(work);
        cluster = SessionCluster.start(work, Path.of("../..", "docker", "flink").toRealPath(), 2);
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            if (cluster != null) {
                cluster.close();
            }
        } finally {
            if (kafka != null) {
                kafka.close();
            }
        }
        assertThat(ProcessHandle.current().children()).isEmpty();
    }

    @Test
    void countsOnceThoughATaskManagerIsKilledAndTheJobIsRescaled() throws Exception {
        ReplayTopic.create(Brokers.at(kafka.bootstrapServers()), "packets", PARTITIONS, LIMIT);
        String job = submit("-p", "2");
        Await.until("all tasks running", LIMIT, () -> cluster.rest().allTasksRun(job));
        CompletableFuture<Truth> replay = CompletableFuture.supplyAsync(this::replay);
        try {
            loseATaskManager(job);
            awaitRecovery(job);

            cluster.startTaskManager("tm-3");
            String savepoint = find(SAVEPOINT, cluster.flink("stop", job));
            assertThat(cluster.rest().jobStatus(job)).isEqualTo("FINISHED");
            String rescaledJob = submit("-p", "3", "-s", savepoint);
            Await.until("all tasks running", LIMIT, () -> cluster.rest().allTasksRun(rescaledJob));
            assertThat(cluster.rest().restoredFromSavepoint(rescaledJob)).isTrue();
            rescaled.countDown();

            Truth truth = replay.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            awaitConsumption();
            cluster.flink("stop", rescaledJob);
            check(truth);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("seed " + SEED + "; " + cluster.logTails(), e);
        } finally {
            checkpointed.countDown();
            rescaled.countDown();
        }
    }

    private String submit(String... flinkOptions) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("-d", "-c", "io.sluice.job.counters.CountersJob"));
        arguments.addAll(List.of(flinkOptions));
        arguments.addAll(
                List.of(
                        JobJar.path().toString(),
                        "--bootstrap-servers",
                        kafka.bootstrapServers(),
                        "--within",
                        WINDOW.toMillis() + " ms",
                        "--fpp",
                        "1e-4",
                        "--checkpoint-interval",
                        "1 s",
                        // A waiting replay must not make partitions idle.
                        "--idleness",
                        "10 min"));
        return find(SUBMITTED, cluster.flink("run", arguments.toArray(String[]::new)));
    }

    private Truth replay() {
        try {
            Path capture = work.resolve("trace.pcap.gz");
            LoadGenerator.write(
                    LoadOptions.builder(PACKETS).seed(SEED).duration(CAPTURE).build(), capture);
            ReplayOptions options =
                    ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), "packets")
                            .pace(new Pace(2))
                            .faults(
                                    Faults.builder()
                                            .seed(SEED)
                                            .window(WINDOW)
                                            .retryShare(0.2)
                                            .retryDelay(
                                                    Duration.ofSeconds(2), Duration.ofSeconds(8))
                                            .build())
                            .build();
            return new TraceReplayer(options, this::waitForTheCluster).replay(capture);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void waitForTheCluster(ReplayProgress progress) {
        if (progress.records() > PACKETS / 4) {
            await(checkpointed);
        }
        if (progress.records() > 3 * PACKETS / 4) {
            await(rescaled);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the cluster did not get that far");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Kills one of the two TaskManagers just after a checkpoint, while input comes. */
    private void loseATaskManager(String job) throws Exception {
        ClusterRest rest = cluster.rest();
        assertThat(rest.taskManagersOf(job)).containsExactly("tm-1", "tm-2");
        awaitCheckpoint(job);
        checkpointed.countDown();
        awaitCheckpoint(job);
        cluster.killTaskManager("tm-1");
    }

    private static void awaitCheckpoint(String job) throws Exception {
        ClusterRest rest = cluster.rest();
        int before = rest.completedCheckpoints(job);
        Await.until("one more checkpoint", LIMIT, () -> rest.completedCheckpoints(job) > before);
    }

    private static void awaitRecovery(String job) throws Exception {
        ClusterRest rest = cluster.rest();
        Await.until(
                "the job on what is left",
                LIMIT,
                () ->
                        rest.restoredCheckpoint(job).isPresent()
                                && rest.allTasksRun(job)
                                && rest.taskManagersOf(job).equals(Set.of("tm-2")));
        assertThat(rest.restoredCheckpoint(job))
                .hasValueSatisfying(id -> assertThat(id).isPositive());
        assertThat(rest.restoredFromSavepoint(job)).isFalse();
        awaitCheckpoint(job);
    }

    private static void awaitConsumption() throws Exception {
        try (Admin admin = kafka.admin()) {
            Await.until(
                    "the end of the input in a checkpoint",
                    LIMIT,
                    () ->
                            CommittedTopic.isConsumed(
                                    admin, kafka.bootstrapServers(), "packets", "sluice-counters"));
        }
    }

    private static void check(Truth truth) {
        RunOutcome outcome = RunOutcome.of(kafka.bootstrapServers(), truth);
        assertThat(truth.summary().operations()).isEqualTo(PACKETS);
        assertThat(truth.summary().retriesWithinWindow()).isGreaterThan(PACKETS / 10);
        assertThat(outcome.missedDuplicates()).as("missed duplicates").isZero();
        assertThat(outcome.overwritten()).as("results that are visible twice").isZero();
        assertThat(outcome.wrongCounters()).as("counters that are wrong").isEmpty();
        assertThat(outcome.duplicates())
                .isEqualTo(truth.summary().retriesWithinWindow() + outcome.falsePositives());
        // 12 are expected at most; more than 32 happen once in 10^6 runs.
        assertThat(outcome.falsePositives()).isLessThanOrEqualTo(32);
    }

    private static String find(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        return matcher.group(1);
    }
}
