/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Spread;
import io.sluice.capture.CaptureReader;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.record.CounterKind;
import io.sluice.replay.Pace;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Figures 14 and 15: accuracy and latency of counters, with the filter and without, in one job over
 * one stream with retries, sent at the pace of its capture; a TaskManager is lost on the way.
 *
 * <p>A counter's value becomes visible with the commit of a checkpoint. Its latency is measured
 * from the sending of the youngest operation in it, which at the capture's pace is known from its
 * timestamp.
 */
final class FigureFourteenFifteen {
    private static final long SEED = 2;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** Short, because it is a lower bound of the latency. */
    private static final long CHECKPOINT_MILLIS = 500;

    private static final String FILTERED = "figure-filtered";
    private static final String UNFILTERED = "figure-unfiltered";

    private final BenchReport report;

    /** Capture times of the operations in ms. */
    private final List<Long> times = new ArrayList<>();

    private long start;

    private FigureFourteenFifteen(BenchReport report) {
        this.report = report;
    }

    /** One of the two topics while it grows. */
    private final class Curve {
        private final CommittedCounters topic;
        private final String name;
        private final List<double[]> accuracy = new ArrayList<>();
        private final List<double[]> latency = new ArrayList<>();
        private final List<Double> latencies = new ArrayList<>();
        private int sampled;
        private long youngest = Long.MIN_VALUE;

        private Curve(CommittedCounters topic, String name) {
            this.topic = topic;
            this.name = name;
        }

        private void poll() {
            topic.poll(
                    (counter, value, timestamp) -> {
                        latencies.add(1e3 * seconds() - (timestamp - times.get(0)));
                        youngest = Math.max(youngest, timestamp);
                    });
        }

        /** Ends a second of the curve: operations up to the youngest counted one are the truth. */
        private void sample() {
            double second = seconds();
            long truth = times.stream().filter(time -> time <= youngest).count();
            if (truth > 0) {
                accuracy.add(new double[] {second, (double) topic.sum() / truth});
            }
            List<Double> ofSecond = latencies.subList(sampled, latencies.size());
            sampled = latencies.size();
            if (!ofSecond.isEmpty()) {
                latency.add(new double[] {second, Spread.of(ofSecond).median()});
            }
        }

        private void figures(String suffix, long operations) {
            double counted = (double) topic.sum() / operations;
            String name = "kafka.fig14.countedOverTruth." + suffix;
            report.add(name, counted, "ratio", "", "at the end");
            String note = latencies.size() + " updates, the loss included";
            double[] sorted =
                    latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            for (int percent : new int[] {50, 99}) {
                String which = percent == 50 ? "Median" : "P" + percent;
                double late = sorted[(int) (sorted.length * (percent / 100.0))];
                name = "kafka.fig15.latency" + which + "Millis." + suffix;
                report.add(name, late, "ms", "", note);
            }
        }
    }

