/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.WatermarkPerRecord;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.JoinFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Event-time windows and joins behind flows, most of which time out. */
class FlowsBeforeWindowIT {

    private static final long FLOWS = 8_000;
    private static final long MILLIS_APART = 5;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Queue<Long> KEPT = new ConcurrentLinkedQueue<>();
    private static final Queue<Long> LATE = new ConcurrentLinkedQueue<>();
    private static final OutputTag<FinishedFlow> LATE_TAG =
            new OutputTag<>("late", FlowTypes.FINISHED_FLOW);

    /** A packet is its number; each is the SYN of its own flow, and some flows also have a RST. */
    static final class View implements TcpView<Long> {
        @Override
        public String scheme() {
            return "test";
        }

        @Override
        public boolean isSegment(Long packet) {
            return true;
        }

        @Override
        public long flow(Long packet) {
            return packet * 0x9E3779B97F4A7C15L;
        }

        @Override
        public boolean fromLower(Long packet) {
            return true;
        }

        @Override
        public int flags(Long packet) {
            return packet % 4 == 0 ? TcpFlags.RST : TcpFlags.SYN;
        }
    }

    private static final class KeepInWindow
            extends ProcessWindowFunction<FinishedFlow, Long, Long, TimeWindow> {
        @Override
        public void process(
                Long flow, Context context, Iterable<FinishedFlow> values, Collector<Long> out) {
            for (FinishedFlow value : values) {
                assertThat(value.millis())
                        .isBetween(context.window().getStart(), context.window().maxTimestamp());
                KEPT.add(value.flow());
                out.collect(flow);
            }
        }
    }

    private static final class KeepLate implements MapFunction<FinishedFlow, Long> {
        @Override
        public Long map(FinishedFlow value) {
            LATE.add(value.flow());
            return value.flow();
        }
    }

    private static final class KeepJoined
            implements JoinFunction<FinishedFlow, FinishedFlow, Long> {
        @Override
        public Long join(FinishedFlow one, FinishedFlow other) {
            KEPT.add(one.flow());
            return one.flow();
        }
    }

    @BeforeEach
    void forget() {
        KEPT.clear();
        LATE.clear();
    }

    private static SingleOutputStreamOperator<FinishedFlow> flows(StreamExecutionEnvironment env) {
        env.setParallelism(2);
        List<Long> packets = LongStream.range(0, FLOWS).boxed().toList();
        DataStream<Long> timed =
                env.fromData(packets)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forGenerator(
                                                context -> new WatermarkPerRecord())
                                        .withTimestampAssigner((id, old) -> id * MILLIS_APART))
                        .setParallelism(1);
        return FlowStateMachine.of(new View())
                .uid("flows")
                .timeouts(
                        new FlowTimeouts(
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(1),
                                2))
                .apply(timed);
    }

    private static Set<Long> all() {
        Set<Long> all = new HashSet<>();
        for (long packet = 0; packet < FLOWS; packet++) {
            all.add(new View().flow(packet));
        }
        return all;
    }

    @Test
    void aWindowBehindFlowsDropsNoneAsLateAndHasEachWhereItsTimeIs() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SingleOutputStreamOperator<Long> windows =
                flows(env)
                        .keyBy(FinishedFlow::flow, Types.LONG)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                        .sideOutputLateData(LATE_TAG)
                        .process(new KeepInWindow(), Types.LONG);
        windows.getSideOutput(LATE_TAG)
                .map(new KeepLate())
                .returns(Types.LONG)
                .sinkTo(new DiscardingSink<>());
        windows.sinkTo(new DiscardingSink<>());
        env.execute();

        assertThat(LATE).isEmpty();
        assertThat(KEPT).hasSize((int) FLOWS).containsExactlyInAnyOrderElementsOf(all());
    }

    @Test
    void aJoinOfFlowsWithThemselvesFindsEachOnce() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<FinishedFlow> flows = flows(env);
        flows.join(flows)
                .where(FinishedFlow::flow, Types.LONG)
                .equalTo(FinishedFlow::flow, Types.LONG)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                .apply(new KeepJoined(), Types.LONG)
                .sinkTo(new DiscardingSink<>());
        env.execute();

        assertThat(KEPT).hasSize((int) FLOWS).containsExactlyInAnyOrderElementsOf(all());
    }
}
