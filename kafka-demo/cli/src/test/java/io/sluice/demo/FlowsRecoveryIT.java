/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficTruth;
import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.JobTopics;
import io.sluice.job.flows.FlowArguments;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.kafka.Brokers;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flows are followed while a replay runs; a TaskManager is lost, and the job continues from a
 * savepoint with another parallelism.
 */
class FlowsRecoveryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String INPUT = "packets";
    private static final int PARTITIONS = 3;
    private static final int BITS_PER_FLOW = 96;

    /** Longer than all timeouts of the jobs together. */
    private static final long LATER_MILLIS = Duration.ofHours(1).toMillis();

    @TempDir private Path folder;

    private EmbeddedKafka kafka;
    private LocalFlink flink;

    @Test
    void reportsTheSameFlowsAsAnUndisturbedRunAndNoneTwice() throws Exception {
        Path capture = folder.resolve("flows.pcap");
        TrafficOptions traffic =
                TrafficOptions.builder(4_000)
                        .seed(9)
                        .view(new TrafficOptions.View(0.05, 0.1, 0.01, 0.02))
                        .attacks(new TrafficOptions.Attacks(2, 200, 2, 300, 20))
                        .build();
        TrafficTruth truth = TrafficGenerator.write(traffic, capture, flow -> {});
        try (EmbeddedKafka broker = EmbeddedKafka.start(folder);
                LocalFlink cluster = LocalFlink.start(folder, 3, 2)) {
            kafka = broker;
            flink = cluster;
            ReplayTopic.create(Brokers.at(kafka.bootstrapServers()), INPUT, PARTITIONS, LIMIT);
            disturbed(capture, truth.packets().total());
            FlowRecords exact = ended("exact");
            FlowRecords filter = ended("kbf");
            assertThat(filter.timedOut()).isZero();

            FlowsOptions undisturbed = options("exact", "undisturbed");
            JobTopics.prepare(undisturbed);
            RunningJob job = flink.submit(environment(undisturbed, 2), "undisturbed");
            awaitAllOver(job);
            job.stopWithSavepoint(false);
            FlowRecords expected = ended("undisturbed");
            assertThat(exact.ends()).isEqualTo(expected.ends()).hasSizeGreaterThan(3_000);
            assertThat(filter.ends()).hasSizeGreaterThan(2_000);
            assertThat(alerts("exact"))
                    .isEqualTo(alerts("undisturbed"))
                    .containsOnlyKeys("fin-and-rst", "illegal-flags");
            assertThat(alerts("kbf").get("illegal-flags"))
                    .isEqualTo(alerts("undisturbed").get("illegal-flags"));
            assertThat(filter.differences(expected))
                    .isLessThanOrEqualTo(FlowsCourse.bound(truth.packets().tcp()));
        }
    }

    private void disturbed(Path capture, long packets) throws Exception {
        FlowsOptions exact = options("exact", "exact");
        FlowsOptions filter = options("kbf", "kbf");
        JobTopics.prepare(exact);
        JobTopics.prepare(filter);
        ReplayOptions replay =
                ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), INPUT).build();
        try (ReplayThread thread = new ReplayThread(capture, replay)) {
            thread.start(packets * 4 / 10);
            List<RunningJob> jobs =
                    List.of(
                            flink.submit(environment(exact, 3), "exact"),
                            flink.submit(environment(filter, 3), "kbf"));
            for (RunningJob job : jobs) {
                job.awaitRunning(LIMIT);
                job.checkpoint();
            }
            thread.openUpTo(packets * 7 / 10);
            thread.awaitMark(packets * 7 / 10, LIMIT);
            flink.replaceTaskManager(0);
            flink.replaceTaskManager(1);
            for (RunningJob job : jobs) {
                job.await("restored", LIMIT, () -> job.restored() > 0);
                job.awaitRunning(LIMIT);
            }
            thread.openUpTo(packets * 85 / 100);
            thread.awaitMark(packets * 85 / 100, LIMIT);
            String exactSavepoint = jobs.get(0).stopWithSavepoint(false);
            String filterSavepoint = jobs.get(1).stopWithSavepoint(false);
            RunningJob exactAgain =
                    flink.submit(environment(exact, 2), "exact again", exactSavepoint);
            RunningJob filterAgain =
                    flink.submit(environment(filter, 2), "kbf again", filterSavepoint);
            thread.open();
            thread.await(LIMIT);
            FlowsCourse.sendMarkers(
                    kafka,
                    INPUT,
                    PARTITIONS,
                    CaptureSurvey.of(capture, false).lastMillis() + LATER_MILLIS);
            awaitAllOver(exactAgain);
            awaitAllOver(filterAgain);
            exactAgain.stopWithSavepoint(false);
            filterAgain.stopWithSavepoint(false);
        }
    }

    /** Each with its own topics; its name is that of the topic of flows. */
    private FlowsOptions options(String store, String name) {
        return FlowsOptions.parse(
                FlowsOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                FlowsOptions.INPUT_TOPIC + "=" + INPUT,
                FlowsOptions.FLOWS_TOPIC + "=" + name,
                FlowsOptions.ALERTS_TOPIC + "=" + name + "-alerts",
                FlowsOptions.DEAD_LETTER_TOPIC + "=" + name + "-dead-letters",
                FlowsOptions.GROUP + "=" + name,
                FlowsOptions.TRANSACTIONAL_ID_PREFIX + "=" + name,
                FlowArguments.STORE + "=" + store,
                FlowArguments.BITS_PER_FLOW + "=" + BITS_PER_FLOW,
                FlowArguments.EXPECTING + "=4000",
                // The last packet of a flow may come long after those before it.
                FlowArguments.CLOSED_TIMEOUT + "=2 min",
                FlowsOptions.OUT_OF_ORDERNESS + "=0 s",
                // A partition that is silent while a cluster restarts still has packets to come.
                FlowsOptions.IDLENESS + "=10 min",
                FlowsOptions.CHECKPOINT_INTERVAL + "=300 ms");
    }

    private static StreamExecutionEnvironment environment(FlowsOptions options, int parallelism) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(parallelism);
        FlowsJob.define(env, options);
        return env;
    }

    /** Waits until the markers were read and no flow is left. */
    private void awaitAllOver(RunningJob job) throws IOException {
        job.awaitRunning(LIMIT);
        job.await(
                "through with all flows",
                LIMIT,
                () -> sum(FlowMetrics.BEGAN) > 0 && sum(FlowMetrics.FLOWS) == 0);
    }

    private double sum(String metric) {
        return flink.metrics().valuesBy("FlowStateMachine", metric, "<job_id>").values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    private Map<String, Long> alerts(String flowsTopic) throws IOException {
        return AlertRecords.countByKind(kafka.bootstrapServers(), flowsTopic + "-alerts");
    }

    /** The committed records of a topic, one per flow. */
    private FlowRecords ended(String topic) throws IOException {
        FlowRecords records = FlowRecords.read(kafka.bootstrapServers(), topic);
        assertThat(records.twice()).as("flows reported twice on %s", topic).isZero();
        return records;
    }
}
