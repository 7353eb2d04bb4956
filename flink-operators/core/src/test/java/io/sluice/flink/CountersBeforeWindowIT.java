/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event-time window behind counters that emit periodically. */
class CountersBeforeWindowIT {

    private static final int COUNTERS = 7;
    private static final long OPERATIONS = 2_000;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Queue<CounterValue<Long>> IN_WINDOWS = new ConcurrentLinkedQueue<>();
    private static final Queue<CounterValue<Long>> LATE = new ConcurrentLinkedQueue<>();
    private static final TypeInformation<CounterValue<Long>> VALUES =
            TypeInformation.of(new TypeHint<CounterValue<Long>>() {});
    private static final OutputTag<CounterValue<Long>> LATE_TAG = new OutputTag<>("late", VALUES);

    /** Keeps and passes what is in a window. */
    private static final class KeepInWindow
            extends ProcessWindowFunction<
                    CounterValue<Long>, CounterValue<Long>, Long, TimeWindow> {
        @Override
        public void process(
                Long counter,
                Context context,
                Iterable<CounterValue<Long>> values,
                Collector<CounterValue<Long>> out) {
            for (CounterValue<Long> value : values) {
                IN_WINDOWS.add(value);
                out.collect(value);
            }
        }
    }

    private static final class KeepLate
            implements MapFunction<CounterValue<Long>, CounterValue<Long>> {
        @Override
        public CounterValue<Long> map(CounterValue<Long> value) {
            LATE.add(value);
            return value;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWindowBehindCountersDropsNothingAsLate(boolean twoPhases) throws Exception {
        IN_WINDOWS.clear();
        LATE.clear();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        List<Long> operations = LongStream.range(0, OPERATIONS).boxed().toList();
        // 2 ms apart, with a watermark after each.
        DataStream<Long> records =
                env.fromData(operations)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forGenerator(
                                                context -> new WatermarkPerRecord())
                                        .withTimestampAssigner((id, timestamp) -> 2 * id))
                        .setParallelism(1);
        IdempotentCounters<Long, Long> counters =
                IdempotentCounters.of((Long id) -> id % COUNTERS)
                        .operation((Long id) -> id)
                        .uid("counts")
                        .within(Duration.ofSeconds(60))
                        .falsePositiveProbability(1e-9)
                        .emitEvery(Duration.ofHours(1));
        SingleOutputStreamOperator<CounterValue<Long>> windows =
                (twoPhases ? counters.twoPhases() : counters)
                        .apply(records)
                        .keyBy(CounterValue::counter, Types.LONG)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                        .sideOutputLateData(LATE_TAG)
                        .process(new KeepInWindow(), VALUES);
        windows.getSideOutput(LATE_TAG)
                .map(new KeepLate())
                .returns(VALUES)
                .sinkTo(new DiscardingSink<>());
        windows.sinkTo(new DiscardingSink<>());
        env.execute();

        assertThat(LATE).isEmpty();
        Map<Long, Long> last = new HashMap<>();
        IN_WINDOWS.forEach(value -> last.merge(value.counter(), value.value(), Math::max));
        Map<Long, Long> truth = new HashMap<>();
        operations.forEach(id -> truth.merge(id % COUNTERS, 1L, Long::sum));
        assertThat(last).isEqualTo(truth);
    }
}
