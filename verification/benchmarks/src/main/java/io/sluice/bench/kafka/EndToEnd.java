/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.job.CountersJob;
import io.sluice.job.CountersOptions;
import io.sluice.local.EmbeddedKafka;
import io.sluice.record.CounterKind;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    /** Jobs over the same topic. */
    enum Variant implements JobsInTurns.Variant {
        COUNTERS("endToEnd", "the counter job, changed counters written every second"),
        EVERY_UPDATE("everyUpdate", "the counter job, a record written for every operation"),
        WITHOUT_FILTER("withoutFilter", "the counter job without its filter"),
        READ_ONLY("readOnly", "KafkaSource to nowhere, defaults"),
        PLAIN_COPY(
                "plainCopy",
                "KafkaSource, keyBy, map, EXACTLY_ONCE KafkaSink of short strings, defaults");

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

    private EndToEnd() {}

    /**
     * Runs the variants in turns over the filled topic; the counter job runs once before, to warm
     * up.
     *
     * @param truth of what is on the topic
     */
    static void run(
            BenchReport report, EmbeddedKafka kafka, Path directory, Truth truth, int rounds)
            throws IOException {
        long records = truth.summary().recordsOnTopic();
        JobsInTurns<Variant> jobs = new JobsInTurns<>(report, records);
        jobs.run(
                List.of(Variant.values()),
                List.of(Variant.COUNTERS),
                rounds,
                (variant, round) -> {
                    String name = variant.id + "-" + round;
                    TimedJob run = once(kafka, directory, variant, name, records);
                    if (variant == Variant.COUNTERS) {
                        check(report, kafka, truth, name, round);
                    }
                    return run;
                });
        report.table("kafka.csv", jobs.table());
        for (Variant variant : Variant.values()) {
            boolean ours = variant == Variant.COUNTERS;
            jobs.figure(
                    variant,
                    "kafka." + variant.id + ".perSecond",
                    ours ? Variant.PLAIN_COPY.title : "",
                    ours ? ">= 300000" : "");
        }
    }

    private static TimedJob once(
            EmbeddedKafka kafka, Path directory, Variant variant, String name, long records)
            throws IOException {
        kafka.createTopics(PARALLELISM, name, name + "-duplicates", name + "-late", name + "-dead");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        PlainJob plain =
                new PlainJob(env, kafka.bootstrapServers(), FilledTopic.NAME, CHECKPOINT_MILLIS);
        switch (variant) {
            case READ_ONLY -> plain.read();
            case PLAIN_COPY -> plain.copy(name);
            default -> CountersJob.define(env, options(kafka, variant, name));
        }
        return TimedJob.run(directory, env, PARALLELISM, name, records);
    }

    /** Arguments of the counter job, writing to topics that begin with {@code name}. */
    static CountersOptions options(EmbeddedKafka kafka, Variant variant, String name) {
        List<String> arguments = arguments(kafka, name, CHECKPOINT_MILLIS, CountersOptions.BOUNDED);
        arguments.add(CountersOptions.EXPECTING + "=" + EXPECTED_PER_SECOND);
        if (variant == Variant.WITHOUT_FILTER) {
            arguments.add(CountersOptions.NO_FILTER);
        }
        if (variant == Variant.EVERY_UPDATE) {
            arguments.add(CountersOptions.EMIT_EVERY + "=0ms");
        }
        return CountersOptions.parse(arguments);
    }

    /** Arguments of any counter job, and more. */
    static List<String> arguments(
            EmbeddedKafka kafka, String name, long checkpointMillis, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                CountersOptions.BOOTSTRAP_SERVERS + "=" + kafka.bootstrapServers(),
                                CountersOptions.INPUT_TOPIC + "=" + FilledTopic.NAME,
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
    private static void check(
            BenchReport report, EmbeddedKafka kafka, Truth truth, String topic, int round) {
        CounterTopic counters = CounterTopic.readAll(kafka.bootstrapServers(), topic);
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
