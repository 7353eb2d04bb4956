/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.kafka.JobTrials.Trial;
import io.sluice.bench.report.BenchReport;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.FilterArguments;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The job that deduplicates a topic, over JSON records, beside one that only copies them; and once
 * with a TaskManager lost and another parallelism on the way. Every id of every output is counted.
 */
final class DedupEndToEnd {
    static final int PARALLELISM = 2;
    static final int PARTITIONS_OF_OUTPUT = 4;
    static final long CHECKPOINT_MILLIS = 2000;
    private static final Duration LIMIT = Duration.ofMinutes(30);
    static final double FPP = 1e-6;
    static final Duration WINDOW = Duration.ofDays(1);
    static final String WITHIN = DedupOptions.WITHIN + "=1 d";
    static final String BY_POINTER = DedupOptions.ID + "=" + OrdersTopic.POINTER;

    private final BenchReport report;
    private final EmbeddedKafka kafka;
    private final Path directory;
    private final long records;
    private final int ids;

    private DedupEndToEnd(
            BenchReport report, EmbeddedKafka kafka, Path directory, long records, int ids) {
        this.report = report;
        this.kafka = kafka;
        this.directory = directory;
        this.records = records;
        this.ids = ids;
    }

    /** Fills the topic and runs everything. */
    static void run(
            BenchReport report, EmbeddedKafka kafka, Path directory, long records, int rounds)
            throws IOException {
        long start = System.nanoTime();
        int ids = OrdersTopic.fill(kafka, records);
        report.progress(
                "    %,d JSON records of %,d ids sent at %,.0f/s",
                records, ids, records * 1e9 / (System.nanoTime() - start));
        new DedupEndToEnd(report, kafka, directory, records, ids).run(rounds);
    }

    private void run(int rounds) throws IOException {
        String copy = "KafkaSource, keyBy, EXACTLY_ONCE KafkaSink of the same bytes, defaults";
        Trial within =
                trial(
                        "within",
                        "sluice job dedup --within \"1 d\", by a JSON pointer",
                        copy,
                        (name, round) -> dedup(name, WITHIN, BY_POINTER));
        List<Trial> trials =
                List.of(
                        within,
                        trial(
                                "forever",
                                "sluice job dedup --forever, by a JSON pointer",
                                copy,
                                (name, round) -> dedup(name, DedupOptions.FOREVER, BY_POINTER)),
                        trial(
                                "wholeValue",
                                "sluice job dedup --within \"1 d\" --id value",
                                copy,
                                (name, round) -> dedup(name, WITHIN, DedupOptions.ID + "=value")),
                        trial("copy", copy, "", (name, round) -> copy(name)));
        JobTrials jobs = new JobTrials(report, OrdersTopic.NAME + "-", records);
        report.table("kafka-dedup.csv", jobs.run(trials, List.of(within), rounds));
        throughFailureAndRescaling();
    }

    private static Trial trial(String id, String title, String peer, JobTrials.Run run) {
        return new Trial(id, title, "kafka.dedup." + id + ".perSecond", peer, "", run);
    }

    private TimedJob copy(String name) throws IOException {
        kafka.createTopics(PARALLELISM, name);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        new PlainJob(env, kafka.bootstrapServers(), OrdersTopic.NAME, CHECKPOINT_MILLIS)
                .copyBytes(name);
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    private TimedJob dedup(String name, String... more) throws IOException {
        List<String> all = new ArrayList<>(List.of(more));
        all.add(DedupOptions.BOUNDED);
        kafka.createTopics(PARTITIONS_OF_OUTPUT, name, name + "-dead");
        StreamExecutionEnvironment env = environment(options(name, PARALLELISM, all), PARALLELISM);
        TimedJob job = TimedJob.run(directory, env, PARALLELISM, name, records);
        check(name);
        return job;
    }

    private DedupOptions options(String name, int parallelism, List<String> more) {
        return options(kafka, name, parallelism, more);
    }

    /** Of a job over the filled topic that writes to {@code name}. */
    static DedupOptions options(
            EmbeddedKafka kafka, String name, int parallelism, List<String> more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                DedupOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                                DedupOptions.INPUT_TOPIC + "=" + OrdersTopic.NAME,
                                DedupOptions.OUTPUT_TOPIC + "=" + name,
                                DedupOptions.DEAD_LETTER_TOPIC + "=" + name + "-dead",
                                DedupOptions.CHECKPOINT_INTERVAL + "=" + CHECKPOINT_MILLIS + "ms",
                                DedupOptions.FPP + "=" + FPP,
                                DedupOptions.PARALLELISM + "=" + parallelism));
        arguments.addAll(more);
        return DedupOptions.parse(arguments.toArray(String[]::new));
    }

    private void throughFailureAndRescaling() throws IOException {
        String name = OrdersTopic.NAME + "-beaten";
        // Half the parallelism is half the memory: filters that are made for many more ids than
        // come
        // would then lack it.
        String expecting = FilterArguments.EXPECTING + "=" + (1 + ids / WINDOW.toSeconds());
        List<String> more = List.of(WITHIN, BY_POINTER, expecting);
        kafka.createTopics(PARTITIONS_OF_OUTPUT, name, name + "-dead");
        try (LocalFlink flink = LocalFlink.start(directory, PARALLELISM, 1)) {
            DedupOptions first = options(name, PARALLELISM, more);
            RunningJob job = flink.submit(environment(first, PARALLELISM), name);
            awaitRead(flink, job, records / 4);
            job.checkpoint();
            awaitRead(flink, job, records / 3);
            flink.replaceTaskManager(0);
            job.await("restored", LIMIT, () -> job.restored() > 0);
            job.awaitRunning(LIMIT);
            awaitRead(flink, job, records / 2);
            String savepoint = job.stopWithSavepoint(false);
            RunningJob rescaled =
                    flink.submit(environment(options(name, 1, more), 1), name, savepoint);
            rescaled.await(
                    "at the end",
                    LIMIT,
                    () -> CommittedRecords.count(kafka.bootstrapServers(), name) >= ids - 10);
            rescaled.stopWithSavepoint(true);
            report.progress("    lost a TaskManager, and continued at parallelism 1");
        }
        check(name);
    }

    static StreamExecutionEnvironment environment(DedupOptions options, int parallelism) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(parallelism);
        DedupJob.define(env, options);
        return env;
    }

    private static void awaitRead(LocalFlink flink, RunningJob job, long records)
            throws IOException {
        job.await(
                "through " + records + " records",
                LIMIT,
                () ->
                        flink.metrics().total("Source: " + DedupJob.SOURCE, "numRecordsOut")
                                >= records);
    }

    private void check(String topic) {
        CommittedIds.Count count = OrdersTopic.count(kafka, topic, ids);
        check(report, "kafka.dedup." + topic, count, ids, allowedMissing(ids));
    }

    /** How many of {@code ids} new ids the filter may take for duplicates. */
    static double allowedMissing(int ids) {
        return 5 + 3 * ids * FPP;
    }

    /** A job that loses ids, or lets them pass twice, would be worthless. */
    static void check(
            BenchReport report,
            String name,
            CommittedIds.Count count,
            int ids,
            double allowedMissing) {
        report.check(
                name,
                count.twice() == 0 && count.missing() <= allowedMissing,
                "of %d ids %d missing, %d records twice",
                ids,
                count.missing(),
                count.twice());
    }
}
