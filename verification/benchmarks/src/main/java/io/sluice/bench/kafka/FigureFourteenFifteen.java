/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.capture.CaptureReader;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.local.EmbeddedKafka;
import io.sluice.local.LocalFlink;
import io.sluice.local.RunningJob;
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
    private static final int PARALLELISM = 2;
    private static final long SEED = 2;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** Short, because it is a lower bound of the latency. */
    private static final long CHECKPOINT_MILLIS = 500;

    private static final long EMIT_MILLIS = 100;

    private static final String FILTERED = "figure-filtered";
    private static final String UNFILTERED = "figure-unfiltered";

    /**
     * One second of one curve.
     *
     * @param sum of all counters
     * @param truth operations with a timestamp up to the youngest counted one
     * @param latencyMillis median of the updates that became visible in this second
     */
    private record Sample(double second, long sum, long truth, double latencyMillis) {}

    /** One of the two topics while it grows. */
    private static final class Curve {
        private final CounterTopic topic;
        private final List<Sample> samples = new ArrayList<>();
        private final List<Double> latencies = new ArrayList<>();
        private final List<Double> all = new ArrayList<>();
        private long youngest = Long.MIN_VALUE;

        private Curve(CounterTopic topic) {
            this.topic = topic;
        }
    }

    private FigureFourteenFifteen() {}

    static void run(BenchReport report, Path directory) throws Exception {
        int seconds = report.quick() ? 20 : 60;
        long packets = seconds * 10_000L;
        report.progress(
                "figures 14 and 15: "
                        + packets
                        + " packets in "
                        + seconds
                        + " s, a TaskManager lost");
        Path capture = directory.resolve("figures.pcap");
        FilledTopic.capture(capture, packets, Duration.ofSeconds(seconds), SEED);
        long[] times = times(capture);
        ExecutorService sender = Executors.newSingleThreadExecutor();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory);
                LocalFlink flink = LocalFlink.start(directory, PARALLELISM, 1)) {
            FilledTopic.create(kafka.bootstrapServers());
            kafka.createTopics(
                    PARALLELISM,
                    FILTERED,
                    UNFILTERED,
                    FILTERED + "-duplicates",
                    FILTERED + "-late",
                    FILTERED + "-dead");
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
            CountersJob.define(env, options(kafka));
            RunningJob job = flink.submit(env, "figures");
            job.awaitRunning(LIMIT);
            try (CounterTopic with = CounterTopic.open(kafka.bootstrapServers(), FILTERED);
                    CounterTopic without =
                            CounterTopic.open(kafka.bootstrapServers(), UNFILTERED)) {
                Curve filtered = new Curve(with);
                Curve unfiltered = new Curve(without);
                long start = System.nanoTime();
                CompletableFuture<Truth> truth =
                        CompletableFuture.supplyAsync(() -> replay(kafka, capture), sender);
                double lost = watch(flink, truth, filtered, unfiltered, times, start, seconds);
                Truth sent = truth.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                settle(filtered, unfiltered, sent, times, start);
                job.cancel();
                finish(report, filtered, unfiltered, sent, lost, job.restored());
            }
        } finally {
            sender.shutdownNow();
        }
    }

    private static Truth replay(EmbeddedKafka kafka, Path capture) {
        try {
            return FilledTopic.fill(kafka.bootstrapServers(), capture, new Pace(1), SEED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CountersOptions options(EmbeddedKafka kafka) {
        return CountersOptions.parse(
                CountersOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                CountersOptions.INPUT_TOPIC + "=" + FilledTopic.NAME,
                CountersOptions.OUTPUT_TOPIC + "=" + FILTERED,
                CountersOptions.COMPARE_TOPIC + "=" + UNFILTERED,
                CountersOptions.DUPLICATES_TOPIC + "=" + FILTERED + "-duplicates",
                CountersOptions.LATE_TOPIC + "=" + FILTERED + "-late",
                CountersOptions.DEAD_LETTER_TOPIC + "=" + FILTERED + "-dead",
                CountersOptions.TRANSACTIONAL_ID_PREFIX + "=" + FILTERED,
                CountersOptions.CHECKPOINT_INTERVAL + "=" + CHECKPOINT_MILLIS + "ms",
                CountersOptions.EMIT_EVERY + "=" + EMIT_MILLIS + "ms",
                CountersOptions.PARALLELISM + "=" + PARALLELISM);
    }

    /** Samples both curves every second while the capture is sent; loses a TaskManager halfway. */
    private static double watch(
            LocalFlink flink,
            CompletableFuture<Truth> truth,
            Curve filtered,
            Curve unfiltered,
            long[] times,
            long start,
            int seconds)
            throws IOException {
        double lost = -1;
        int next = 1;
        while (!truth.isDone()) {
            poll(filtered, times, start);
            poll(unfiltered, times, start);
            double now = (System.nanoTime() - start) / 1e9;
            if (lost < 0 && now > seconds / 2.0) {
                flink.replaceTaskManager(0);
                lost = now;
            }
            if (now >= next) {
                sample(filtered, times, now);
                sample(unfiltered, times, now);
                next++;
            }
        }
        return lost;
    }

    /** Waits until everything that was sent is counted, or nothing changes any more. */
    private static void settle(
            Curve filtered, Curve unfiltered, Truth truth, long[] times, long start) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        long sends = truth.summary().sends();
        while (System.nanoTime() < deadline && unfiltered.topic.sum() < sends) {
            poll(filtered, times, start);
            poll(unfiltered, times, start);
        }
        long drain = System.nanoTime() + Duration.ofMillis(4 * CHECKPOINT_MILLIS).toNanos();
        while (System.nanoTime() < drain) {
            poll(filtered, times, start);
        }
        double now = (System.nanoTime() - start) / 1e9;
        sample(filtered, times, now);
        sample(unfiltered, times, now);
    }

    private static void poll(Curve curve, long[] times, long start) {
        curve.topic.poll(
                (counter, value, timestamp) -> {
                    double sent = timestamp - times[0];
                    double visible = (System.nanoTime() - start) / 1e6;
                    curve.latencies.add(visible - sent);
                    curve.youngest = Math.max(curve.youngest, timestamp);
                });
    }

    private static void sample(Curve curve, long[] times, double now) {
        double latency = Double.NaN;
        if (!curve.latencies.isEmpty()) {
            latency = percentile(curve.latencies, 0.5);
            curve.all.addAll(curve.latencies);
            curve.latencies.clear();
        }
        curve.samples.add(new Sample(now, curve.topic.sum(), upTo(times, curve.youngest), latency));
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

    /** Capture times in ms, ascending. */
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

    private static void finish(
            BenchReport report,
            Curve filtered,
            Curve unfiltered,
            Truth truth,
            double lost,
            long restored)
            throws IOException {
        long operations = truth.summary().operationsSent();
        CsvTable table = new CsvTable("counters,second,sum,truth,median_latency_millis");
        rows(table, "with filter", filtered);
        rows(table, "without filter", unfiltered);
        report.table("kafka_fig14_fig15.csv", table);
        String loss = String.format(Locale.ROOT, "A TaskManager was lost after %.1f s. ", lost);
        report.add(
                Chart.linear(
                                "Figure 14: accuracy, sum of all counters over the truth",
                                "seconds",
                                "counted / true")
                        .measured("with filter", accuracy(filtered))
                        .measured("without filter", accuracy(unfiltered))
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
                        .measured("with filter", latency(filtered))
                        .measured("without filter", latency(unfiltered))
                        .note(
                                loss
                                        + "From sending the youngest operation in a value to"
                                        + " reading the committed value; checkpoints, which commit,"
                                        + " are "
                                        + CHECKPOINT_MILLIS
                                        + " ms apart."));
        double with = (double) filtered.topic.sum() / operations;
        double without = (double) unfiltered.topic.sum() / operations;
        report.add(figure("kafka.fig14.countedOverTruth.filter", with, "ratio", "at the end"));
        report.add(figure("kafka.fig14.countedOverTruth.noFilter", without, "ratio", "at the end"));
        for (double share : new double[] {0.5, 0.99}) {
            String suffix = share == 0.5 ? "Median" : "P99";
            report.add(
                    figure(
                            "kafka.fig15.latency" + suffix + "Millis.filter",
                            percentile(filtered.all, share),
                            "ms",
                            filtered.all.size() + " updates, the loss included"));
            report.add(
                    figure(
                            "kafka.fig15.latency" + suffix + "Millis.noFilter",
                            percentile(unfiltered.all, share),
                            "ms",
                            unfiltered.all.size() + " updates, the loss included"));
        }
        long over = filtered.topic.overcounted(truth, CounterKind.SOURCE);
        report.check(
                "kafka.lossOfATaskManager",
                restored > 0 && over == 0 && Math.abs(with - 1) < 1e-4 && without > 1.01,
                restored
                        + " restore(s) from a checkpoint; "
                        + over
                        + " counted twice with the filter, "
                        + (unfiltered.topic.sum() - operations)
                        + " without");
    }

    private static Figure figure(String name, double value, String unit, String note) {
        return new Figure(name, value, unit, "", "", note);
    }

    private static void rows(CsvTable table, String name, Curve curve) {
        for (Sample sample : curve.samples) {
            table.add(
                    name,
                    sample.second,
                    sample.sum,
                    sample.truth,
                    Double.isNaN(sample.latencyMillis) ? "" : sample.latencyMillis);
        }
    }

    private static List<double[]> accuracy(Curve curve) {
        return curve.samples.stream()
                .filter(sample -> sample.truth > 0)
                .map(s -> new double[] {s.second, (double) s.sum / s.truth})
                .toList();
    }

    private static List<double[]> latency(Curve curve) {
        return curve.samples.stream()
                .filter(sample -> !Double.isNaN(sample.latencyMillis))
                .map(s -> new double[] {s.second, s.latencyMillis})
                .toList();
    }
}
