/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.job.DedupJob;
import io.sluice.job.DedupOptions;
import io.sluice.local.EmbeddedKafka;
import io.sluice.local.LocalFlink;
import io.sluice.local.RunningJob;
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
    private static final int PARALLELISM = 2;
    private static final int PARTITIONS_OF_OUTPUT = 4;
    private static final long CHECKPOINT_MILLIS = 2000;
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final double FPP = 1e-6;

    /** Jobs over the same topic. */
    private enum Variant implements JobsInTurns.Variant {
        WITHIN("within", "sluice job dedup --within \"1 d\", by a JSON pointer"),
        FOREVER("forever", "sluice job dedup --forever, by a JSON pointer"),
        WHOLE_VALUE("wholeValue", "sluice job dedup --within \"1 d\" --id value"),
        COPY("copy", "KafkaSource, keyBy, EXACTLY_ONCE KafkaSink of the same bytes, defaults");

        private final String id;
        private final String title;

        Variant(String id, String title) {
            this.id = id;
            this.title = title;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public String title() {
            return title;
        }
    }

    private DedupEndToEnd() {}

    /** Fills the topic and runs everything. */
    static void run(
            BenchReport report, EmbeddedKafka kafka, Path directory, long records, int rounds)
            throws IOException {
        long start = System.nanoTime();
        int ids = OrdersTopic.fill(kafka, records);
        report.progress(
                "    %,d JSON records of %,d ids sent at %,.0f/s",
                records, ids, records * 1e9 / (System.nanoTime() - start));
        JobsInTurns<Variant> jobs = new JobsInTurns<>(report, records);
        jobs.run(
                List.of(Variant.values()),
                List.of(Variant.WITHIN),
                rounds,
                (variant, round) -> {
                    String name = OrdersTopic.NAME + "-" + variant.id + "-" + round;
                    TimedJob run = once(kafka, directory, variant, name, records);
                    if (variant != Variant.COPY) {
                        check(report, kafka, name, ids);
                    }
                    return run;
                });
        throughFailureAndRescaling(report, kafka, directory, records, ids);
        report.table("kafka-dedup.csv", jobs.table());
        for (Variant variant : Variant.values()) {
            jobs.figure(
                    variant,
                    "kafka.dedup." + variant.id + ".perSecond",
                    variant == Variant.COPY ? "" : Variant.COPY.title,
                    "");
        }
    }

    private static TimedJob once(
            EmbeddedKafka kafka, Path directory, Variant variant, String name, long records)
            throws IOException {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        if (variant == Variant.COPY) {
            kafka.createTopics(PARALLELISM, name);
            new PlainJob(env, kafka.bootstrapServers(), OrdersTopic.NAME, CHECKPOINT_MILLIS)
                    .copyBytes(name);
        } else {
            List<String> more =
                    switch (variant) {
                        case FOREVER -> List.of(DedupOptions.FOREVER, id(OrdersTopic.POINTER));
                        case WHOLE_VALUE -> List.of(within(), id("value"));
                        default -> List.of(within(), id(OrdersTopic.POINTER));
                    };
            kafka.createTopics(PARTITIONS_OF_OUTPUT, name, name + "-dead");
            DedupJob.define(env, options(kafka, name, PARALLELISM, true, more));
        }
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    private static String within() {
        return DedupOptions.WITHIN + "=1 d";
    }

    private static String id(String field) {
        return DedupOptions.ID + "=" + field;
    }

    private static DedupOptions options(
            EmbeddedKafka kafka, String name, int parallelism, boolean bounded, List<String> more) {
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
        if (bounded) {
            arguments.add(DedupOptions.BOUNDED);
        }
        arguments.addAll(more);
        return DedupOptions.parse(arguments.toArray(String[]::new));
    }

    private static void throughFailureAndRescaling(
            BenchReport report, EmbeddedKafka kafka, Path directory, long records, int ids)
            throws IOException {
        String name = OrdersTopic.NAME + "-beaten";
        List<String> more = List.of(within(), id(OrdersTopic.POINTER));
        kafka.createTopics(PARTITIONS_OF_OUTPUT, name, name + "-dead");
        DedupOptions first = options(kafka, name, PARALLELISM, false, more);
        try (LocalFlink flink = LocalFlink.start(directory, PARALLELISM, 1)) {
            RunningJob job = flink.submit(environment(first, PARALLELISM), name);
            awaitRead(flink, job, records / 4);
            job.checkpoint();
            awaitRead(flink, job, records / 3);
            flink.replaceTaskManager(0);
            job.await("restored", LIMIT, () -> job.restored() > 0);
            job.awaitRunning(LIMIT);
            awaitRead(flink, job, records / 2);
            String savepoint = job.stopWithSavepoint(false);

            DedupOptions second = options(kafka, name, 1, false, more);
            RunningJob rescaled = flink.submit(environment(second, 1), name, savepoint);
            rescaled.await(
                    "at the end",
                    LIMIT,
                    () -> CommittedRecords.count(kafka.bootstrapServers(), name) >= ids - 10);
            rescaled.stopWithSavepoint(true);
            report.progress("    lost a TaskManager, and continued at parallelism 1");
        }
        check(report, kafka, name, ids);
    }

    private static StreamExecutionEnvironment environment(DedupOptions options, int parallelism) {
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

    private static void check(BenchReport report, EmbeddedKafka kafka, String topic, int ids) {
        OrdersTopic.Count count = OrdersTopic.count(kafka, topic, ids);
        report.check(
                "kafka.dedup." + topic,
                count.twice() == 0 && count.missing() <= 5 + 3 * ids * FPP,
                "of %d ids %d missing, %d records twice",
                ids,
                count.missing(),
                count.twice());
    }
}
