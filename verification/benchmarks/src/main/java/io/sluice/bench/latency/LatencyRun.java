/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.latency;

import io.sluice.bench.run.FirstOnly;
import io.sluice.bench.run.JobEnds;
import io.sluice.bench.run.Progress;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineReport;
import io.sluice.flink.machine.Machines;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.state.CascadeBackendOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/**
 * One job: numbers at a fixed rate, all of them new, keyed, through an engine, to an end that looks
 * at the clock. One subtask each, so that source and engine have a core of their own.
 */
final class LatencyRun {
    private static final Duration CHECKPOINTS = Duration.ofSeconds(5);

    /** Far more than a run takes. */
    private static final Duration LIMIT = Duration.ofHours(1);

    private static final Duration WINDOW = Duration.ofHours(1);
    private static final double FPP = 1e-6;

    /** As many keys in turns, where an engine has a state for each: the r-th result of a key. */
    private static final int KEYS = 100_000;

    /** Buffers leave after this, even if they are not full. */
    private static final Duration BUFFER_TIMEOUT = Duration.ofMillis(1);

    private static final MachineDefinition MACHINE =
            MachineDefinition.named("events")
                    .initial("none")
                    .timeToLive(Duration.ofDays(1))
                    .state("open")
                    .transition("none", "e", "open", "seen")
                    .transition("open", "e", "open", "seen")
                    .build();

    /**
     * @param perSecond records that came through a second
     * @param latencies in ns, without the warm-up
     */
    record Result(double perSecond, long passed, Histogram latencies) {}

    private LatencyRun() {}

    /**
     * Runs one job.
     *
     * @param perSecond rate of the source; 0 for as fast as possible
     * @param warmUp first records, which do not count
     */
    static Result run(
            LatencyEngine engine, double perSecond, long records, long warmUp, Path directory)
            throws Exception {
        StreamExecutionEnvironment env = environment(engine);
        DataStream<Long> numbers =
                JobEnds.begin(
                                env.fromSource(
                                        new NumberSequenceSource(0, records - 1),
                                        WatermarkStrategy.noWatermarks(),
                                        "numbers"))
                        .map(new AtItsTime())
                        .returns(Types.LONG);
        Schedule schedule = Schedule.begin(perSecond == 0 ? 0 : 1e9 / perSecond, warmUp);
        JobEnds.end(arrivals(env, engine, numbers, records));
        try (LocalFlink flink = LocalFlink.start(directory, 1, 1, cluster())) {
            Progress progress = Progress.begin(1);
            flink.submit(env, engine.title).awaitFinished(LIMIT);
            return new Result(
                    records / progress.seconds(), progress.passed(), schedule.latencies());
        }
    }

