/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
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
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

    private static final long EMIT_MILLIS = 100;

    private static final String FILTERED = "figure-filtered";
    private static final String UNFILTERED = "figure-unfiltered";

    /** Capture times of the operations in ms, ascending. */
    private final long[] times;

    private long start;
    private Curve filtered;
    private Curve unfiltered;

    private FigureFourteenFifteen(long[] times) {
        this.times = times;
    }

    /**
     * One second of one curve.
     *
     * @param sum of all counters
     * @param truth operations with a timestamp up to the youngest counted one
     * @param latencyMillis median of the updates that became visible in this second, NaN if none
     *     did
     */
    private record Sample(double second, long sum, long truth, double latencyMillis) {}

    /** One of the two topics while it grows. */
    private final class Curve {
        private final CounterTopic topic;
        private final String name;
        private final List<Sample> samples = new ArrayList<>();
        private final List<Double> latencies = new ArrayList<>();
        private int sampled;
        private long youngest = Long.MIN_VALUE;

        private Curve(CounterTopic topic, String name) {
            this.topic = topic;
            this.name = name;
        }

        private void poll() {
            topic.poll(
                    (counter, value, timestamp) -> {
                        latencies.add(1e3 * seconds() - (timestamp - times[0]));
                        youngest = Math.max(youngest, timestamp);
                    });
        }

        private void sample() {
            List<Double> ofSecond = latencies.subList(sampled, latencies.size());
            double median = ofSecond.isEmpty() ? Double.NaN : percentile(ofSecond, 0.5);
            samples.add(new Sample(seconds(), topic.sum(), upTo(times, youngest), median));
            sampled = latencies.size();
        }

        private List<double[]> accuracy() {
            return samples.stream()
                    .filter(sample -> sample.truth > 0)
                    .map(s -> new double[] {s.second, (double) s.sum / s.truth})
                    .toList();
        }

        private List<double[]> latency() {
            return samples.stream()
                    .filter(sample -> !Double.isNaN(sample.latencyMillis))
                    .map(s -> new double[] {s.second, s.latencyMillis})
                    .toList();
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
        new FigureFourteenFifteen(times(capture)).run(report, directory, capture, seconds);
    }

    private void run(BenchReport report, Path directory, Path capture, int seconds)
            throws Exception {
        ExecutorService sender = Executors.newSingleThreadExecutor();
        int parallelism = EndToEnd.PARALLELISM;
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory);
                LocalFlink flink = LocalFlink.start(directory, parallelism, 1)) {
            String servers = kafka.bootstrapServers();
            FilledTopic.create(servers);
            kafka.createTopics(
                    parallelism,
                    FILTERED,
                    UNFILTERED,
                    FILTERED + "-duplicates",
                    FILTERED + "-late",
                    FILTERED + "-dead");
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.createLocalEnvironment(parallelism);
            CountersJob.define(
                    env,
                    CountersOptions.parse(
                            EndToEnd.arguments(
                                    kafka,
                                    FILTERED,
                                    CHECKPOINT_MILLIS,
                                    CountersOptions.COMPARE_TOPIC + "=" + UNFILTERED,
                                    CountersOptions.EMIT_EVERY + "=" + EMIT_MILLIS + "ms")));
            RunningJob job = flink.submit(env, "figures");
            job.awaitRunning(LIMIT);
            try (CounterTopic with = CounterTopic.open(servers, FILTERED);
                    CounterTopic without = CounterTopic.open(servers, UNFILTERED)) {
                filtered = new Curve(with, "with filter");
                unfiltered = new Curve(without, "without filter");
                start = System.nanoTime();
                CompletableFuture<Truth> truth =
                        CompletableFuture.supplyAsync(() -> replay(servers, capture), sender);
                double lost = watch(flink, truth, seconds / 2.0);
                Truth sent = truth.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                settle(sent.summary().sends());
                job.cancel();
                finish(report, sent, lost, job.restored());
            }
        } finally {
            sender.shutdownNow();
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
     * Samples both curves every second while the capture is sent; loses a TaskManager when {@code
     * loseAt} seconds have passed, and returns when it did.
     */
    private double watch(LocalFlink flink, CompletableFuture<Truth> truth, double loseAt)
            throws IOException {
        double lost = -1;
        int next = 1;
        while (!truth.isDone()) {
            filtered.poll();
            unfiltered.poll();
            if (lost < 0 && seconds() > loseAt) {
                lost = seconds();
                flink.replaceTaskManager(0);
            }
            if (seconds() >= next) {
                filtered.sample();
                unfiltered.sample();
                next++;
            }
        }
        return lost;
    }

    /** Waits until everything that was sent is counted, or nothing changes any more. */
    private void settle(long sends) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (System.nanoTime() < deadline && unfiltered.topic.sum() < sends) {
            filtered.poll();
            unfiltered.poll();
        }
        long drain = System.nanoTime() + Duration.ofMillis(4 * CHECKPOINT_MILLIS).toNanos();
        while (System.nanoTime() < drain) {
            filtered.poll();
        }
        filtered.sample();
        unfiltered.sample();
    }

    private static double percentile(List<Double> values, double share) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
    }

    private static long upTo(long[] times, long timestamp) {
        int found = Arrays.binarySearch(times, timestamp);
        int at = found < 0 ? -found - 1 : found;
        while (at < times.length && times[at] <= timestamp) {
            at++;
        }
        return at;
    }

    private static long[] times(Path capture) throws IOException {
        List<Long> times = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next()) {
                if (reader.packet().isIp()) {
                    times.add(reader.packet().timestampNanos() / 1_000_000);
                }
            }
        }
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    private void finish(BenchReport report, Truth truth, double lost, long restored)
            throws IOException {
        long operations = truth.summary().operationsSent();
        CsvTable table = new CsvTable("counters,second,sum,truth,median_latency_millis");
        Chart accuracy =
                Chart.linear(
                        "Figure 14: accuracy, sum of all counters over the truth",
                        "seconds",
                        "counted / true");
        Chart latency =
                Chart.linear(
                        "Figure 15: latency of counter updates",
                        "seconds",
                        "median of a second, ms");
        for (Curve curve : List.of(filtered, unfiltered)) {
            for (Sample sample : curve.samples) {
                Object median = Double.isNaN(sample.latencyMillis) ? "" : sample.latencyMillis;
                table.add(curve.name, sample.second, sample.sum, sample.truth, median);
            }
            accuracy.measured(curve.name, curve.accuracy());
            latency.measured(curve.name, curve.latency());
            String suffix = curve == filtered ? "filter" : "noFilter";
            double counted = (double) curve.topic.sum() / operations;
            report.add(
                    "kafka.fig14.countedOverTruth." + suffix, counted, "ratio", "", "at the end");
            String note = curve.latencies.size() + " updates, the loss included";
            double median = percentile(curve.latencies, 0.5);
            report.add("kafka.fig15.latencyMedianMillis." + suffix, median, "ms", "", note);
            double late = percentile(curve.latencies, 0.99);
            report.add("kafka.fig15.latencyP99Millis." + suffix, late, "ms", "", note);
        }
        report.table("kafka_fig14_fig15.csv", table);
        String loss = String.format(Locale.ROOT, "A TaskManager was lost after %.1f s. ", lost);
        report.add(
                accuracy.note(
                        loss
                                + "The truth is the number of operations captured up to the"
                                + " youngest operation that is counted. In between, operations that"
                                + " are retried much later are still missing; at the end the"
                                + " filtered sum is exact."));
        report.add(
                latency.note(
                        loss
                                + "From sending the youngest operation in a value to reading the"
                                + " committed value; checkpoints, which commit, are "
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
