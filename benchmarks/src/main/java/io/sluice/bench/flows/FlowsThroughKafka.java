/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kafka.CommittedRecords;
import io.sluice.bench.kafka.TimedJob;
import io.sluice.bench.rate.Rounds.Spread;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Check;
import io.sluice.bench.report.Figure;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.job.FlowsJob;
import io.sluice.job.FlowsOptions;
import io.sluice.local.EmbeddedKafka;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The flows job from a filled topic to committed records of flows that are over, with broker and
 * cluster in this process. The exact store has to report as many flows as one that follows the
 * capture without Kafka and Flink; the end of the topic ends no flow.
 */
final class FlowsThroughKafka {
    private static final String PACKETS = "packets";
    private static final int PARTITIONS = 4;
    private static final int PARALLELISM = 2;
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(15);
    private static final List<String> STORES = List.of("exact", "kbf");

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
     * Of a capture with this many flows.
     *
     * @param rounds with both stores in turns, after one that warms up
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
            ReplayTopic.create(servers, PACKETS, PARTITIONS, BROKER_TIMEOUT);
            long records =
                    new TraceReplayer(
                                    ReplayOptions.builder(servers, PACKETS).build(), progress -> {})
                            .replay(capture)
                            .summary()
                            .recordsOnTopic();
            List<List<Double>> rates = List.of(new ArrayList<>(), new ArrayList<>());
            List<List<Double>> cores = List.of(new ArrayList<>(), new ArrayList<>());
            for (int round = 0; round <= rounds; round++) {
                for (int store = 0; store < STORES.size(); store++) {
                    String name = "flows-" + STORES.get(store) + "-" + round;
                    TimedJob job = once(kafka, name, STORES.get(store), records);
                    if (round > 0) {
                        rates.get(store).add(job.recordsPerSecond());
                        cores.get(store).add(job.cores());
                    }
                    if (store == 0) {
                        long over = truth.ended() + truth.timedOut();
                        check(round, over, CommittedRecords.count(servers, name));
                    }
                }
            }
            figure("flows.kafka.perSecond", ">= 300000", 0, records, rates, cores);
            figure("flows.kafka.kbf.perSecond", "", 1, records, rates, cores);
        }
    }

    private TimedJob once(EmbeddedKafka kafka, String name, String store, long records)
            throws IOException {
        kafka.createTopics(PARALLELISM, name, name + "-alerts", name + "-dead");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        FlowsJob.define(
                env,
                FlowsOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=" + PACKETS,
                        "--flows-topic=" + name,
                        "--alerts-topic=" + name + "-alerts",
                        "--dead-letter-topic=" + name + "-dead",
                        "--transactional-id-prefix=" + name,
                        "--store=" + store,
                        "--expecting=" + flows,
                        "--checkpoint-interval=2s",
                        "--parallelism=" + PARALLELISM,
                        "--bounded"));
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    private void check(int round, long expected, long found) {
        report.add(
                new Check(
                        "flows.kafka.round" + round,
                        expected == found,
                        found
                                + " flows reported by the exact store, "
                                + expected
                                + " without Kafka"));
    }

    private void figure(
            String name,
            String goal,
            int store,
            long records,
            List<List<Double>> rates,
            List<List<Double>> cores) {
        Spread spread = Spread.of(rates.get(store));
        report.add(
                new Figure(
                        name,
                        spread.median(),
                        "records/s",
                        "",
                        goal,
                        String.format(
                                Locale.ROOT,
                                "the flows job, %s store; %d records; %s; %.2f cores busy, broker"
                                        + " included; from all tasks running to the last commit",
                                STORES.get(store),
                                records,
                                spread,
                                Spread.of(cores.get(store)).median())));
    }
}
