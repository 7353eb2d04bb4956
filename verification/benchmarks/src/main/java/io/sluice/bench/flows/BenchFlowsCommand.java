/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.bench.run.DataFolder;
import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench flows}: TCP flows followed by key-value Bloom filters and their rivals. */
@Command(
        name = "flows",
        mixinStandardHelpOptions = true,
        description = {
            "TCP flows: kBF beside a plain map at equal memory, packets a second from capture to"
                    + " flow states, and counts in real captures compared with other tools."
        })
public final class BenchFlowsCommand extends BenchCommand {
    private static final int MIN_FLOWS = 1_000;
    private static final int MAX_FLOWS = 10_000_000;

    /** Some four million packets: enough for the job, and not too many for the disk. */
    private static final int MAX_FLOWS_ON_TOPIC = 400_000;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "choice, rates, kafka or captures; all if left out.")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Option(
            names = "--flows",
            paramLabel = "N",
            description = "Generated flows (default: 1,000,000; quick: 100,000).")
    private Integer flows;

    @Option(
            names = "--captures",
            paramLabel = "DIR",
            description = {
                "Real captures with a table of truth (default: environment SLUICE_CAPTURES, else"
                        + " ../shared/data/pcap beside the checkout if it exists)."
            })
    private Path captures;

    @Option(
            names = "--seed",
            defaultValue = "20261101",
            description = "Equal seeds give equal packets.")
    private long seed;

    /** The parts that can be selected. */
    enum Part {
        choice,
        rates,
        kafka,
        captures
    }

    @Override
    protected void measure(BenchReport report) throws IOException {
        int count = flows != null ? flows : report.quick() ? 100_000 : 1_000_000;
        if (count < MIN_FLOWS || count > MAX_FLOWS) {
            throw new IllegalArgumentException(
                    "--flows must be from " + MIN_FLOWS + " to " + MAX_FLOWS + ", got " + count);
        }
        Optional<Path> real =
                only.contains(Part.captures)
                        ? DataFolder.find(captures, "SLUICE_CAPTURES", "pcap", CaptureTable.TRUTH)
                        : Optional.empty();
        if (only.contains(Part.captures)) {
            if (real.isPresent()) {
                CaptureTable.run(report, real.get());
            } else {
                report.progress(
                        "no real captures: their table is skipped (--captures DIR or"
                                + " SLUICE_CAPTURES)");
            }
        }
        if (only.stream().anyMatch(part -> part != Part.captures)) {
            generated(report, count);
        }
    }

    private void throughKafka(BenchReport report, Path directory, int count) throws IOException {
        int flowsOnTopic = Math.min(count, MAX_FLOWS_ON_TOPIC);
        Path capture = directory.resolve("flows-on-topic.pcap");
        PacketTrace.generate(capture, flowsOnTopic, seed);
        FlowsThroughKafka.run(report, directory, capture, flowsOnTopic, report.quick() ? 1 : 3);
    }

    private void generated(BenchReport report, int count) throws IOException {
        Path directory = Files.createTempDirectory("sluice-bench");
        try {
            Path capture = directory.resolve("flows.pcap");
            report.progress("generating " + count + " flows");
            PacketTrace.generate(capture, count, seed);
            if (only.contains(Part.rates)) {
                CaptureRates.run(report, capture, count);
            }
            if (only.contains(Part.kafka)) {
                throughKafka(report, directory, count);
            }
            if (only.contains(Part.choice)) {
                PacketTrace trace = PacketTrace.read(capture);
                report.progress(
                        trace.flows() + " flows of " + trace.packets() + " packets in the capture");
                new StoreTrials(report, trace).run();
            }
        } finally {
            Directories.deleteRecursively(directory);
        }
    }
}
