/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Spread;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Figure 15 for a client: how long an operation takes until it is acknowledged, with the filter and
 * without. A client sends batches of 50 operations at a constant rate, and reads the committed
 * records of the job's acknowledgements.
 *
 * <p>An operation's time begins when its batch is due, not when the client comes to send it, so
 * that a pause is part of the time of all operations that wait for it.
 */
final class AcknowledgedLatency {
    static final int BATCH = 50;

    private static final int PER_SECOND = 10_000;
    private static final int COUNTERS = 1_000;

    /** A lower bound of the largest latency, since a checkpoint commits acknowledgements. */
    private static final long CHECKPOINT_MILLIS = 100;

    /** Of the operations of a run, the first of which find a job that begins: one in so many. */
    private static final int WARMING = 5;

    private static final int PERCENT = 100;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final BenchReport report;
    private final EmbeddedKafka kafka;
    private final Path directory;
    private final int operations;

    private AcknowledgedLatency(
            BenchReport report, EmbeddedKafka kafka, Path directory, int operations) {
        this.report = report;
        this.kafka = kafka;
        this.directory = directory;
        this.operations = operations;
    }

    static void run(BenchReport report, Path directory) throws Exception {
        run(report, directory, report.quick() ? 10 : 30, report.quick() ? 1 : 5);
    }

