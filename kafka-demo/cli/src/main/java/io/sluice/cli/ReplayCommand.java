/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.capture.CaptureSet;
import io.sluice.job.Converters;
import io.sluice.kafka.BrokerOptions;
import io.sluice.kafka.Brokers;
import io.sluice.replay.Faults;
import io.sluice.replay.Pace;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayProgress;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.ResumeFile;
import io.sluice.replay.TraceReplayer;
import io.sluice.replay.Truth;
import io.sluice.replay.TruthFile;
import io.sluice.replay.TruthSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code sluice replay}. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Sends captures to a Kafka topic, one record per IP packet, like a client that"
                        + " retries: some records come again later. A seed decides which ones, and"
                        + " a truth file records them.")
final class ReplayCommand implements Callable<Integer> {
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(15);
    private static final double MAX_SECONDS_SHOWN = 100 * 3600;

    /** The options by the names of what they set. */
    private static final Map<String, String> NAMES =
            Map.of(
                    "retryShare", "--retries",
                    "beyondWindowShare", "--beyond-window",
                    "dropShare", "--drops",
                    "windowMillis", "--window in milliseconds",
                    "loops", "--loops",
                    "malformed", "--malformed",
                    "resumeFromRecord", "--resume-from",
                    "topic", "--topic");

    @Mixin private CaptureArguments captures;

    @Mixin private BrokerOptions brokerOptions;

    @Option(
            names = "--topic",
            defaultValue = "packets",
            paramLabel = "TOPIC",
            description = "Created if it does not exist. Default: ${DEFAULT-VALUE}.")
    private String topic;

    @Option(
            names = "--partitions",
            defaultValue = "4",
            paramLabel = "N",
            description = "Partitions of a topic that is created. Default: ${DEFAULT-VALUE}.")
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
            description = "How often to replay; capture time continues. Default: ${DEFAULT-VALUE}.")
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
                    "Share of the retried packets that come again after two to three windows."
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
            description = "Records of foreign bytes to send in between. Default: ${DEFAULT-VALUE}.")
    private long malformed;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description = "Seed of what goes wrong. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--resume-from",
            defaultValue = "0",
            paramLabel = "RECORD",
            description = "The last resume point of a replay that died. Default: ${DEFAULT-VALUE}.")
    private long resumeFrom;

    @Option(
            names = "--resume",
            paramLabel = "FILE",
            description =
                    "Keeps the progress of the replay in this file; if the file exists, continues"
                            + " where that replay stopped, to the same topic of the same cluster.")
    private Path resume;

    @Option(
            names = "--truth",
            paramLabel = "FILE",
            description = "Where to store what was really sent.")
    private Path truth;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        long mean = Math.max(1, window.toMillis() / 10);
        Faults faults =
                OptionNames.spelled(
                        NAMES,
                        () ->
                                Faults.builder()
                                        .seed(seed)
                                        .retryShare(retries)
                                        .window(window)
                                        .retryDelay(
                                                Duration.ofMillis(mean),
                                                Duration.ofMillis(
                                                        Math.max(1, window.toMillis() * 8 / 10)))
                                        .beyondWindowShare(beyondWindow)
                                        .dropShare(drops)
                                        .build());
        Brokers brokers = brokerOptions.brokers();
        ReplayOptions options =
                OptionNames.spelled(
                        NAMES,
                        () ->
                                ReplayOptions.builder(brokers, topic)
                                        .pace(speed)
                                        .loops(loops)
                                        .faults(faults)
                                        .malformed(malformed)
                                        .brokerTimeout(BROKER_TIMEOUT)
                                        .resumeFromRecord(resumeFrom)
                                        .build());
        CaptureSet set = captures.set();
        requireWritableTruth();
        brokers.requireAnswer();
        PrintWriter out = spec.commandLine().getOut();
        Optional<ResumeFile> kept = Optional.empty();
        if (resume != null) {
            if (resumeFrom > 0) {
                throw new IllegalArgumentException(
                        "--resume keeps the record to continue from: leave out --resume-from");
            }
            if (!Files.exists(resume)) {
                makeTopic();
            }
            // A file for another broker or topic is refused before anything is created there.
            ResumeFile file =
                    ResumeFile.open(
                            resume,
                            set,
                            options,
                            ReplayTopic.identity(brokers, topic, BROKER_TIMEOUT));
            if (file.isDone()) {
                out.printf("%s: this replay is complete, nothing is left to send%n", resume);
                return Failures.OK;
            }
            options = options.resumedFrom(file.record());
            kept = Optional.of(file);
        }
        return replay(set, options, kept);
    }

    private int replay(CaptureSet set, ReplayOptions options, Optional<ResumeFile> kept)
            throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        makeTopic();
        TraceReplayer replayer =
                new TraceReplayer(
                        options,
                        progress -> {
                            print(progress, out);
                            keep(progress, kept);
                        });
        Truth sent = replayer.replay(set);
        if (truth != null) {
            TruthFile.write(truth, sent);
        }
        if (kept.isPresent()) {
            kept.get().finish();
        }
        TruthSummary summary = sent.summary();
        out.printf(
                "%,d operations of %,d packets; %,d records, %,d of them retries%n",
                summary.operationsSent(),
                summary.packets(),
                summary.recordsOnTopic(),
                summary.retriesWithinWindow() + summary.retriesBeyondWindow());
        Map<String, Long> exceptions = replayer.tally().exceptions();
        if (!exceptions.isEmpty()) {
            out.printf("packets not fully read: %s%n", exceptions);
        }
        PrintWriter errors = spec.commandLine().getErr();
        replayer.tally().unknownLinks().forEach(line -> errors.println("sluice: warning: " + line));
        if (summary.packets() > 0 && summary.packets() == summary.skipped()) {
            errors.println("sluice: no packet with an IP header could be read");
            return Failures.READ_IN_PART;
        }
        if (!summary.captureProblem().isEmpty()) {
            errors.println("sluice: warning: " + summary.captureProblem());
        }
        return Failures.OK;
    }

    private void makeTopic() throws IOException {
        if (ReplayTopic.create(brokerOptions.brokers(), topic, partitions, BROKER_TIMEOUT)) {
            spec.commandLine()
                    .getOut()
                    .printf("topic '%s' created with %d partitions%n", topic, partitions);
        }
    }

    /** Checked before a long replay rather than after it. */
    private void requireWritableTruth() throws IOException {
        if (truth != null) {
            Path folder = truth.toAbsolutePath().getParent();
            if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
                throw new IOException(
                        "cannot write into " + folder + ": make the folder, or correct --truth");
            }
        }
    }

    private static void keep(ReplayProgress progress, Optional<ResumeFile> kept) {
        if (kept.isPresent()) {
            try {
                kept.get().reached(progress.resumePoint());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void print(ReplayProgress progress, PrintWriter out) {
        out.printf(
                "%,12d records  %,10.0f/s  %,8.1f MB  %5.1f %%  %s  resume point %d%n",
                progress.records(),
                progress.recordsPerSecond(),
                progress.megabytes(),
                100 * progress.shareRead(),
                timeLeft(progress.secondsLeft()),
                progress.resumePoint());
        out.flush();
    }

    private static String timeLeft(double seconds) {
        if (seconds > MAX_SECONDS_SHOWN) {
            return "some time left";
        }
        long whole = Math.round(seconds);
        return "%d:%02d:%02d left".formatted(whole / 3600, whole / 60 % 60, whole % 60);
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
