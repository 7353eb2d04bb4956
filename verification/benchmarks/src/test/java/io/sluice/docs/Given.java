/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import io.sluice.flink.reconcile.ReplicaMessage;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/** What the snippets of the documents take for granted: a reader's own records and streams. */
public abstract class Given {

    /** A record of the reader's. */
    public record Order(String id, long timestamp) {}

    /** A record of the reader's. */
    public record OrderEvent(String order, String type, long timestamp) {}

    /** A record of the reader's. */
    public record View(String page, String requestId, long timestamp) {}

    /** A record of the reader's. */
    public record Click(String requestId, long timestamp) {}

    protected StreamExecutionEnvironment env;

    /** Has a table {@code orders}. */
    protected StreamTableEnvironment tableEnv;

    protected DataStream<String> ids;
    protected DataStream<Order> orders;
    protected DataStream<OrderEvent> orderEvents;
    protected DataStream<View> requests;
    protected DataStream<Click> clickStream;
    protected DataStream<byte[]> messagesOfWest;
    protected Sink<ReplicaMessage> topicForWest;
    protected List<Order> sent = List.of();
    protected List<Order> received = List.of();
    protected String id = "a";
    protected long timestamp;
    protected String record;
    protected Collector<String> out;

    /** Fills the streams in. */
    void in(StreamExecutionEnvironment newEnv) {
        env = newEnv;
        tableEnv = StreamTableEnvironment.create(env);
        tableEnv.createTemporaryView("orders", tableEnv.fromDataStream(tableOfOrders()));
        ids = env.fromData(Types.STRING, "a", "b", "a");
        orders = stamped(Order::timestamp, new Order("a", 1), new Order("b", 2), new Order("a", 3));
        orderEvents = stamped(OrderEvent::timestamp, new OrderEvent("a", "order", 1));
        requests =
                stamped(
                        View::timestamp,
                        new View("home", "r1", 1),
                        new View("home", "r2", 2),
                        new View("home", "r1", 3));
        clickStream = stamped(Click::timestamp, new Click("c1", 1), new Click("c2", 2));
        messagesOfWest =
                env.fromData(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO, new byte[0]);
        topicForWest = new DiscardingSink<>();
    }

    private DataStream<Row> tableOfOrders() {
        return env.fromData(
                Types.ROW_NAMED(new String[] {"order_id", "amount"}, Types.STRING, Types.INT),
                Row.of("a", 1),
                Row.of("b", 2),
                Row.of("a", 1));
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    private <T> DataStream<T> stamped(Timestamp<T> timestamp, T... records) {
        return env.fromData(records)
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<T>forMonotonousTimestamps()
                                .withTimestampAssigner((value, none) -> timestamp.of(value)));
    }

    /** Where the time of a record is. */
    private interface Timestamp<T> extends Serializable {
        long of(T value);
    }

    /** Of the function that a snippet is in. */
    protected RuntimeContext getRuntimeContext() {
        throw new UnsupportedOperationException("only compiled");
    }

    /** The snippet; returns one of its variables. */
    public abstract Object run() throws Exception;
}
