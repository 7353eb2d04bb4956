/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kafka.CommittedRecords;
import io.sluice.bench.kafka.TimedJob;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.job.flows.FlowArguments;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.kafka.Brokers;
import io.sluice.local.EmbeddedKafka;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    /** The compared variants, which take turns. */
    private enum Variant {
        EXACT("flows.kafka.perSecond", ">= 300000", "the flows job, exact store", "exact"),
        KBF("flows.kafka.kbf.perSecond", "", "the flows job, kbf store", "kbf"),
        NO_ATTACKS(
                "flows.kafka.withoutAttacks.perSecond",
                "",
                "the flows job, exact store, --no-attacks",
                "exact",
                FlowArguments.NO_ATTACKS);

        final String figure;
        final String goal;
        final String title;
        final String store;
        final List<String> more;

        Variant(String figure, String goal, String title, String store, String... more) {
            this.figure = figure;
            this.goal = goal;
            this.title = title;
            this.store = store;
            this.more = List.of(more);
        }

        /** A part of the topic's name. */
        String topic() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

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
            Map<Variant, List<TimedJob>> jobs = new EnumMap<>(Variant.class);
            for (int round = 0; round <= rounds; round++) {
                for (Variant variant : Variant.values()) {
                    String name = "flows-" + variant.topic() + "-" + round;
                    TimedJob job = once(kafka, name, variant, records);
                    if (round > 0) {
                        jobs.computeIfAbsent(variant, v -> new ArrayList<>()).add(job);
                    }
                    if (variant == Variant.EXACT) {
                        check(round, truth.began(), CommittedRecords.count(servers, name));
                    }
                }
            }
            jobs.forEach((variant, timed) -> figure(variant, records, timed));
        }
    }

    private TimedJob once(EmbeddedKafka kafka, String name, Variant variant, long records)
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
                                FlowArguments.STORE + "=" + variant.store,
                                FlowArguments.EXPECTING + "=" + flows,
                                FlowsOptions.CHECKPOINT_INTERVAL + "=2s",
                                FlowsOptions.PARALLELISM + "=" + PARALLELISM,
                                FlowsOptions.BOUNDED));
        arguments.addAll(variant.more);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        FlowsJob.define(env, FlowsOptions.parse(arguments));
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    private void check(int round, long expected, long found) {
        report.check(
                "flows.kafka.round" + round,
                expected == found,
                found + " flows reported by the exact store, " + expected + " without Kafka");
    }

    private void figure(Variant variant, long records, List<TimedJob> jobs) {
        Spread rates = Spread.of(jobs.stream().map(TimedJob::recordsPerSecond).toList());
        Spread cores = Spread.of(jobs.stream().map(TimedJob::cores).toList());
        report.add(
                variant.figure,
                rates.median(),
                "records/s",
                variant.goal,
                "%s; %d records; %s; %.2f cores busy, broker included; from all"
                        + " tasks running to the last commit",
                variant.title,
                records,
                rates,
                cores.median());
    }
}
