/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kafka.CommittedRecords;
import io.sluice.bench.kafka.JobTrials;
import io.sluice.bench.kafka.JobTrials.Trial;
import io.sluice.bench.kafka.TimedJob;
import io.sluice.bench.report.BenchReport;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.flows.FlowArguments;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.kafka.Brokers;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The flows job from a filled topic to committed records of finished flows, with broker and cluster
 * in this process. The exact store has to report as many flows as a store that follows the capture
 * without Kafka and Flink: every flow that began, as open flows are reported at the end of the
 * topic.
 */
final class FlowsThroughKafka {
    private static final String PACKETS = "packets";
    private static final int PARTITIONS = 4;
    private static final int PARALLELISM = 2;
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(15);

    private final BenchReport report;
    private final Path directory;
    private final Path capture;
    private final long flows;

    private FlowsThroughKafka(BenchReport report, Path directory, Path capture, long flows) {
        this.report = report;
        this.directory = directory;
        this.capture = capture;
        this.flows = flows;
    }

    /**
     * For a capture with this many flows.
     *
     * @param rounds with all variants in turns, after one that warms up
     */
    static void run(BenchReport report, Path directory, Path capture, long flows, int rounds)
            throws IOException {
        new FlowsThroughKafka(report, directory, capture, flows).run(rounds);
    }

    private void run(int rounds) throws IOException {
        report.progress("through Kafka, " + flows + " flows, " + rounds + " round(s)");
        FlowCounts truth = CaptureRates.followExactly(capture);
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
            String servers = kafka.bootstrapServers();
            ReplayTopic.create(Brokers.at(servers), PACKETS, PARTITIONS, BROKER_TIMEOUT);
            long records =
                    new TraceReplayer(
                                    ReplayOptions.builder(Brokers.at(servers), PACKETS).build(),
                                    progress -> {})
                            .replay(capture)
                            .summary()
                            .recordsOnTopic();
            String exact = FlowArguments.STORE + "=exact";
            List<Trial> trials =
                    List.of(
                            new Trial(
                                    "exact",
                                    "the flows job, exact store",
                                    "flows.kafka.perSecond",
                                    "",
                                    ">= 300000",
                                    (name, round) -> {
                                        TimedJob job = once(kafka, name, records, exact);
                                        long found = CommittedRecords.count(servers, name);
                                        check(round, truth.began(), found);
                                        return job;
                                    }),
                            new Trial(
                                    "kbf",
                                    "the flows job, kbf store",
                                    "flows.kafka.kbf.perSecond",
                                    "",
                                    "",
                                    (name, round) ->
                                            once(
                                                    kafka,
                                                    name,
                                                    records,
                                                    FlowArguments.STORE + "=kbf")));
            report.table(
                    "flows_kafka.csv",
                    new JobTrials(report, "flows-", records).run(trials, trials, rounds));
        }
    }

    private TimedJob once(EmbeddedKafka kafka, String name, long records, String... more)
            throws IOException {
        kafka.createTopics(PARALLELISM, name, name + "-alerts", name + "-dead");
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                FlowsOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                                FlowsOptions.INPUT_TOPIC + "=" + PACKETS,
                                FlowsOptions.FLOWS_TOPIC + "=" + name,
                                FlowsOptions.ALERTS_TOPIC + "=" + name + "-alerts",
                                FlowsOptions.DEAD_LETTER_TOPIC + "=" + name + "-dead",
                                FlowsOptions.TRANSACTIONAL_ID_PREFIX + "=" + name,
                                FlowArguments.EXPECTING + "=" + flows,
                                FlowsOptions.CHECKPOINT_INTERVAL + "=2s",
                                FlowsOptions.PARALLELISM + "=" + PARALLELISM,
                                FlowsOptions.BOUNDED));
        arguments.addAll(List.of(more));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        FlowsJob.define(env, FlowsOptions.parse(arguments));
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    private void check(int round, long expected, long found) {
        report.check(
                "flows.kafka.round" + round,
                expected == found,
                "%d flows reported by the exact store, %d without Kafka",
                found,
                expected);
    }
}
