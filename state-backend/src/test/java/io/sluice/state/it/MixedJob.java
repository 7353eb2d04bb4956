/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.WindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Flags together with a map, a list, a value, timers and windows. Without drops its output is the
 * same in every run: a record's number is its time, and watermarks follow each record.
 */
final class MixedJob {
    static final String EVENTS = "events";
    static final String WINDOWS = "windows";
    private static final int KEYS = 97;
    private static final long TIMER_DELAY = 700;
    private static final long WINDOW = 1000;

    private MixedJob() {}

    static void build(StreamExecutionEnvironment env, String run) {
        SingleOutputStreamOperator<Long> numbers =
                env.fromSource(
                                new GatedSource(run),
                                WatermarkStrategy.<Long>forGenerator(context -> new EveryRecord())
                                        .withTimestampAssigner((number, before) -> number),
                                "records")
                        .setParallelism(1)
                        .uid("records");
        KeyedStream<Long, Long> keyed =
                numbers.keyBy(number -> Math.floorMod(Ids.at(number), (long) KEYS), Types.LONG);
        Ledger.keep(
                run, EVENTS, keyed.process(new AllSorts()).returns(Types.STRING).uid("all-sorts"));
        Ledger.keep(
                run,
                WINDOWS,
                keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(WINDOW)))
                        .apply(new Sum())
                        .returns(Types.STRING)
                        .uid("sums"));
        Ledger.keep(
                run,
                DedupJob.PASSED,
                numbers.map(Ids::at)
                        .returns(Types.LONG)
                        .setParallelism(1)
                        .uid("ids")
                        .keyBy(id -> id, Types.LONG)
                        .filter(new DedupJob.FirstOnly())
                        .uid("first-only"));
    }

    private static final class EveryRecord implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long number, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(timestamp));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    /** States of every sort in one operator, a flag of the deduplicating kind among them. */
    private static final class AllSorts extends KeyedProcessFunction<Long, Long, String> {
        private transient ValueState<Boolean> seen;
        private transient ValueState<Long> count;
        private transient MapState<Long, Long> last;
        private transient ListState<Long> recent;

        @Override
        public void open(OpenContext context) {
            seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
            last =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("last", Types.LONG, Types.LONG));
            recent =
                    getRuntimeContext()
                            .getListState(new ListStateDescriptor<>("recent", Types.LONG));
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out)
                throws Exception {
            Long counted = count.value();
            count.update(counted == null ? 1 : counted + 1);
            last.put(number % 5, number);
            recent.add(number);
            if (seen.value() == null) {
                seen.update(true);
            }
            context.timerService().registerEventTimeTimer(number / 100 * 100 + TIMER_DELAY);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            long sum = 0;
            for (long number : recent.get()) {
                sum += number;
            }
            long newest = 0;
            for (long number : last.values()) {
                newest = Math.max(newest, number);
            }
            recent.update(List.of(newest));
            out.collect(
                    context.getCurrentKey()
                            + " at "
                            + timestamp
                            + ": "
                            + count.value()
                            + " records, recent sum "
                            + sum
                            + ", newest "
                            + newest
                            + ", flag "
                            + seen.value());
        }
    }

    private static final class Sum implements WindowFunction<Long, String, Long, TimeWindow> {
        @Override
        public void apply(
                Long key, TimeWindow window, Iterable<Long> numbers, Collector<String> out) {
            long sum = 0;
            for (long number : numbers) {
                sum += number;
            }
            out.collect(key + " in " + window + ": " + sum);
        }
    }
}