    /**
     * Runs both in turns, after a run with the filter that is not measured.
     *
     * @param seconds of each run
     * @param rounds of runs with and without the filter
     */
    static void run(BenchReport report, Path directory, int seconds, int rounds) throws Exception {
        report.progress(
                "figure 15: %d round(s) of %d s with the filter and without, batches of %d",
                rounds, seconds, BATCH);
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
            new AcknowledgedLatency(report, kafka, directory, seconds * PER_SECOND).run(rounds);
        }
    }

    private void run(int rounds) throws Exception {
        List<double[]> filtered = new ArrayList<>();
        List<double[]> unfiltered = new ArrayList<>();
        // Else the first round would find a JVM that is colder for one of them.
        latencies("acknowledged-warming");
        for (int round = 0; round < rounds; round++) {
            filtered.add(latencies("acknowledged-filter-" + round));
            unfiltered.add(latencies("acknowledged-no-filter-" + round, CountersOptions.NO_FILTER));
        }
        for (int percent : new int[] {50, 99}) {
            String name = "kafka.fig15.acknowledged" + (percent == 50 ? "Median" : "P99");
            add(name + "Millis.filter", percent, filtered);
            add(name + "Millis.noFilter", percent, unfiltered);
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                ratios.add(
                        percentile(filtered.get(round), percent)
                                / percentile(unfiltered.get(round), percent));
            }
            report.ratio(
                    name + "RatioToNoFilter", Spread.of(ratios), "the job without its filter", "");
        }
        report.add(
                Chart.linear(
                                "Figure 15: latency of acknowledged operations",
                                "percent of the operations",
                                "ms at most")
                        .measured("with filter", distribution(filtered))
                        .measured("without filter", distribution(unfiltered))
                        .note(
                                "From the time at which a batch of "
                                        + BATCH
                                        + " operations is due to reading the committed"
                                        + " acknowledgement; checkpoints, which commit, are "
                                        + CHECKPOINT_MILLIS
                                        + " ms apart. Medians of "
                                        + rounds
                                        + " round(s)."));
    }

    private void add(String name, int percent, List<double[]> rounds) {
        Spread spread = spread(rounds, percent);
        report.add(
                name,
                spread.median(),
                "ms",
                "",
                "%s; batches of %d, %d operations/s, checkpoints every %d ms",
                spread,
                BATCH,
                PER_SECOND,
                CHECKPOINT_MILLIS);
    }

    private static Spread spread(List<double[]> rounds, int percent) {
        return Spread.of(rounds.stream().map(sorted -> percentile(sorted, percent)).toList());
    }

    private static double percentile(double[] sorted, int percent) {
        return sorted[(int) ((long) sorted.length * percent / PERCENT)];
    }

    private static List<double[]> distribution(List<double[]> rounds) {
        List<double[]> points = new ArrayList<>();
        for (int percent = 1; percent < PERCENT; percent++) {
            points.add(new double[] {percent, spread(rounds, percent).median()});
        }
        return points;
    }

    /** Returns the latencies of the operations of one run in ms, sorted. */
    private double[] latencies(String name, String... more) throws Exception {
        String input = name + "-input";
        String acks = name + "-acks";
        kafka.createTopics(
                EndToEnd.PARALLELISM, input, acks, name, name + "-duplicates", name + "-late");
        kafka.createTopics(EndToEnd.PARALLELISM, name + "-dead");
        List<String> arguments =
                new ArrayList<>(EndToEnd.arguments(kafka, input, name, CHECKPOINT_MILLIS, more));
        arguments.add(CountersOptions.ACKS_TOPIC + "=" + acks);
        arguments.add(CountersOptions.COUNTER + "=json:/counter");
        arguments.add("--id=json:/id");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(EndToEnd.PARALLELISM);
        CountersJob.define(env, CountersOptions.parse(arguments));
        Acknowledgements acknowledgements = new Acknowledgements(operations);
        try (LocalFlink flink = LocalFlink.start(directory, EndToEnd.PARALLELISM, 1);
                CommittedRecords committed = new CommittedRecords(kafka.bootstrapServers(), acks)) {
            RunningJob job = flink.submit(env, name);
            job.awaitRunning(LIMIT);
            long start = System.nanoTime();
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(
                            () -> send(input, start), sender -> new Thread(sender, name).start());
            long end = start + due(operations) + LIMIT.toNanos();
            while (acknowledgements.count < operations && System.nanoTime() < end) {
                committed.poll(
                        record ->
                                acknowledgements.take(
                                        Integer.parseInt(new String(record.key(), US_ASCII)),
                                        System.nanoTime() - start));
            }
            sent.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            job.stopWithSavepoint(true);
            committed.pollAll(
                    record ->
                            acknowledgements.take(
                                    Integer.parseInt(new String(record.key(), US_ASCII)),
                                    System.nanoTime() - start));
        }
        report.check(
                "kafka." + name,
                acknowledgements.count == operations && acknowledgements.repeated == 0,
                "of %d operations %d acknowledged, %d more than once",
                operations,
                acknowledgements.count,
                acknowledgements.repeated);
        return acknowledgements.sortedMillis();
    }

    /** Returns when an operation is due, in ns after the first. */
    private static long due(int operation) {
        long batch = operation / BATCH;
        return TimeUnit.SECONDS.toNanos(batch * BATCH) / PER_SECOND;
    }

    private void send(String topic, long start) {
        Map<String, Object> settings =
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int operation = 0; operation < operations; operation++) {
                long wait = start + due(operation) - System.nanoTime();
                while (wait > 0) {
                    LockSupport.parkNanos(wait);
                    wait = start + due(operation) - System.nanoTime();
                }
                String text =
                        "{\"id\":" + operation + ",\"counter\":\"c-" + operation % COUNTERS + "\"}";
                // One that does not arrive is not acknowledged.
                var unused = producer.send(new ProducerRecord<>(topic, text.getBytes(US_ASCII)));
            }
        }
    }

    /** When operations were acknowledged. Not thread-safe. */
    private static final class Acknowledgements {
        /** In ns after the first batch was due; 0 if not yet. */
        private final long[] times;

        private int count;
        private int repeated;

        Acknowledgements(int operations) {
            times = new long[operations];
        }

        void take(int operation, long time) {
            if (times[operation] == 0) {
                times[operation] = time;
                count++;
            } else {
                repeated++;
            }
        }

        double[] sortedMillis() {
            int first = times.length / WARMING;
            double[] millis = new double[times.length - first];
            for (int i = first; i < times.length; i++) {
                millis[i - first] = (times[i] - due(i)) / 1e6;
            }
            Arrays.sort(millis);
            return millis;
        }
    }
}
