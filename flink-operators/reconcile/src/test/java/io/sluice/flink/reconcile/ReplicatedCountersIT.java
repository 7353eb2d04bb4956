/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.FailOnce;
import io.sluice.flink.WatermarkPerRecord;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.counter.MissedOperation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two regions count the same operations, and each loses some of them. Later, when the windows of
 * the exchange are closed, each gets all operations again. So an operation may come before or after
 * the correction that says it was missed, and some that both had lost come late.
 */
class ReplicatedCountersIT {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final long WINDOW = 1000;

    /** Ms from one operation to the next. */
    private static final long STEP = 10;

    private static final long OPERATIONS = 1000;
    private static final long WINDOWS = OPERATIONS * STEP / WINDOW;
    private static final int GROUPS = 4;
    private static final int COUNTERS = 6;

    /** An operation that closes the windows of all others. */
    private static final long LAST = OPERATIONS + 2 * WINDOW / STEP;

    /** What a region has read in the end. */
    private static final long ALL = 2 * OPERATIONS + 1;

    /** One in so many operations is lost. */
    private static final Map<String, Long> LOST = Map.of("east", 5L, "west", 7L);

    private static final Map<String, Queue<byte[]>> WIRE =
            Map.of("east", new ConcurrentLinkedQueue<>(), "west", new ConcurrentLinkedQueue<>());
    private static final Map<String, Map<Long, Long>> TOTALS =
            Map.of("east", new ConcurrentHashMap<>(), "west", new ConcurrentHashMap<>());
    private static final Map<String, Set<Long>> MISSED =
            Map.of("east", ConcurrentHashMap.newKeySet(), "west", ConcurrentHashMap.newKeySet());

    /** Windows and key groups of reports, by replica and outcome. */
    private static final Map<String, Set<String>> REPORTS = new ConcurrentHashMap<>();

    private static final Map<String, Long> READ = new ConcurrentHashMap<>();

    private static volatile boolean isConnected;
    private static volatile boolean comesAgain;

    @TempDir private Path savepoints;

