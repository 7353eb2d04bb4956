/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.Converters;
import io.sluice.replay.Faults;
import io.sluice.replay.Pace;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayProgress;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import io.sluice.replay.Truth;
import io.sluice.replay.TruthFile;
import io.sluice.replay.TruthSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code sluice replay}. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Sends a capture to a Kafka topic, one record per IP packet, as a client that"
                    + " retries: some records come again, later. Which ones is decided by seed and"
                    + " kept in a truth file.")
final class ReplayCommand implements Callable<Integer> {
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(15);

    @Parameters(paramLabel = "CAPTURE", description = "A pcap file, plain or gzip.")
    private Path capture;

    @Option(
            names = "--bootstrap-servers",
            required = true,
            paramLabel = "HOST:PORT,...",
            description = "Kafka brokers.")
    private String bootstrapServers;

    @Option(
            names = "--topic",
            defaultValue = "packets",
            paramLabel = "TOPIC",
            description = "Made if it does not exist. Default: ${DEFAULT-VALUE}.")
    private String topic;

    @Option(
            names = "--partitions",
            defaultValue = "4",
            paramLabel = "N",
            description = "Of a topic that is made. Default: ${DEFAULT-VALUE}.")
    private int partitions;

    @Option(
            names = "--speed",
            defaultValue = "max",
            converter = OfPace.class,
            paramLabel = "SPEED",
            description =
                    "'1x' is capture time, '10x' ten times as fast. Default: ${DEFAULT-VALUE}.")
    private Pace speed;

    @Option(
            names = "--loops",
            defaultValue = "1",
            paramLabel = "N",
            description = "How often; capture time goes on. Default: ${DEFAULT-VALUE}.")
    private int loops;

    @Option(
            names = "--retries",
            defaultValue = "0.1",
            paramLabel = "SHARE",
            description = "Share of the packets that are sent again. Default: ${DEFAULT-VALUE}.")
    private double retries;

    @Option(
            names = "--window",
            defaultValue = "10 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "Retries come within this much capture time, with a mean of a tenth of it."
                            + " Default: ${DEFAULT-VALUE}.")
    private Duration window;

    @Option(
            names = "--beyond-window",
            defaultValue = "0",
            paramLabel = "SHARE",
            description =
                    "Share of the retried packets that come once more after two to three windows."
                            + " Default: ${DEFAULT-VALUE}.")
    private double beyondWindow;

    @Option(
            names = "--drops",
            defaultValue = "0",
            paramLabel = "SHARE",
            description = "Share of the packets that are never sent. Default: ${DEFAULT-VALUE}.")
    private double drops;

    @Option(
            names = "--malformed",
            defaultValue = "0",
            paramLabel = "N",
            description = "Records of foreign bytes in between. Default: ${DEFAULT-VALUE}.")
    private long malformed;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description = "Of what goes wrong. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--resume-from",
            defaultValue = "0",
            paramLabel = "RECORD",
            description = "The last resume point of a replay that died. Default: ${DEFAULT-VALUE}.")
    private long resumeFrom;

    @Option(
            names = "--truth",
            paramLabel = "FILE",
            description = "Where to keep what was really sent.")
    private Path truth;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        long mean = Math.max(1, window.toMillis() / 10);
        Faults faults =
                Faults.builder()
                        .seed(seed)
                        .retryShare(retries)
                        .window(window)
                        .retryDelay(
                                Duration.ofMillis(mean),
                                Duration.ofMillis(Math.max(1, window.toMillis() * 8 / 10)))
                        .beyondWindowShare(beyondWindow)
                        .dropShare(drops)
                        .build();
        ReplayOptions options =
                ReplayOptions.builder(bootstrapServers, topic)
                        .pace(speed)
                        .loops(loops)
                        .faults(faults)
                        .malformed(malformed)
                        .brokerTimeout(BROKER_TIMEOUT)
                        .resumeFromRecord(resumeFrom)
                        .build();
        requireWritableTruth();
        PrintWriter out = spec.commandLine().getOut();
        if (ReplayTopic.create(bootstrapServers, topic, partitions, BROKER_TIMEOUT)) {
            out.printf("topic '%s' made with %d partitions%n", topic, partitions);
        }
        Truth sent = new TraceReplayer(options, progress -> print(progress, out)).replay(capture);
        if (truth != null) {
            TruthFile.write(truth, sent);
        }
        TruthSummary summary = sent.summary();
        out.printf(
                "%,d operations of %,d packets; %,d records, of them %,d retries%n",
                summary.operationsSent(),
                summary.packets(),
                summary.recordsOnTopic(),
                summary.retriesWithinWindow() + summary.retriesBeyondWindow());
        if (!summary.captureProblem().isEmpty()) {
            spec.commandLine().getErr().println("sluice: warning: " + summary.captureProblem());
        }
        return Failures.OK;
    }

    /** Better known before a long replay than after it. */
    private void requireWritableTruth() throws IOException {
        if (truth != null) {
            Path folder = truth.toAbsolutePath().getParent();
            if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
                throw new IOException(
                        "cannot write into " + folder + ": make the folder, or correct --truth");
            }
        }
    }

    private static void print(ReplayProgress progress, PrintWriter out) {
        out.printf(
                "%,12d records  %,10.0f/s  %,8.1f MB  resume point %d%n",
                progress.records(),
                progress.recordsPerSecond(),
                progress.megabytes(),
                progress.resumePoint());
        out.flush();
    }

    /** {@code 1x}, {@code 10x}, {@code max}. */
    static final class OfPace implements ITypeConverter<Pace> {
        @Override
        public Pace convert(String text) {
            try {
                return Pace.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
