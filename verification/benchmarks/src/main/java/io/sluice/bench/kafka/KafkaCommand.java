/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.replay.Pace;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench kafka}: the counter job end to end. */
@Command(
        name = "kafka",
        mixinStandardHelpOptions = true,
        description = {
            "The counter job through an embedded broker: records per second from a filled topic to"
                + " committed results, what limits it, the operators and the state backend alone"
                + " beside a no-op keyed map, the job that deduplicates a topic beside Kafka"
                + " Streams, accuracy and latency of counters with a TaskManager lost on the way,"
                + " and the latency of acknowledged operations."
        })
public final class KafkaCommand extends BenchCommand {
    @Option(
            names = "--packets",
            paramLabel = "N",
            description = "Records on the topic (default: 4000000, quick 1200000).")
    private long packets;

    @Option(names = "--rounds", paramLabel = "N", description = "Default: 3, quick 1.")
    private int rounds;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "job, operators, dedup, streams or figures; all if left out.")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Option(
            names = "--ids",
            split = ",",
            paramLabel = "N",
            description =
                    "Different ids on the topics of the part streams, 1000 to 1000000000 (default:"
                            + " 1000000,10000000; quick 200000).")
    private List<Integer> ids = List.of();

    /** The parts that can be selected. */
    enum Part {
        job,
        operators,
        dedup,
        streams,
        figures
    }

    @Override
    protected void measure(BenchReport report) throws Exception {
        for (int each : ids) {
            if (each < 1000 || each > 1_000_000_000) {
                throw new IllegalArgumentException(
                        "--ids must be from 1000 to 1000000000, not " + each);
            }
        }
        Path directory = Files.createTempDirectory("sluice-bench");
        try {
            if (only.contains(Part.job) || only.contains(Part.operators)) {
                overTopic(report, directory);
            }
            if (only.contains(Part.dedup)) {
                overOrders(report, directory);
            }
            if (only.contains(Part.streams)) {
                DedupBesideStreams.run(report, directory, ids(report));
            }
            if (only.contains(Part.figures)) {
                FigureFourteenFifteen.run(report, directory);
                AcknowledgedLatency.run(report, directory);
            }
        } finally {
            Directories.deleteRecursively(directory);
        }
    }

    private void overOrders(BenchReport report, Path directory) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
            DedupEndToEnd.run(report, kafka, directory, packets(report), rounds(report));
        }
    }

    private long packets(BenchReport report) {
        return packets > 0 ? packets : report.quick() ? 1_200_000 : 4_000_000;
    }

    private List<Integer> ids(BenchReport report) {
        return !ids.isEmpty()
                ? ids
                : report.quick() ? List.of(200_000) : List.of(1_000_000, 10_000_000);
    }

    private int rounds(BenchReport report) {
        return rounds > 0 ? rounds : report.quick() ? 1 : 3;
    }

    private void overTopic(BenchReport report, Path directory) throws IOException {
        long most = packets(report);
        int turns = rounds(report);
        report.progress("a topic of " + most + " packets, " + turns + " round(s)");
        Path capture = directory.resolve("throughput.pcap");
        FilledTopic.capture(
                capture, most, Duration.ofSeconds(most / EndToEnd.EXPECTED_PER_SECOND), 1);
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
            FilledTopic.create(kafka.bootstrapServers());
            long start = System.nanoTime();
            Truth truth = FilledTopic.fill(kafka.bootstrapServers(), capture, Pace.MAX, 1);
            long records = truth.summary().recordsOnTopic();
            report.progress(
                    "    replayed %,d records at %,.0f/s",
                    records, records * 1e9 / (System.nanoTime() - start));
            if (only.contains(Part.job)) {
                EndToEnd.run(report, kafka, directory, truth, turns);
            }
            if (only.contains(Part.operators)) {
                OperatorAlone.run(report, kafka, directory, truth, turns);
            }
        }
    }
}
