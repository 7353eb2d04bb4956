/* SPDX-License-Identifier: Apache-2.0 */
package example;

import io.sluice.flink.dedup.Deduplicate;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Orders that come more than once, because whoever sends them tries again, pass once. */
public final class OrdersJob {

    private OrdersJob() {}

    /**
     * The job without its source and its sink, so that a test can bring others.
     *
     * @param orders with timestamps and watermarks
     */
    static DataStream<Order> once(DataStream<Order> orders) {
        return Deduplicate.by(Order::id)
                .uid("orders-dedup")
                .within(Duration.ofHours(1))
                .falsePositiveProbability(1e-6)
                .expecting(1_000)
                .memory(MemorySize.parse("64mb"))
                .apply(orders);
    }

    static DataStream<Order> withTimestamps(DataStream<Order> orders) {
        return orders.assignTimestampsAndWatermarks(
                WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofMinutes(1))
                        .withTimestampAssigner((order, before) -> order.timestamp()));
    }

    /** Put your own source and sink here. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Order> orders =
                env.fromData(
                        new Order("a", 10, 1_000),
                        new Order("b", 20, 2_000),
                        new Order("a", 10, 3_000));
        once(withTimestamps(orders)).print();
        env.execute("orders, each one once");
    }
}
