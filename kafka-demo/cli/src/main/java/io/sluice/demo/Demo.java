/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.counters.CountersOptions;
import io.sluice.kafka.Brokers;
import io.sluice.replay.Faults;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TruthFile;
import io.sluice.report.DemoReport;
import io.sluice.report.OutputFolder;
import io.sluice.report.ReportFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The demonstration from beginning to end: generates or surveys the capture, runs it through the
 * {@link Pipeline}, judges, and writes {@code report.json}, {@code report.html} and the truth file
 * into the folder of the results. A run that ends with an exception writes none of them.
 */
public final class Demo {
    /** The truth of the replay, beside the reports. */
    public static final String TRUTH = "truth.json";

    private static final String TRUTH_COUNTERS = "truth.counters";

    private static final int PARTITIONS = 4;
    private static final Duration EMIT_EVERY = Duration.ofMillis(100);
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(500);
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(30);
    private static final double REORDERED_SHARE = 0.01;
    private static final long MALFORMED_RECORDS = 20;

    /**
     * Bytes per packet of the capture, the topics and the checkpoints; measured, and rounded up.
     */
    private static final long BYTES_PER_PACKET = 300;

    private static final long FIXED_BYTES = 64_000_000;

    /** Capture time that must follow a retry that is as late as its window allows. */
    private static final double LONGEST_RETRY_OF_WINDOW = 0.8;

    private static final double MEAN_RETRY_OF_WINDOW = 0.1;
    private static final double LATENESS_OF_WINDOW = 0.1;

    /** What happens to the result while broker and cluster still run. */
    @FunctionalInterface
    public interface Ending {
        /**
         * Takes the result; they stop when this returns.
         *
         * @param report the result
         * @param brokers {@code host:port} of the broker
         * @param web address of Flink's web interface
         */
        void take(DemoReport report, String brokers, String web) throws IOException;
    }

    private final DemoOptions options;
    private final Consumer<String> console;
    private final Ending ending;

    private Demo(DemoOptions options, Consumer<String> console, Ending ending) {
        this.options = options;
        this.console = console;
        this.ending = ending;
    }

    /**
     * Runs the demonstration: half a minute for a million packets.
     *
     * @param console takes lines about the progress
     * @param ending takes the result
     * @return the result, whose verdict may be a failure
     * @throws IOException with one readable line, if input or environment do not allow a run
     */
    public static DemoReport run(DemoOptions options, Consumer<String> console, Ending ending)
            throws IOException {
        return new Demo(options, console, ending).run();
    }

    private DemoReport run() throws IOException {
        CaptureSurvey survey = null;
        if (options.capture().isPresent()) {
            // Before anything is created: most mistakes are in the input.
            survey = survey(options.capture().get());
        }
        try (OutputFolder folder = OutputFolder.open(options.out())) {
            return runIn(folder, survey);
        }
    }

    private DemoReport runIn(OutputFolder folder, CaptureSurvey known) throws IOException {
        CaptureSurvey survey = known;
        try {
            long packets = survey == null ? options.packets() : survey.packets();
            folder.requireSpace(FIXED_BYTES + packets * BYTES_PER_PACKET);
            Path capture = options.capture().orElse(folder.work().resolve("generated.pcap"));
            if (survey == null) {
                console.accept(
                        String.format("generating %,d packets, seed %d", packets, options.seed()));
                LoadGenerator.write(
                        LoadOptions.builder(packets).seed(options.seed()).build(), capture);
                survey = survey(capture);
            }
            return run(folder, capture, survey);
        } catch (IOException e) {
            throw folder.explain(e);
        }
    }

    private CaptureSurvey survey(Path capture) throws IOException {
        CaptureSurvey survey = CaptureSurvey.of(capture, options.acceptDamaged());
        console.accept(
                String.format(
                        "%s: %,d packets, %,d of them IP, over %.1f s",
                        options.capture().map(Path::toString).orElse("generated capture"),
                        survey.packets(),
                        survey.operations(),
                        survey.seconds()));
        return survey;
    }

