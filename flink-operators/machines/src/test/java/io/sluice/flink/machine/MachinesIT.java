/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.FailOnce;
import io.sluice.flink.Gate;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StoreKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole jobs: stopped with savepoints and continued at other parallelisms, and in BATCH. */
class MachinesIT {

    /** Each goes through all three events, which are this many records apart. */
    private static final long ORDERS = 3_000;

    private static final String[] EVENTS = {"order", "pay", "ship"};

    private static final int[] PARALLELISMS = {2, 5, 3};
    private static final long[] LIMITS = {4_000, 3_500, Long.MAX_VALUE};

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(5)
                            .build());

    private static final Queue<MachineReport> REPORTS = new ConcurrentLinkedQueue<>();

    private static final class Keep implements MapFunction<MachineReport, MachineReport> {
        @Override
        public MachineReport map(MachineReport report) {
            REPORTS.add(report);
            return report;
        }
    }

    @TempDir private Path savepoints;

    @BeforeEach
    void forget() {
        REPORTS.clear();
    }

    /** An hour passes before every hundredth order is paid. */
    private static long millis(long record) {
        boolean isSlow = record % 100 == 0 && record >= ORDERS;
        return record / ORDERS * 100 + (isSlow ? Duration.ofHours(1).toMillis() : 0);
    }

    private static Machines<Long, Long> orders(StoreKind store) {
        return Machines.by((Long record) -> record % ORDERS)
                .uid("orders")
                .machine(Orders.definition().build())
                .event(record -> EVENTS[(int) (record / ORDERS)])
                .store(store)
                .emit(Kind.FINISHED, Kind.TIMED_OUT, Kind.OPEN, Kind.ILLEGAL);
    }

    private static void reports(DataStream<Long> records, StoreKind store) {
        orders(store)
                .apply(records)
                .map(new Keep())
                .returns(MachineReport.TYPE)
                .sinkTo(new DiscardingSink<>());
    }

    private static Map<String, Long> counts() {
        return REPORTS.stream()
                .collect(
                        Collectors.groupingBy(
                                report -> report.kind() + " " + report.state(),
                                Collectors.counting()));
    }

    @Test
    void eachOrderIsReportedOnceThroughSavepointsAndOtherParallelisms(
            @InjectMiniCluster MiniCluster cluster) throws Exception {
        String savepoint = null;
        for (int i = 0; i < PARALLELISMS.length; i++) {
            Configuration configuration = new Configuration();
            if (savepoint != null) {
                configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
            }
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(configuration);
            env.setParallelism(PARALLELISMS[i]);
            env.setMaxParallelism(50);
            Gate.openFor(LIMITS[i]);
            DataStream<Long> records =
                    env.fromSource(
                                    new DataGeneratorSource<>(
                                            record -> record,
                                            3 * ORDERS,
                                            parallelism -> new Gate<>(),
                                            Types.LONG),
                                    WatermarkStrategy.<Long>noWatermarks()
                                            .withTimestampAssigner(
                                                    (record, old) -> record / ORDERS * 100),
                                    "records")
                            .uid("records")
                            .setParallelism(1);
            reports(records, StoreKind.EXACT);
            JobClient running = env.executeAsync();
            if (i < PARALLELISMS.length - 1) {
                Gate.awaitClosed();
                CommonTestUtils.waitForAllTaskRunning(cluster, running.getJobID(), false);
                savepoint =
                        running.stopWithSavepoint(
                                        false, savepoints.toString(), SavepointFormatType.CANONICAL)
                                .get(60, TimeUnit.SECONDS);
            } else {
                running.getJobExecutionResult().get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(counts()).isEqualTo(Map.of("FINISHED shipped", ORDERS));
        assertThat(REPORTS).extracting(MachineReport::key).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(names = {"HASHMAP", "ROCKSDB"})
    void eachOrderIsReportedOnceThoughATaskFailsHalfWay(Backends backend) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                backend == Backends.HASHMAP ? "hashmap" : "rocksdb");
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(3);
        FailOnce.arm();
        DataStream<Long> records =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        record -> record,
                                        3 * ORDERS,
                                        // A checkpoint is complete, and the failure comes, before
                                        // the end.
                                        RateLimiterStrategy.perCheckpoint((int) ORDERS / 2),
                                        Types.LONG),
                                WatermarkStrategy.<Long>noWatermarks()
                                        .withTimestampAssigner(
                                                (record, old) -> record / ORDERS * 100),
                                "records")
                        .setParallelism(1);
        List<MachineReport> reports =
                orders(StoreKind.EXACT)
                        .apply(records)
                        .map(new FailOnce<>())
                        .returns(MachineReport.TYPE)
                        .executeAndCollect(4 * (int) ORDERS);
        assertThat(FailOnce.hasFailed()).isTrue();
        assertThat(reports)
                .hasSize((int) ORDERS)
                .allMatch(report -> report.kind().equals("FINISHED"))
                .extracting(MachineReport::key)
                .doesNotHaveDuplicates();
    }

    /** Both are in the one slot of a job without parallelism. */
    @ParameterizedTest
    @EnumSource
    void twoInOneSlotKeepToTheirOwnMemory(StoreKind store) throws Exception {
        long orders = 600_000;
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        DataStream<Long> records =
                env.fromSequence(0, orders - 1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>noWatermarks()
                                        .withTimestampAssigner((record, old) -> 0));
        for (int mebi : new int[] {1, 64}) {
            Machines.by((Long record) -> record)
                    .uid("in " + mebi)
                    .machine(Orders.definition().build())
                    .event(record -> "order")
                    .store(store)
                    .memory(MemorySize.ofMebiBytes(mebi))
                    .emit(Kind.FIRST)
                    .apply(records)
                    .filter(report -> requireNonNull(report.key()).endsWith("7"))
                    .map(new Keep())
                    .returns(MachineReport.TYPE)
                    .sinkTo(new DiscardingSink<>());
        }
        env.execute();
        Map<String, Long> byKey =
                REPORTS.stream()
                        .collect(Collectors.groupingBy(MachineReport::key, Collectors.counting()));
        // Fingerprints and filters may take some new orders for held ones.
        int all = (int) orders / 10;
        assertThat(byKey).hasSizeBetween(store == StoreKind.EXACT ? all : all - all / 100, all);
        long inBoth = byKey.values().stream().filter(count -> count == 2).count();
        assertThat(inBoth).isBetween(all / 20L, all * 9L / 10);
    }

    @Test
    void aSavepointIsRefusedInBatchExecution() {
        Configuration configuration = new Configuration();
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, "file:///no/such/savepoint");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        reports(env.fromSequence(0, 9), StoreKind.EXACT);
        assertThatThrownBy(env::execute)
                .rootCause()
                .hasMessageContainingAll("orders", "file:///no/such/savepoint", "BATCH");
    }

    private static Map<String, Long> run(RuntimeExecutionMode mode, StoreKind store)
            throws Exception {
        REPORTS.clear();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(mode);
        env.setParallelism(2);
        reports(
                env.fromSequence(0, 3 * ORDERS - 1)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>noWatermarks()
                                        .withTimestampAssigner((record, old) -> millis(record)))
                        .setParallelism(1),
                store);
        env.execute();
        return counts();
    }

    /** Those of an hour later find no machine: it timed out. */
    @ParameterizedTest
    @EnumSource
    void inBatchTheResultIsExactWhateverTheStore(StoreKind store) throws Exception {
        long slow = ORDERS / 100;
        assertThat(run(RuntimeExecutionMode.BATCH, store))
                .isEqualTo(
                        Map.of(
                                "FINISHED shipped",
                                ORDERS - slow,
                                "TIMED_OUT ordered",
                                slow,
                                "ILLEGAL none",
                                2 * slow));
    }

    @Test
    void aBoundedStreamReportsTheSame() throws Exception {
        run(RuntimeExecutionMode.BATCH, StoreKind.EXACT);
        List<MachineReport> batch = List.copyOf(REPORTS);
        run(RuntimeExecutionMode.STREAMING, StoreKind.EXACT);
        assertThat(REPORTS).containsExactlyInAnyOrderElementsOf(batch);
    }
}
