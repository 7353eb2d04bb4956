/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.kafka.JobTrials.Trial;
import io.sluice.bench.report.BenchReport;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.record.CounterKind;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Records per second from a filled topic to committed results, and the same with parts left out.
 */
final class EndToEnd {
    static final int PARALLELISM = 2;

    /** Results become visible with a checkpoint, so the measured time ends with one. */
    private static final long CHECKPOINT_MILLIS = 2000;

    /** Operations per second of capture time that the filters are sized for. */
    static final long EXPECTED_PER_SECOND = 12_500;

    private final BenchReport report;
    private final EmbeddedKafka kafka;
    private final Path directory;
    private final Truth truth;
    private final long records;

    private EndToEnd(BenchReport report, EmbeddedKafka kafka, Path directory, Truth truth) {
        this.report = report;
        this.kafka = kafka;
        this.directory = directory;
        this.truth = truth;
        this.records = truth.summary().recordsOnTopic();
    }

    /**
     * Runs the jobs in turns over the filled topic; the counter job runs once before, to warm up.
     *
     * @param truth of what is on the topic
     */
    static void run(
            BenchReport report, EmbeddedKafka kafka, Path directory, Truth truth, int rounds)
            throws IOException {
        new EndToEnd(report, kafka, directory, truth).run(rounds);
    }

    private void run(int rounds) throws IOException {
        String copy = "KafkaSource, keyBy, map, EXACTLY_ONCE KafkaSink of short strings, defaults";
        Trial counters =
                new Trial(
                        "endToEnd",
                        "the counter job, changed counters written every second",
                        "kafka.endToEnd.perSecond",
                        copy,
                        ">= 300000",
                        (name, round) -> {
                            TimedJob job = counters(name);
                            check(name, round);
                            return job;
                        });
        List<Trial> trials =
                List.of(
                        counters,
                        part(
                                "everyUpdate",
                                "the counter job, a record written for every operation",
                                name -> counters(name, CountersOptions.EMIT_EVERY + "=0ms")),
                        part(
                                "withoutFilter",
                                "the counter job without its filter",
                                name -> counters(name, CountersOptions.NO_FILTER)),
                        part(
                                "readOnly",
                                "KafkaSource to nowhere, defaults",
                                name -> plain(name, PlainJob::read)),
                        part("plainCopy", copy, name -> plain(name, job -> job.copy(name))));
        JobTrials jobs = new JobTrials(report, "", records);
        report.table("kafka.csv", jobs.run(trials, List.of(counters), rounds));
    }

    /** Runs a job under a name. */
    @FunctionalInterface
    private interface Named {
        TimedJob run(String name) throws IOException;
    }

    private static Trial part(String id, String title, Named run) {
        String figure = "kafka." + id + ".perSecond";
        return new Trial(id, title, figure, "", "", (name, round) -> run.run(name));
    }

    private TimedJob counters(String name, String... more) throws IOException {
        kafka.createTopics(PARALLELISM, name, name + "-duplicates", name + "-late", name + "-dead");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        CountersJob.define(env, options(kafka, name, more));
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    private TimedJob plain(String name, Consumer<PlainJob> part) throws IOException {
        kafka.createTopics(PARALLELISM, name);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        part.accept(
                new PlainJob(env, kafka.bootstrapServers(), FilledTopic.NAME, CHECKPOINT_MILLIS));
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    /** Of the counter job over the filled topic, which ends with it. */
    static CountersOptions options(EmbeddedKafka kafka, String name, String... more) {
        List<String> arguments = arguments(kafka, name, CHECKPOINT_MILLIS, CountersOptions.BOUNDED);
        arguments.add(CountersOptions.EXPECTING + "=" + EXPECTED_PER_SECOND);
        arguments.addAll(List.of(more));
        return CountersOptions.parse(arguments);
    }

    /**
     * Of any counter job over packets, writing to topics that begin with {@code name}; and more.
     */
    static List<String> arguments(
            EmbeddedKafka kafka, String name, long checkpointMillis, String... more) {
        return arguments(kafka, FilledTopic.NAME, name, checkpointMillis, more);
    }

    /** The same over any topic. */
    static List<String> arguments(
            EmbeddedKafka kafka, String input, String name, long checkpointMillis, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                CountersOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                                CountersOptions.INPUT_TOPIC + "=" + input,
                                CountersOptions.OUTPUT_TOPIC + "=" + name,
                                CountersOptions.DUPLICATES_TOPIC + "=" + name + "-duplicates",
                                CountersOptions.LATE_TOPIC + "=" + name + "-late",
                                CountersOptions.DEAD_LETTER_TOPIC + "=" + name + "-dead",
                                CountersOptions.TRANSACTIONAL_ID_PREFIX + "=" + name,
                                CountersOptions.CHECKPOINT_INTERVAL + "=" + checkpointMillis + "ms",
                                CountersOptions.PARALLELISM + "=" + PARALLELISM));
        arguments.addAll(List.of(more));
        return arguments;
    }

    /** A fast job that counts wrongly would be worthless. */
    private void check(String topic, int round) {
        CommittedCounters counters = CommittedCounters.readAll(kafka.bootstrapServers(), topic);
        long operations = truth.summary().operationsSent();
        long over = counters.overcounted(truth, CounterKind.SOURCE);
        long missing = operations - counters.sum();
        report.check(
                "kafka.counters.round" + round,
                over == 0 && missing <= 5 + operations / 100_000,
                "of %d operations %d counted twice, %d missed",
                operations,
                over,
                missing);
    }
}
