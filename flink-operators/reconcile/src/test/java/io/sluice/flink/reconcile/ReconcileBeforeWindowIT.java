/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.WatermarkPerRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two replicas in one job, each with an event-time window behind its repairs and elements. */
class ReconcileBeforeWindowIT {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final long WINDOW = 1000;
    private static final long STEP = 10;

    /** Awaited windows of each replica. */
    private static final int WINDOWS = 5;

    private static final TypeInformation<Repair<Long>> REPAIRS =
            ReconcileOutputs.repair(Types.LONG);

    private static final Map<String, Queue<byte[]>> WIRE =
            Map.of("east", new ConcurrentLinkedQueue<>(), "west", new ConcurrentLinkedQueue<>());
    private static final Map<String, Map<Long, Long>> AGREED =
            Map.of("east", new ConcurrentHashMap<>(), "west", new ConcurrentHashMap<>());
    private static final Map<String, Queue<Repair<Long>>> IN_WINDOWS =
            Map.of("east", new ConcurrentLinkedQueue<>(), "west", new ConcurrentLinkedQueue<>());
    private static final Queue<Repair<Long>> LATE = new ConcurrentLinkedQueue<>();
    private static final CountDownLatch ENOUGH = new CountDownLatch(2);

    private static final class OutOfTheWire
            implements GeneratorFunction<Long, byte[]>, FlatMapFunction<byte[], byte[]> {
        private final String replica;

        OutOfTheWire(String replica) {
            this.replica = replica;
        }

        @Override
        public byte[] map(Long unused) {
            byte[] next = WIRE.get(replica).poll();
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

    /** Counts what came through an event-time window, by its own window. */
    private static final class Keep
            extends ProcessAllWindowFunction<Repair<Long>, Long, TimeWindow> {
        private final String replica;

        Keep(String replica) {
            this.replica = replica;
        }

        @Override
        public void process(Context context, Iterable<Repair<Long>> repairs, Collector<Long> out) {
            for (Repair<Long> repair : repairs) {
                IN_WINDOWS.get(replica).add(repair);
                // Only the other side has 50 records of a window.
                Map<Long, Long> agreed = AGREED.get(replica);
                agreed.merge(repair.window(), 1L, Long::sum);
                if (complete(agreed) == WINDOWS) {
                    ENOUGH.countDown();
                }
                out.collect(repair.window());
            }
        }
    }

    private static long complete(Map<Long, Long> byWindow) {
        return byWindow.entrySet().stream()
                .filter(entry -> entry.getKey() < WINDOWS * WINDOW && entry.getValue() == 50)
                .count();
    }

    private static final class KeepLate implements MapFunction<Repair<Long>, Long> {
        @Override
        public Long map(Repair<Long> repair) {
            LATE.add(repair);
            return repair.window();
        }
    }

    private static void replica(
            StreamExecutionEnvironment env, String replica, String peer, long remainder) {
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(
                        i -> i, Long.MAX_VALUE, RateLimiterStrategy.perSecond(2000), Types.LONG);
        DataStream<Long> records =
                env.fromSource(
                                numbers,
                                WatermarkStrategy.<Long>forGenerator(
                                                context -> new WatermarkPerRecord())
                                        .withTimestampAssigner((id, old) -> id * STEP),
                                replica)
                        .setParallelism(1)
                        .filter(id -> id % 2 == remainder)
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
                        .flatMap(wire)
                        .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                        .setParallelism(1);
        Reconciled<Long, Long> reconciled =
                Reconcile.by((Long id) -> id)
                        .idType(Types.LONG)
                        .uid(replica)
                        .replica(replica)
                        .peer(peer)
                        .window(Duration.ofMillis(WINDOW))
                        .groups(4)
                        .apply(records, messages);
        reconciled.messages().map(new IntoTheWire(peer)).sinkTo(new DiscardingSink<>());
        OutputTag<Repair<Long>> tag = new OutputTag<>("late", REPAIRS);
        SingleOutputStreamOperator<Long> windows =
                reconciled
                        .repairs()
                        .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(200)))
                        .sideOutputLateData(tag)
                        .process(new Keep(replica), Types.LONG);
        windows.getSideOutput(tag).map(new KeepLate()).sinkTo(new DiscardingSink<>());
        windows.sinkTo(new DiscardingSink<>());
    }

    @Test
    void aWindowBehindRepairsDropsNothingAsLate() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.enableCheckpointing(50);
        replica(env, "east", "west", 0);
        replica(env, "west", "east", 1);
        JobClient job = env.executeAsync();
        try {
            assertThat(ENOUGH.await(2, TimeUnit.MINUTES))
                    .as("repairs in windows: %s, late: %s", AGREED, LATE.size())
                    .isTrue();
        } finally {
            job.cancel().get();
        }
        assertThat(LATE).isEmpty();
        for (String replica : List.of("east", "west")) {
            assertThat(IN_WINDOWS.get(replica))
                    .isNotEmpty()
                    .allSatisfy(repair -> assertThat(repair.missing()).isEqualTo(1));
        }
    }

    private static Reconcile<Long, Long> east() {
        return Reconcile.by((Long id) -> id)
                .idType(Types.LONG)
                .uid("east")
                .replica("east")
                .peer("west")
                .window(Duration.ofSeconds(1))
                .groups(4);
    }

    private static void apply(StreamExecutionEnvironment env) {
        DataStream<Long> records =
                env.fromData(1L, 2L)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((id, old) -> id));
        DataStream<byte[]> messages = env.fromData(new byte[1], new byte[2]);
        east().apply(records, messages).repairs().sinkTo(new DiscardingSink<>());
    }

    @Test
    void withoutCheckpointsItIsRefusedAtConstruction() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> apply(env))
                .withMessageContaining("execution.checkpointing.interval")
                .withMessageContaining("enableCheckpointing");
    }

    @Test
    void inBatchExecutionItIsRefusedAtConstruction() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(50);
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> apply(env))
                .withMessageContaining("BATCH");
    }

    @Test
    void whereAutomaticExecutionTurnsOutToBeBatchTheJobFailsWithTheReason() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(50);
        env.setRuntimeMode(RuntimeExecutionMode.AUTOMATIC);
        apply(env);
        assertThatThrownBy(env::execute)
                .hasStackTraceContaining("Reconcile needs STREAMING execution");
    }

    @Test
    void theNameOfThePeerIsRequiredAndAnother() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(50);
        DataStream<Long> records = env.fromData(1L);
        DataStream<byte[]> messages = env.fromData(new byte[1], new byte[2]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> east().peer("east").apply(records, messages))
                .withMessageContaining("replica and peer must be two names");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                Reconcile.by((Long id) -> id)
                                        .idType(Types.LONG)
                                        .uid("east")
                                        .replica("east")
                                        .window(Duration.ofSeconds(1))
                                        .apply(records, messages))
                .withMessageContaining("peer is required");
    }
}
