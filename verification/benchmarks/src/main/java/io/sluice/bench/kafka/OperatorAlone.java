/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.kafka.JobTrials.Trial;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.FirstOnly;
import io.sluice.bench.run.JobEnds;
import io.sluice.bench.run.Progress;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.packet.Operation;
import io.sluice.replay.Truth;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The counter job without its sinks, so that writing does not hide what its operator costs: the
 * job's source, an engine, and nothing after it, compared with a map that has the same key and does
 * nothing.
 */
final class OperatorAlone {

    /** What is between the source and the end. */
    enum Engine {
        NOOP("noop", "no-op map keyed by counter", ""),
        NOOP_BY_ID("noopById", "no-op map keyed by operation id", ""),
        COUNTERS("counters", "IdempotentCounters", ">= 0.6"),
        DEDUPLICATE("deduplicate", "Deduplicate, of operation ids", ">= 0.6"),
        FLAG(
                "cascade",
                "ValueState<Boolean> on the cascade state backend, by operation id",
                ">= 0.45");

        final String figure;
        final String title;
        final String goal;

        /**
         * @param goal for the ratio of its rate to that of the no-op map with the same key; none
         *     for the maps
         */
        Engine(String figure, String title, String goal) {
            this.figure = figure;
            this.title = title;
            this.goal = goal;
        }

        /** The no-op map with the same key. */
        Engine noop() {
            return this == NOOP || this == COUNTERS ? NOOP : NOOP_BY_ID;
        }

        boolean isNoop() {
            return this == noop();
        }

        /** Probability with which first operations may be dropped. */
        double falsePositiveProbability() {
            return switch (this) {
                case NOOP, NOOP_BY_ID -> 0;
                case COUNTERS, DEDUPLICATE -> FPP;
                case FLAG -> FLAG_FPP;
            };
        }
    }

    /** The counter job's defaults. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private static final double FPP = 1e-6;

    /** The same as in the comparison of state backends. */
    private static final double FLAG_FPP = 1e-4;

    private OperatorAlone() {}

    /**
     * Runs the engines in turns over the filled topic; the first round warms up.
     *
     * @param truth of what is on the topic
     */
    static void run(
            BenchReport report, EmbeddedKafka kafka, Path directory, Truth truth, int rounds)
            throws IOException {
        kafka.createTopics(EndToEnd.PARALLELISM, "alone-dead");
        CountersOptions options = EndToEnd.options(kafka, "alone");
        long records = truth.summary().recordsOnTopic();
        List<Trial> trials = new ArrayList<>();
        for (Engine engine : Engine.values()) {
            JobTrials.Run run =
                    (name, round) -> {
                        Progress progress = Progress.begin(EndToEnd.PARALLELISM);
                        StreamExecutionEnvironment env =
                                StreamExecutionEnvironment.createLocalEnvironment(
                                        EndToEnd.PARALLELISM);
                        define(env, engine, options, records);
                        double cores =
                                TimedJob.run(directory, env, EndToEnd.PARALLELISM, name, records)
                                        .cores();
                        check(report, engine, truth, round, progress.passed());
                        return new TimedJob(records / progress.seconds(), cores);
                    };
            String title = engine.title + " between the counter job's source and nothing";
            String figure = "kafka.operator." + engine.figure + ".perSecond";
            trials.add(new Trial(engine.figure, title, figure, "", "", run));
        }
        JobTrials jobs =
                new JobTrials(report, "", records, "from the first record to the end of the input");
        report.table("kafka_operator.csv", jobs.run(trials, trials, rounds));
        for (Engine engine : Engine.values()) {
            if (!engine.isNoop()) {
                Engine noop = engine.noop();
                report.ratio(
                        "kafka.operator." + engine.figure + ".ratioToNoop",
                        jobs.ratio(engine.figure, noop.figure),
                        noop.title,
                        engine.goal);
            }
        }
    }

    /** An engine that loses records, or lets retries pass, would be worthless. */
    private static void check(
            BenchReport report, Engine engine, Truth truth, int round, long passed) {
        long operations = truth.summary().operationsSent();
        long expected = engine.isNoop() ? truth.summary().recordsOnTopic() : operations;
        double dropped = operations * engine.falsePositiveProbability();
        double allowed = engine.isNoop() ? 0 : 5 + dropped + 5 * Math.sqrt(dropped);
        report.check(
                "kafka.operator." + engine.figure + ".round" + round,
                passed <= expected && passed >= expected - allowed,
                passed + " of " + expected + " passed or were counted");
    }

    private static void define(
            StreamExecutionEnvironment env, Engine engine, CountersOptions options, long records) {
        SingleOutputStreamOperator<Operation> source = CountersJob.read(env, options);
        DataStream<Operation> operations = JobEnds.begin(source);
        switch (engine) {
            case NOOP, NOOP_BY_ID ->
                    JobEnds.end(
                            operations
                                    .keyBy(
                                            engine == Engine.NOOP
                                                    ? Operation::counter
                                                    : Operation::operationId,
                                            Types.LONG)
                                    .map(operation -> operation, source.getType()));
            case COUNTERS -> JobEnds.end(CountersJob.count(operations, options));
            case DEDUPLICATE ->
                    JobEnds.end(
                            Deduplicate.<Operation, Long>by(Operation::operationId)
                                    .idType(Types.LONG)
                                    .uid("deduplicate")
                                    .timeDomain(TimeDomain.EVENT)
                                    .within(WINDOW)
                                    .falsePositiveProbability(FPP)
                                    .expecting(EndToEnd.EXPECTED_PER_SECOND)
                                    .apply(operations));
            case FLAG -> {
                env.configure(cascade(records));
                JobEnds.end(
                        operations
                                .keyBy(Operation::operationId, Types.LONG)
                                .filter(new FirstOnly<>(Duration.ZERO))
                                .uid("first-only"));
            }
        }
    }

    private static Configuration cascade(long records) {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND, CascadeStateBackendFactory.class.getName());
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(CascadeBackendOptions.STATES, List.of(FirstOnly.STATE));
        configuration.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, FLAG_FPP);
        configuration.set(CascadeBackendOptions.CAPACITY, records);
        return configuration;
    }
}