    private double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    static void run(BenchReport report, Path directory) throws Exception {
        int seconds = report.quick() ? 20 : 60;
        long packets = seconds * 10_000L;
        report.progress(
                "figures 14 and 15: %d packets in %d s, a TaskManager lost", packets, seconds);
        Path capture = directory.resolve("figures.pcap");
        FilledTopic.capture(capture, packets, Duration.ofSeconds(seconds), SEED);
        FigureFourteenFifteen figure = new FigureFourteenFifteen(report);
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                if (reader.packet().isIp()) {
                    figure.times.add(reader.packet().timestampNanos() / 1_000_000);
                }
            }
        }
        figure.run(directory, capture, seconds);
    }

    private void run(Path directory, Path capture, int length) throws Exception {
        int parallelism = EndToEnd.PARALLELISM;
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory);
                LocalFlink flink = LocalFlink.start(directory, parallelism, 1)) {
            String servers = kafka.bootstrapServers();
            FilledTopic.create(servers);
            for (String name : List.of("", "-duplicates", "-late", "-dead")) {
                kafka.createTopics(parallelism, FILTERED + name);
            }
            kafka.createTopics(parallelism, UNFILTERED);
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.createLocalEnvironment(parallelism);
            List<String> arguments =
                    EndToEnd.arguments(
                            kafka,
                            FILTERED,
                            CHECKPOINT_MILLIS,
                            CountersOptions.COMPARE_TOPIC + "=" + UNFILTERED,
                            CountersOptions.EMIT_EVERY + "=100ms");
            CountersJob.define(env, CountersOptions.parse(arguments));
            RunningJob job = flink.submit(env, "figures");
            job.awaitRunning(LIMIT);
            try (CommittedCounters with = CommittedCounters.open(servers, FILTERED);
                    CommittedCounters without = CommittedCounters.open(servers, UNFILTERED)) {
                Curve filtered = new Curve(with, "with filter");
                Curve unfiltered = new Curve(without, "without filter");
                start = System.nanoTime();
                CompletableFuture<Truth> truth =
                        CompletableFuture.supplyAsync(
                                () -> replay(servers, capture),
                                sender -> new Thread(sender, "sender").start());
                double lost = watch(List.of(filtered, unfiltered), flink, truth, length / 2.0);
                Truth sent = truth.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                settle(filtered, unfiltered, sent.summary().sends());
                job.cancel();
                finish(filtered, unfiltered, sent, lost, job.restored());
            }
        }
    }

    private static Truth replay(String servers, Path capture) {
        try {
            return FilledTopic.fill(servers, capture, new Pace(1), SEED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Samples the curves every second while the capture is sent; loses a TaskManager when {@code
     * loseAt} seconds have passed, and returns when it did.
     */
    private double watch(
            List<Curve> curves, LocalFlink flink, CompletableFuture<Truth> truth, double loseAt)
            throws IOException {
        double lost = -1;
        int next = 1;
        while (!truth.isDone()) {
            curves.forEach(Curve::poll);
            if (lost < 0 && seconds() > loseAt) {
                lost = seconds();
                flink.replaceTaskManager(0);
            }
            if (seconds() >= next) {
                curves.forEach(Curve::sample);
                next++;
            }
        }
        return lost;
    }

    /** Waits until everything that was sent is counted, or nothing changes any more. */
    private void settle(Curve filtered, Curve unfiltered, long sends) {
        double deadline = seconds() + 30;
        while (seconds() < deadline && unfiltered.topic.sum() < sends) {
            filtered.poll();
            unfiltered.poll();
        }
        double drained = seconds() + 4 * CHECKPOINT_MILLIS / 1e3;
        while (seconds() < drained) {
            filtered.poll();
        }
        filtered.sample();
        unfiltered.sample();
    }

    private void finish(Curve filtered, Curve unfiltered, Truth truth, double lost, long restored)
            throws IOException {
        long operations = truth.summary().operationsSent();
        filtered.figures("filter", operations);
        unfiltered.figures("noFilter", operations);
        String loss = String.format(Locale.ROOT, "A TaskManager was lost after %.1f s. ", lost);
        report.add(
                Chart.linear(
                                "Figure 14: accuracy, sum of all counters over the truth",
                                "seconds",
                                "counted / true")
                        .measured(filtered.name, filtered.accuracy)
                        .measured(unfiltered.name, unfiltered.accuracy)
                        .note(
                                loss
                                        + "The truth is the number of operations captured up to the"
                                        + " youngest operation that is counted. In between,"
                                        + " operations that are retried much later are still"
                                        + " missing; at the end the filtered sum is exact."));
        report.add(
                Chart.linear(
                                "Figure 15: latency of counter updates",
                                "seconds",
                                "median of a second, ms")
                        .measured(filtered.name, filtered.latency)
                        .measured(unfiltered.name, unfiltered.latency)
                        .note(
                                loss
                                        + "From sending the youngest operation in a value to"
                                        + " reading the committed value; checkpoints, which commit,"
                                        + " are "
                                        + CHECKPOINT_MILLIS
                                        + " ms apart."));
        double with = (double) filtered.topic.sum() / operations;
        double without = (double) unfiltered.topic.sum() / operations;
        long over = filtered.topic.overcounted(truth, CounterKind.SOURCE);
        report.check(
                "kafka.lossOfATaskManager",
                restored > 0 && over == 0 && Math.abs(with - 1) < 1e-4 && without > 1.01,
                "%d restore(s) from a checkpoint; %d counted twice with the filter, %d without",
                restored,
                over,
                unfiltered.topic.sum() - operations);
    }
}