    private static Configuration cluster() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(512));
        return configuration;
    }

    private static StreamExecutionEnvironment environment(LatencyEngine engine) {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        // A job that fails has no latency.
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(StateBackendOptions.STATE_BACKEND, engine.backend);
        List<String> states = new ArrayList<>(CascadeBackendOptions.STATES.defaultValue());
        states.add(FirstOnly.STATE);
        configuration.set(CascadeBackendOptions.STATES, states);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        env.enableCheckpointing(CHECKPOINTS.toMillis());
        env.setBufferTimeout(BUFFER_TIMEOUT.toMillis());
        return env;
    }

    /** Returns the numbers that came through; each was told to the schedule. */
    private static DataStream<Long> arrivals(
            StreamExecutionEnvironment env,
            LatencyEngine engine,
            DataStream<Long> numbers,
            long records) {
        return switch (engine) {
            case NOOP -> arrive(numbers.keyBy(id -> id, Types.LONG).map(id -> id, Types.LONG));
            case DEDUPLICATE ->
                    arrive(
                            Deduplicate.by((Long id) -> id)
                                    .uid("bench")
                                    .within(WINDOW)
                                    .timeDomain(TimeDomain.PROCESSING)
                                    .falsePositiveProbability(FPP)
                                    .expecting(Math.max(1, records / WINDOW.toSeconds()))
                                    .memory(MemorySize.ofMebiBytes(512))
                                    .apply(numbers));
            case FOREVER ->
                    arrive(
                            Deduplicate.by((Long id) -> id)
                                    .uid("bench")
                                    .forever()
                                    .onDisk()
                                    .falsePositiveProbability(FPP)
                                    .memory(MemorySize.ofMebiBytes(512))
                                    .apply(numbers));
            case COUNTERS ->
                    arrive(
                            IdempotentCounters.of((Long id) -> id % KEYS)
                                    .operation((Long id) -> id)
                                    .uid("bench")
                                    .within(WINDOW)
                                    .timeDomain(TimeDomain.PROCESSING)
                                    .falsePositiveProbability(FPP)
                                    .expecting(Math.max(1, records / WINDOW.toSeconds()))
                                    .memory(MemorySize.ofMebiBytes(512))
                                    .apply(numbers)
                                    .map(LatencyRun::numberOf, Types.LONG));
            case MACHINES ->
                    arrive(
                            Machines.by((Long id) -> id % KEYS)
                                    .uid("bench")
                                    .machine(MACHINE)
                                    .event(id -> "e")
                                    .timeDomain(TimeDomain.PROCESSING)
                                    .expecting(KEYS)
                                    .apply(numbers)
                                    // At the end, machines are reported that have not ended.
                                    .filter(report -> report.event() != null)
                                    .map(new EventOfReport())
                                    .returns(Types.LONG));
            case CASCADE, ROCKSDB ->
                    arrive(
                            numbers.keyBy(id -> id, Types.LONG)
                                    .filter(new FirstOnly<>(Duration.ZERO))
                                    .uid("first-only"));
            case SQL_DEDUPLICATE ->
                    sql(
                            env,
                            numbers,
                            "SELECT id FROM DEDUPLICATE(input => TABLE numbers PARTITION BY id)");
            case SQL_ROW_NUMBER ->
                    sql(
                            env,
                            numbers,
                            "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY"
                                    + " `at`) AS n FROM numbers) WHERE n = 1");
        };
    }

    /** The value of a counter that each of its operations raises by 1 is the operation's turn. */
    private static long numberOf(CounterValue<Long> value) {
        return (value.value() - 1) * KEYS + value.counter();
    }

    private static DataStream<Long> sql(
            StreamExecutionEnvironment env, DataStream<Long> numbers, String query) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql("LOAD MODULE sluice");
        tables.createTemporaryView(
                "numbers",
                numbers.map(
                        id -> Row.of(id, 1),
                        Types.ROW_NAMED(new String[] {"id", "one"}, Types.LONG, Types.INT)),
                org.apache.flink.table.api.Schema.newBuilder()
                        .column("id", "BIGINT")
                        .column("one", "INT")
                        .columnByExpression("at", "PROCTIME()")
                        .build());
        return arrive(
                tables.toDataStream(tables.sqlQuery(query))
                        .map(row -> row.<Long>getFieldAs(0), Types.LONG));
    }

    private static DataStream<Long> arrive(DataStream<Long> numbers) {
        return numbers.map(new Arrive()).returns(Types.LONG);
    }

    /** Holds each number back until it is due. */
    private static final class AtItsTime implements MapFunction<Long, Long> {
        @Override
        public Long map(Long number) {
            Schedule.current().await(number);
            return number;
        }
    }

    private static final class Arrive implements MapFunction<Long, Long> {
        @Override
        public Long map(Long number) {
            Schedule.current().arrived(number);
            return number;
        }
    }

    /** Reports of one key come in the order of its events. */
    private static final class EventOfReport extends RichMapFunction<MachineReport, Long> {
        private transient int[] reports;

        @Override
        public void open(OpenContext context) {
            reports = new int[KEYS];
        }

        @Override
        public Long map(MachineReport report) {
            int key = Integer.parseInt(report.key());
            return (long) reports[key]++ * KEYS + key;
        }
    }
}