    private DemoReport run(OutputFolder folder, Path capture, CaptureSurvey survey)
            throws IOException {
        console.accept("starting a Kafka broker and a Flink cluster");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.work());
                LocalFlink flink = LocalFlink.start(folder.work(), options.parallelism(), 1)) {
            Faults faults = faults();
            ReplayTopic.create(
                    Brokers.at(kafka.bootstrapServers()),
                    Pipeline.INPUT,
                    PARTITIONS,
                    BROKER_TIMEOUT);
            CountersOptions job = job(kafka, survey, faults);
            Pipeline.Outcome outcome;
            FlowsCourse.Outcome flows;
            ProgressLog progress =
                    new ProgressLog(() -> flink.metrics().total(Pipeline.SOURCE, "numRecordsOut"));
            try (progress;
                    ReplayThread replay = new ReplayThread(capture, replay(kafka, faults))) {
                Pipeline pipeline = new Pipeline(kafka, flink, options, job, replay, console);
                outcome = pipeline.run(survey.operations(), progress);
                flows =
                        new FlowsCourse(kafka, flink, options, console)
                                .run(
                                        options.capture().orElse(null),
                                        folder.work(),
                                        options.acceptDamaged());
            } catch (IOException e) {
                // The broker's failure is the cause, whatever else failed first without it; and
                // free space is measured before the broker's data is removed.
                Throwable broker = kafka.failed().getNow(null);
                throw folder.explain(broker == null ? e : new IOException(broker.getMessage(), e));
            }
            Path truthFile = folder.work().resolve(TRUTH);
            // From here on only the file is trusted.
            TruthFile.write(truthFile, outcome.truth());
            console.accept("reading the committed results and judging them");
            Results results =
                    Results.read(
                            kafka.bootstrapServers(),
                            options,
                            capture,
                            survey,
                            TruthFile.read(truthFile));
            DemoReport report =
                    results.report(
                            new DemoReport.Settings(
                                    options.seed(),
                                    options.filter(),
                                    options.retryShare(),
                                    options.window().toMillis(),
                                    EMIT_EVERY.toMillis(),
                                    CHECKPOINT_INTERVAL.toMillis()),
                            outcome,
                            flows,
                            progress);
            ReportFiles.write(report, ReportFiles.DEMO, folder.work());
            folder.publish(List.of(TRUTH, TRUTH_COUNTERS, ReportFiles.HTML, ReportFiles.JSON));
            ending.take(report, kafka.bootstrapServers(), flink.webAddress());
            return report;
        }
    }

    private Faults faults() {
        Duration window = options.window();
        return Faults.builder()
                .seed(options.seed())
                .retryShare(options.retryShare())
                .retryDelay(
                        part(window, MEAN_RETRY_OF_WINDOW), part(window, LONGEST_RETRY_OF_WINDOW))
                .window(window)
                .reorder(REORDERED_SHARE, part(window, LATENESS_OF_WINDOW))
                .build();
    }

    private static Duration part(Duration whole, double share) {
        return Duration.ofMillis(Math.max(1, (long) (whole.toMillis() * share)));
    }

    private ReplayOptions replay(EmbeddedKafka kafka, Faults faults) {
        return ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), Pipeline.INPUT)
                .faults(faults)
                .malformed(MALFORMED_RECORDS)
                .brokerTimeout(BROKER_TIMEOUT)
                .build();
    }

    private CountersOptions job(EmbeddedKafka kafka, CaptureSurvey survey, Faults faults) {
        long expecting = Math.max(100, (long) (survey.operations() / survey.seconds()));
        long outOfOrder = survey.disorderMillis() + faults.reorderMaxMillis() + 1;
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                CountersOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                                CountersOptions.INPUT_TOPIC + "=" + Pipeline.INPUT,
                                CountersOptions.OUTPUT_TOPIC + "=" + Results.COUNTERS,
                                CountersOptions.DUPLICATES_TOPIC + "=" + Results.DUPLICATES,
                                CountersOptions.LATE_TOPIC + "=" + Results.LATE,
                                CountersOptions.DEAD_LETTER_TOPIC + "=" + Results.DEAD_LETTERS,
                                CountersOptions.COMPARE_TOPIC + "=" + Results.UNFILTERED,
                                CountersOptions.GROUP + "=" + Pipeline.GROUP,
                                CountersOptions.TRANSACTIONAL_ID_PREFIX + "=sluice-demo",
                                CountersOptions.COUNT_BY + "=" + options.countBy().code(),
                                CountersOptions.WITHIN + "=" + options.window().toMillis() + "ms",
                                CountersOptions.FPP + "=" + options.fpp(),
                                CountersOptions.EXPECTING + "=" + expecting,
                                CountersOptions.EMIT_EVERY + "=" + EMIT_EVERY.toMillis() + "ms",
                                CountersOptions.OUT_OF_ORDERNESS + "=" + outOfOrder + "ms",
                                CountersOptions.CHECKPOINT_INTERVAL
                                        + "="
                                        + CHECKPOINT_INTERVAL.toMillis()
                                        + "ms"));
        if (!options.filter()) {
            arguments.add(CountersOptions.NO_FILTER);
        }
        return CountersOptions.parse(arguments);
    }
}
