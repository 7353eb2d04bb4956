/* SPDX-License-Identifier: Apache-2.0 */
package example;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Counts the views of each page. A request that a client sent again is not counted again. */
public final class ViewsJob {

    private ViewsJob() {}

    /**
     * The job without its source and its sink. A later value of a page replaces the earlier ones,
     * so the sink is an upsert.
     *
     * @param views with timestamps and watermarks
     */
    static DataStream<CounterValue<String>> count(DataStream<View> views) {
        return IdempotentCounters.of(View::page)
                .operation(View::requestId)
                .uid("views")
                .within(Duration.ofHours(1))
                .emitEvery(Duration.ofSeconds(1))
                .apply(views);
    }

    static DataStream<View> withTimestamps(DataStream<View> views) {
        return views.assignTimestampsAndWatermarks(
                WatermarkStrategy.<View>forBoundedOutOfOrderness(Duration.ofMinutes(1))
                        .withTimestampAssigner((view, before) -> view.timestamp()));
    }

    /** Put your own source and sink here. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<View> views =
                env.fromData(
                        new View("/home", "1", 1_000),
                        new View("/home", "2", 2_000),
                        new View("/home", "1", 3_000));
        count(withTimestamps(views)).print();
        env.execute("views of pages");
    }
}
