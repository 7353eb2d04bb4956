/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.rate.Rounds.Spread;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Check;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.RunClock;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.job.CountersJob;
import io.sluice.job.CountersOptions;
import io.sluice.job.Incoming;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The counter job with its sinks taken away, so that what its operator costs is not hidden by
 * writing: the job's source, an engine, and nothing after it, beside the same with a keyed map that
 * does nothing.
 */
final class OperatorAlone {

    /** What stands between the source and the end. */
    enum Engine {
        NOOP("noop", "no-op keyed map"),
        COUNTERS("counters", "IdempotentCounters"),
        DEDUPLICATE("deduplicate", "Deduplicate, of operation ids");

        final String figure;
        final String title;

        Engine(String figure, String title) {
            this.figure = figure;
            this.title = title;
        }
    }

    /** The counter job's defaults. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private static final double FPP = 1e-6;

    private OperatorAlone() {}

    /**
     * Engines in turns over the topic of {@code options}; the first round warms up.
     *
     * @param truth of what is on the topic
     */
    static void run(
            BenchReport report, Path directory, CountersOptions options, Truth truth, int rounds)
            throws IOException {
        long records = truth.summary().recordsOnTopic();
        Map<Engine, List<Double>> rates = new EnumMap<>(Engine.class);
        CsvTable table = new CsvTable("engine", "round", "records", "records_per_second");
        for (int round = 0; round <= rounds; round++) {
            for (Engine engine : Engine.values()) {
                RunClock.reset();
                StreamExecutionEnvironment env =
                        StreamExecutionEnvironment.createLocalEnvironment(EndToEnd.PARALLELISM);
                define(env, engine, options);
                TimedJob.run(directory, env, EndToEnd.PARALLELISM, engine.figure, records);
                double rate = records / RunClock.seconds();
                report.progress(
                        String.format(
                                Locale.ROOT,
                                "    %-16s round %d: %,9.0f records/s",
                                engine.figure,
                                round,
                                rate));
                table.add(engine.figure, round, records, rate);
                if (round > 0) {
                    rates.computeIfAbsent(engine, e -> new ArrayList<>()).add(rate);
                }
                check(report, engine, truth, round);
            }
        }
        report.table("kafka_operator.csv", table);
        rates.forEach((engine, values) -> figures(report, engine, values, rates));
    }

    private static void figures(
            BenchReport report,
            Engine engine,
            List<Double> values,
            Map<Engine, List<Double>> rates) {
        Spread spread = Spread.of(values);
        String name = "kafka.operator." + engine.figure;
        report.add(
                new Figure(
                        name + ".perSecond",
                        spread.median(),
                        "records/s",
                        "",
                        "",
                        engine.title
                                + " between the counter job's source and nothing; "
                                + spread
                                + "; from the first record to the end of the input"));
        if (engine == Engine.NOOP) {
            return;
        }
        List<Double> noop = rates.get(Engine.NOOP);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / noop.get(i));
        }
        Spread ratio = Spread.of(ratios);
        report.add(
                new Figure(
                        name + ".ratioToNoop",
                        ratio.median(),
                        "ratio",
                        Engine.NOOP.title,
                        ">= 0.6",
                        ratio.toString()));
    }

    /** An engine that loses records, or lets retries pass, would be worth nothing. */
    private static void check(BenchReport report, Engine engine, Truth truth, int round) {
        long passed = RunClock.passed();
        long operations = truth.summary().operationsSent();
        long expected = engine == Engine.NOOP ? truth.summary().recordsOnTopic() : operations;
        long allowed = engine == Engine.NOOP ? 0 : 5 + operations / 100_000;
        report.add(
                new Check(
                        "kafka.operator." + engine.figure + ".round" + round,
                        passed <= expected && passed >= expected - allowed,
                        passed + " of " + expected + " passed or were counted"));
    }

    private static void define(
            StreamExecutionEnvironment env, Engine engine, CountersOptions options) {
        SingleOutputStreamOperator<Incoming> source = CountersJob.read(env, options);
        DataStream<Incoming> operations = source.map(new Begin<>(), source.getType()).uid("begin");
        switch (engine) {
            case NOOP ->
                    end(
                            operations
                                    .keyBy(Incoming::counter, Types.LONG)
                                    .map(operation -> operation, source.getType()));
            case COUNTERS -> end(CountersJob.count(operations, options));
            case DEDUPLICATE ->
                    end(
                            Deduplicate.<Incoming, Long>by(Incoming::operationId)
                                    .idType(Types.LONG)
                                    .uid("deduplicate")
                                    .timeDomain(TimeDomain.EVENT)
                                    .within(WINDOW)
                                    .falsePositiveProbability(FPP)
                                    .expecting(EndToEnd.EXPECTED_PER_SECOND)
                                    .apply(operations));
        }
    }

    private static <T> void end(DataStream<T> results) {
        results.transform("end", results.getType(), new End<T>()).sinkTo(new DiscardingSink<>());
    }

    /** Starts the clock. */
    private static final class Begin<T> extends RichMapFunction<T, T> {
        private transient boolean started;

        @Override
        public void open(OpenContext context) {
            started = false;
        }

        @Override
        public T map(T value) {
            if (!started) {
                started = true;
                RunClock.firstRecord();
            }
            return value;
        }
    }

    /**
     * Stops the clock when the input has ended, before the last checkpoint is waited for. Counts
     * records, or what the last values of counters add up to.
     */
    private static final class End<T> extends AbstractStreamOperator<T>
            implements OneInputStreamOperator<T, T> {
        private transient Map<Object, Long> counters;
        private transient long passed;

        @Override
        public void open() throws Exception {
            super.open();
            counters = new HashMap<>();
        }

        @Override
        public void processElement(StreamRecord<T> record) {
            if (record.getValue() instanceof CounterValue<?> counter) {
                counters.put(counter.counter(), counter.value());
            } else {
                passed++;
            }
        }

        @Override
        public void finish() throws Exception {
            super.finish();
            RunClock.ended(passed + counters.values().stream().mapToLong(v -> v).sum());
        }
    }
}