    /** What a region reads, at the pace of ticks. */
    private static final class Operations extends RichFlatMapFunction<Long, Long>
            implements CheckpointedFunction {
        private final String replica;
        private long read;
        private transient ListState<Long> saved;

        Operations(String replica) {
            this.replica = replica;
        }

        @Override
        public void flatMap(Long tick, Collector<Long> out) {
            if (read == ALL || (read > OPERATIONS && !comesAgain)) {
                return;
            }
            if (read > OPERATIONS) {
                out.collect(read - OPERATIONS - 1);
            } else if (read == OPERATIONS) {
                out.collect(LAST);
            } else if (read % LOST.get(replica) != 0) {
                out.collect(read);
            }
            read++;
            READ.put(replica, read);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            saved =
                    context.getOperatorStateStore()
                            .getListState(new ListStateDescriptor<>("read", Types.LONG));
            for (long restored : saved.get()) {
                read = restored;
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            saved.update(List.of(read));
        }

        @Override
        public void close() {
            READ.remove(replica);
        }
    }

    private static final class OutOfTheWire
            implements GeneratorFunction<Long, byte[]>, FlatMapFunction<byte[], byte[]> {
        private final String replica;

        OutOfTheWire(String replica) {
            this.replica = replica;
        }

        @Override
        public byte[] map(Long unused) {
            byte[] next = isConnected ? WIRE.get(replica).poll() : null;
            return next == null ? new byte[0] : next;
        }

        @Override
        public void flatMap(byte[] bytes, Collector<byte[]> out) {
            if (bytes.length > 0) {
                out.collect(bytes);
            }
        }
    }

    private static final class IntoTheWire implements MapFunction<ReplicaMessage, Integer> {
        private final String peer;

        IntoTheWire(String peer) {
            this.peer = peer;
        }

        @Override
        public Integer map(ReplicaMessage message) {
            WIRE.get(peer).add(message.bytes());
            return message.group();
        }
    }

    /** All deltas are positive: what was counted too often once is seen in the greatest value. */
    private static final class KeepTotals implements MapFunction<CounterValue<Long>, Long> {
        private final String replica;

        KeepTotals(String replica) {
            this.replica = replica;
        }

        @Override
        public Long map(CounterValue<Long> value) {
            return TOTALS.get(replica).merge(value.counter(), value.value(), Math::max);
        }
    }

    private static final class KeepMissed
            implements MapFunction<MissedOperation<Long, Long>, Boolean> {
        private final String replica;

        KeepMissed(String replica) {
            this.replica = replica;
        }

        @Override
        public Boolean map(MissedOperation<Long, Long> missed) {
            return MISSED.get(replica).add(missed.operation());
        }
    }

    private static final class KeepReports implements MapFunction<WindowReport, Boolean> {
        private final String replica;

        KeepReports(String replica) {
            this.replica = replica;
        }

        @Override
        public Boolean map(WindowReport report) {
            return report.window() >= WINDOWS * WINDOW
                    || reports(replica, report.outcome())
                            .add(report.window() + " " + report.group());
        }
    }

    private static Set<String> reports(String replica, String outcome) {
        return REPORTS.computeIfAbsent(
                replica + " " + outcome, key -> ConcurrentHashMap.newKeySet());
    }

    private static void replica(StreamExecutionEnvironment env, String replica, String peer) {
        DataStream<Long> operations =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        i -> i,
                                        Long.MAX_VALUE,
                                        RateLimiterStrategy.perSecond(2000),
                                        Types.LONG),
                                WatermarkStrategy.noWatermarks(),
                                replica)
                        .setParallelism(1)
                        .flatMap(new Operations(replica), Types.LONG)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forGenerator(
                                                context -> new WatermarkPerRecord())
                                        .withTimestampAssigner((id, old) -> id * STEP))
                        .setParallelism(1);
        OutOfTheWire wire = new OutOfTheWire(replica);
        DataStream<byte[]> messages =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        wire,
                                        Long.MAX_VALUE,
                                        RateLimiterStrategy.perSecond(2000),
                                        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO),
                                WatermarkStrategy.noWatermarks(),
                                replica + "-wire")
                        .setParallelism(1)
                        .flatMap(wire, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                        .setParallelism(1);
        IdempotentCounters<Long, Long> counters =
                IdempotentCounters.of((Long id) -> id % COUNTERS)
                        .counterType(Types.LONG)
                        .operation((Long id) -> id, Types.LONG)
                        .delta(id -> 1 + id % 3)
                        .uid(replica + "-counters")
                        .within(Duration.ofDays(1))
                        .falsePositiveProbability(1e-9)
                        .expecting(1000);
        Reconciled<Long, MissedOperation<Long, Long>> agreed =
                Reconcile.<Long, Long, Long>state(counters)
                        .uid(replica + "-agree")
                        .replica(replica)
                        .peer(peer)
                        .window(Duration.ofMillis(WINDOW))
                        .groups(GROUPS)
                        .retryAfter(Duration.ofMillis(100))
                        .ttl(Duration.ofMillis(500))
                        .resumeWithin(Duration.ofHours(1))
                        .apply(operations, messages);
        agreed.messages().map(new IntoTheWire(peer)).sinkTo(new DiscardingSink<>());
        agreed.reports().map(new KeepReports(replica)).sinkTo(new DiscardingSink<>());
        agreed.missed().map(new KeepMissed(replica)).sinkTo(new DiscardingSink<>());
        DataStream<CounterValue<Long>> values =
                counters.corrections(agreed.missed()).apply(operations);
        values.map(new FailOnce<>())
                .returns(values.getType())
                .map(new KeepTotals(replica))
                .sinkTo(new DiscardingSink<>());
    }

    private static StreamExecutionEnvironment failingOnce() {
        Configuration configuration = new Configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        FailOnce.arm();
        return env;
    }

    /** Totals of these operations, and of the last one. */
    private static Map<Long, Long> truth(LongPredicate counted) {
        Map<Long, Long> truth = new HashMap<>();
        LongStream.concat(LongStream.range(0, OPERATIONS).filter(counted), LongStream.of(LAST))
                .forEach(id -> truth.merge(id % COUNTERS, 1 + id % 3, Long::sum));
        return truth;
    }

    private static boolean both(String outcome, int atLeast) {
        return LOST.keySet().stream()
                .allMatch(replica -> reports(replica, outcome).size() >= atLeast);
    }

    private static boolean bothHave(Map<Long, Long> totals) {
        return LOST.keySet().stream().allMatch(replica -> TOTALS.get(replica).equals(totals));
    }

    private static boolean bothHaveReadAll() {
        return LOST.keySet().stream().allMatch(replica -> READ.getOrDefault(replica, 0L) == ALL);
    }

    /** Waits, for two minutes at most, while no counter has more than it may ever have. */
    private static void await(JobClient job, BooleanSupplier condition) throws Exception {
        Map<Long, Long> most = truth(id -> true);
        CommonTestUtils.waitUntilCondition(
                () -> {
                    assertThat(job.getJobStatus().get().isGloballyTerminalState())
                            .as("the job has ended")
                            .isFalse();
                    TOTALS.forEach(
                            (replica, totals) ->
                                    totals.forEach(
                                            (counter, total) ->
                                                    assertThat(total)
                                                            .as("%s of %s", counter, replica)
                                                            .isLessThanOrEqualTo(
                                                                    most.get(counter))));
                    return condition.getAsBoolean();
                },
                100,
                1200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachOperationCountsOnceWhereverAndWheneverItComes(boolean correctionsComeFirst)
            throws Exception {
        WIRE.values().forEach(Queue::clear);
        TOTALS.values().forEach(Map::clear);
        MISSED.values().forEach(Set::clear);
        REPORTS.clear();
        READ.clear();
        isConnected = correctionsComeFirst;
        comesAgain = !correctionsComeFirst;
        Map<Long, Long> ofEither = truth(id -> id % 5 != 0 || id % 7 != 0);
        Map<Long, Long> ofAll = truth(id -> true);
        int exchanges = (int) WINDOWS * GROUPS;

        StreamExecutionEnvironment env = failingOnce();
        replica(env, "east", "west");
        replica(env, "west", "east");
        JobClient job = env.executeAsync();
        try {
            if (correctionsComeFirst) {
                await(job, () -> bothHave(ofEither) && both("AGREED", exchanges));
                comesAgain = true;
            } else {
                await(job, () -> bothHaveReadAll() && both("SUSPENDED", exchanges));
                isConnected = true;
            }
            await(
                    job,
                    () ->
                            FailOnce.hasFailed()
                                    && bothHaveReadAll()
                                    && bothHave(ofAll)
                                    && both("AGREED", exchanges));
            // What is on its way arrives before the job stops.
            job.stopWithSavepoint(false, savepoints.toString(), SavepointFormatType.NATIVE)
                    .get(60, TimeUnit.SECONDS);
        } finally {
            if (!job.getJobStatus().get().isGloballyTerminalState()) {
                job.cancel().get();
            }
        }
        for (String replica : LOST.keySet()) {
            assertThat(TOTALS.get(replica)).as(replica).isEqualTo(ofAll);
        }
        assertThat(MISSED.get("east"))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, OPERATIONS)
                                .filter(id -> id % 5 == 0 && id % 7 != 0)
                                .boxed()
                                .toList());
    }
}
